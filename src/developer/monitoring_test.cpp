#include "developer/monitoring.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "telemetry/metrics/metrics.h"

namespace petri::developer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(UnknownMetrics, AreNamesThatDoNotExistAndLabelsThatAMetricLacks) {  // O11
  EXPECT_THAT(unknown_metrics("rate(petri_runs_total{outcome=\"ok\"}[5m]) / petri_workers"), IsEmpty());
  EXPECT_THAT(unknown_metrics("petri_rusn_total > 0 and petri_runs_total{error=\"x\"} and petri_workers{a=\"b\"}"),
              ElementsAre("petri_rusn_total", "petri_runs_total{error}", "petri_workers{a}"));
}

TEST(Monitoring, NamesNoMetricThatDoesNotExist) {  // O11
  EXPECT_THAT(unknown_metrics(alert_rules()), IsEmpty());
  EXPECT_THAT(unknown_metrics(grafana_dashboard()), IsEmpty());
}

TEST(Monitoring, ShowsEveryMetricInAPanelOfItsOwn) {  // O11
  const auto dashboard = nlohmann::json::parse(grafana_dashboard());
  ASSERT_EQ(dashboard["panels"].size(), metric_rules().size());
  std::size_t at = 0;
  for (const MetricRule& rule : metric_rules()) {
    const std::string expression = dashboard["panels"][at++]["targets"][0]["expr"];
    EXPECT_NE(expression.find(rule.name), std::string::npos) << expression;
  }
}

}  // namespace
}  // namespace petri::developer
