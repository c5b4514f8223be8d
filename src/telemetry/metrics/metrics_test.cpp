#include "telemetry/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "telemetry/sinks/prometheus_check.h"

namespace petri {
namespace {

using ::testing::IsEmpty;

class MetricsTest : public ::testing::Test {
 protected:
  PrometheusCheck read() const { return PrometheusCheck(to_prometheus(metrics, now)); }

  Metrics metrics{{.limits = {"fuel_max", "timers_max"}, .permissions = {"log", "clock"}}};
  MetricsNow now;
};

TEST_F(MetricsTest, AreValidTextWithEveryLabelFromTheStart) {
  const PrometheusCheck check = read();
  EXPECT_THAT(check.faults(), IsEmpty());
  for (const char* series :
       {R"(petri_runs_total{outcome="ok"})", R"(petri_runs_total{outcome="cancelled"})",
        R"(petri_run_errors_total{error="not_found"})", R"(petri_run_errors_total{error="start_failed"})",
        R"(petri_calls_total{outcome="deadline"})", R"(petri_limits_met_total{limit="timers_max"})",
        R"(petri_kills_total{limit="fuel_max"})", R"(petri_denials_total{permission="clock"})", "petri_processes",
        "petri_events_lost_total"}) {
    EXPECT_EQ(check.value(series), 0U) << series;
  }
}

// O11
TEST_F(MetricsTest, CountRunsByOutcomeSoThatTheyAddUpToTheRunsMade) {
  constexpr int kKinds = static_cast<int>(OutcomeKind::cancelled) + 1;
  std::uint64_t made = 0;
  for (int kind = 0; kind < kKinds; ++kind) {
    for (int times = 0; times <= kind; ++times, ++made) metrics.run_ended(static_cast<OutcomeKind>(kind));
  }
  for (const ErrorCode code : all_error_codes()) metrics.run_failed(code);
  metrics.call_ended(OutcomeKind::trapped);
  const PrometheusCheck check = read();
  EXPECT_EQ(check.sum("petri_runs_total"), made);
  EXPECT_EQ(check.value(R"(petri_runs_total{outcome="ok"})"), 1U);
  EXPECT_EQ(check.value(R"(petri_runs_total{outcome="cancelled"})"), static_cast<std::uint64_t>(kKinds));
  EXPECT_EQ(check.sum("petri_run_errors_total"), all_error_codes().size());
  EXPECT_EQ(check.value(R"(petri_run_errors_total{error="busy"})"), 1U);
  EXPECT_EQ(check.sum("petri_calls_total"), 1U);
  EXPECT_EQ(check.value(R"(petri_calls_total{outcome="trapped"})"), 1U);
}

// O11
TEST_F(MetricsTest, CountLostEvents) {
  now.events = {.published = 10, .lost = 7, .subscriptions = 2};
  const PrometheusCheck check = read();
  EXPECT_EQ(check.value("petri_events_published_total"), 10U);
  EXPECT_EQ(check.value("petri_events_lost_total"), 7U);
  EXPECT_EQ(check.value("petri_event_subscriptions"), 2U);
}

TEST_F(MetricsTest, CountEachThingInItsOwnPlace) {
  struct Case {
    void (*count)(Metrics&);
    std::string series;
  };
  const std::vector<Case> cases{
      {[](Metrics& m) { m.process_started(); }, "petri_processes_started_total"},
      {[](Metrics& m) { m.process_restarted(); }, "petri_processes_restarted_total"},
      {[](Metrics& m) { m.process_exited(); }, "petri_processes_exited_total"},
      {[](Metrics& m) { m.module_loaded(); }, "petri_modules_loaded_total"},
      {[](Metrics& m) { m.module_rejected(); }, "petri_modules_rejected_total"},
      {[](Metrics& m) { m.breaker_opened(); }, "petri_breaker_openings_total"},
      {[](Metrics& m) { m.quarantined(); }, "petri_quarantines_total"},
      {[](Metrics& m) { m.host_pressure(); }, "petri_host_pressure_total"},
      {[](Metrics& m) { m.limit_met("timers_max"); }, R"(petri_limits_met_total{limit="timers_max"})"},
      {[](Metrics& m) { m.killed("fuel_max"); }, R"(petri_kills_total{limit="fuel_max"})"},
      {[](Metrics& m) { m.denied("clock"); }, R"(petri_denials_total{permission="clock"})"},
  };
  auto before = read().series();
  for (const auto& [count, series] : cases) {
    count(metrics);
    ++before[series];
    EXPECT_EQ(read().series(), before) << series;
  }
}

TEST_F(MetricsTest, CountWhatIsToldTogetherAsOften) {
  metrics.limit_met("timers_max", 1'000);
  EXPECT_EQ(read().value(R"(petri_limits_met_total{limit="timers_max"})"), 1'000U);
}

TEST_F(MetricsTest, LetNobodyMakeNewLabels) {
  EXPECT_FALSE(read().series().contains(R"(petri_denials_total{permission="other"})"));
  for (const char* name : {"", "x\"} 1\n", "\xff", "network"}) metrics.denied(name);
  const PrometheusCheck check = read();
  EXPECT_THAT(check.faults(), IsEmpty());
  EXPECT_EQ(check.value(R"(petri_denials_total{permission="other"})"), 4U);
  EXPECT_EQ(check.sum("petri_denials_total"), 4U);
}

TEST_F(MetricsTest, TellWhatIsThereNow) {
  now = {.sandboxes = {{"running", 3}, {"failed", 1}},
         .processes = 4,
         .memory_bytes = 5,
         .artifacts = 6,
         .threads = 7,
         .workers = 8,
         .audit_entries = 9,
         .audit_lost = 10,
         .audit_file_lost = 11,
         .events = {}};
  const PrometheusCheck check = read();
  EXPECT_THAT(check.faults(), IsEmpty());
  EXPECT_EQ(check.value(R"(petri_sandboxes{status="running"})"), 3U);
  EXPECT_EQ(check.value(R"(petri_sandboxes{status="failed"})"), 1U);
  EXPECT_EQ(check.value("petri_processes"), 4U);
  EXPECT_EQ(check.value("petri_memory_bytes"), 5U);
  EXPECT_EQ(check.value("petri_artifacts"), 6U);
  EXPECT_EQ(check.value("petri_threads"), 7U);
  EXPECT_EQ(check.value("petri_workers"), 8U);
  EXPECT_EQ(check.value("petri_audit_entries_total"), 9U);
  EXPECT_EQ(check.value("petri_audit_lost_total"), 10U);
  EXPECT_EQ(check.value("petri_audit_file_lost_total"), 11U);
}

TEST_F(MetricsTest, MissNothingWhenManyThreadsCount) {
  constexpr int kThreads = 12, kTimes = 5'000;  // more threads than shards
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int times = 0; times < kTimes; ++times) {
          metrics.run_ended(OutcomeKind::ok);
          metrics.killed("fuel_max");
        }
      });
    }
    std::uint64_t before = 0;
    for (int reads = 0; reads < 100; ++reads) {
      const std::uint64_t now_read = metrics.runs()[0].count;
      EXPECT_GE(now_read, before);
      before = now_read;
    }
  }
  EXPECT_EQ(metrics.runs()[0].count, std::uint64_t{kThreads} * kTimes);
  EXPECT_EQ(metrics.kills()[0].count, std::uint64_t{kThreads} * kTimes);
}

TEST_F(MetricsTest, AreTheSameTextForTheSameNumbers) {
  EXPECT_EQ(to_prometheus(metrics, now), to_prometheus(metrics, now));
  const std::string text = to_prometheus(metrics, now);
  std::size_t at = 0;
  for (const MetricRule& rule : metric_rules()) {
    const std::size_t found = text.find("# HELP " + std::string(rule.name) + " ");
    ASSERT_NE(found, std::string::npos) << rule.name;
    EXPECT_GE(found, at) << rule.name << " stands in the order of the rules";
    at = found;
  }
}

}  // namespace
}  // namespace petri
