#include "telemetry/sinks/prometheus_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/sinks/prometheus_check.h"

namespace petri {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PrometheusText, HasHelpTypeAndSamplesOfEachMetric) {
  PrometheusText text;
  text.begin("a_total", MetricType::counter, "How many.");
  text.add("kind", "x", 1);
  text.add("kind", "y", 2);
  text.begin("b", MetricType::gauge, "How much.");
  text.add(18'446'744'073'709'551'615U);
  EXPECT_EQ(text.text(),
            "# HELP a_total How many.\n# TYPE a_total counter\na_total{kind=\"x\"} 1\na_total{kind=\"y\"} 2\n"
            "# HELP b How much.\n# TYPE b gauge\nb 18446744073709551615\n");
  EXPECT_THAT(PrometheusCheck(text.text()).faults(), IsEmpty());
}

TEST(PrometheusText, EscapesWhatWouldEndALabelOrALine) {
  PrometheusText text;
  text.begin("a", MetricType::gauge, "one\ntwo \\ \"three\"");
  text.add("kind", "x\"} 9\n# HELP evil \\", 1);
  EXPECT_EQ(text.text(), R"(# HELP a one\ntwo \\ "three")"
                         "\n# TYPE a gauge\n"
                         R"(a{kind="x\"} 9\n# HELP evil \\"} 1)"
                         "\n");
  const PrometheusCheck check(text.text());
  EXPECT_THAT(check.faults(), IsEmpty());
  EXPECT_EQ(check.series().size(), 1U);
}

// The judge is judged first: each of these breaks one rule.
TEST(PrometheusCheck, FindsWhatIsWrong) {
  const std::string head = "# HELP a_total x\n# TYPE a_total counter\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {head + "a_total 1", "no end"},
      {head + "a_total \xff\n", "UTF-8"},
      {head + "\n", "neither"},
      {head + "a_total 1\na_total 1\n", "twice"},
      {head + "a_total{k=\"1\"} 1\na_total{k=\"1\"} 2\n", "twice"},
      {head + head, "twice"},
      {head + "b_total 1\n", "away from its metric"},
      {"# TYPE a_total counter\n", "follow its help"},
      {"a_total 1\n", "away from its metric"},
      {"# HELP a x\n# TYPE a counter\n", "_total"},
      {"# HELP a_total x\n# TYPE a_total gauge\n", "_total"},
      {"# HELP a x\n# TYPE a number\n", "no such type"},
      {"# HELP 1a x\n# TYPE 1a gauge\n", "no metric"},
      {"# HELP a \n# TYPE a gauge\n", "no help"},
      {"# HELP a x\\y\n# TYPE a gauge\n", "escape"},
      {head + "a_total{k=\"\\x\"} 1\n", "escape"},
      {head + "a_total{1=\"x\"} 1\n", "no label"},
      {head + "a_total{__k=\"x\"} 1\n", "no label"},
      {head + "a_total{k=\"x\",k=\"y\"} 1\n", "twice"},
      {head + "a_total{k=\"x} 1\n", "without an end"},
      {head + "a_total{k=\"x\" 1\n", "without an end"},
      {head + "a_total{k=x} 1\n", "without a value"},
      {head + "a_total -1\n", "no integer"},
  };
  for (const auto& [text, fault] : cases)
    EXPECT_THAT(PrometheusCheck(text).faults(), Contains(HasSubstr(fault))) << text;
}

}  // namespace
}  // namespace petri
