// Area O: the details of events: limits, crashes, usage and warnings, and the metrics they add up to.
#include <map>

#include "events_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

// The number behind a series of the metrics, or nothing.
std::optional<std::uint64_t> metric(const std::string& text, const std::string& series) {
  const std::size_t at = text.find("\n" + series + " ");
  if (at == std::string::npos) return std::nullopt;
  return std::stoull(text.substr(at + series.size() + 2));
}

TEST_F(EventsTest, AddUpInTheMetrics) {  // O11
  Subscription slow = *runtime_->subscribe({.kinds = {EventKind::run_start}, .queue_max = 1});
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"p"}, 10));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(testing::not_value(sandbox.run("counter", "next"), 1), "");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(testing::not_kind(sandbox.run("counter", "crash"), OutcomeKind::trapped), "");
  EXPECT_EQ(testing::not_kind(sandbox.run("counter", "spin", {}, {.fuel_max = 9}), OutcomeKind::out_of_fuel), "");
  EXPECT_EQ(testing::not_error(sandbox.run("counter", "ghost"), ErrorCode::not_found), "");
  EXPECT_EQ(testing::not_error(sandbox.run(Source::wat("(module"), "f"), ErrorCode::parse_failed), "");
  EXPECT_EQ(next(sandbox, "p"), 1);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "p"), OutcomeKind::trapped), "");
  expect_restarts(sandbox, 1);
  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 65'536}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(testing::not_value(sandbox.call("grow", {1}), -1), "");
  const std::string text = runtime_->metrics();
  EXPECT_EQ(metric(text, R"(petri_runs_total{outcome="ok"})"), 5U) << text;
  EXPECT_EQ(metric(text, R"(petri_runs_total{outcome="trapped"})"), 2U);
  EXPECT_EQ(metric(text, R"(petri_runs_total{outcome="out_of_fuel"})"), 1U);
  EXPECT_EQ(metric(text, R"(petri_runs_total{outcome="deadline"})"), 0U);
  EXPECT_EQ(metric(text, R"(petri_run_errors_total{error="not_found"})"), 1U);
  EXPECT_EQ(metric(text, R"(petri_run_errors_total{error="parse_failed"})"), 1U);
  EXPECT_EQ(metric(text, R"(petri_kills_total{limit="fuel_max"})"), 1U);
  EXPECT_EQ(metric(text, R"(petri_kills_total{limit="memory_bytes_max"})"), 0U);
  EXPECT_EQ(metric(text, R"(petri_limits_met_total{limit="memory_bytes_max"})"), 3U);
  EXPECT_EQ(metric(text, R"(petri_limits_met_total{limit="fuel_max"})"), 0U);
  EXPECT_EQ(metric(text, R"(petri_calls_total{outcome="ok"})"), 4U);
  EXPECT_EQ(metric(text, R"(petri_calls_total{outcome="trapped"})"), 1U);
  EXPECT_EQ(metric(text, R"(petri_sandboxes{status="running"})"), 1U);
  EXPECT_EQ(metric(text, "petri_processes_started_total"), 1U);
  EXPECT_EQ(metric(text, "petri_processes_restarted_total"), 1U);
  EXPECT_EQ(metric(text, "petri_processes_exited_total"), 1U);
  EXPECT_EQ(metric(text, "petri_processes"), 1U);
  EXPECT_GE(metric(text, "petri_events_lost_total"), 8U);
}

TEST_F(EventsTest, ReportTheStartAndOneEndOfEveryRun) {  // O03
  Sandbox sandbox = create(counter());
  Subscription events =
      *runtime_->subscribe({.kinds = {EventKind::run_start, EventKind::run_stop, EventKind::run_exception}});
  const std::vector<std::string_view> functions{"next", "crash", "ghost", "next"};
  for (const std::string_view function : functions) static_cast<void>(sandbox.run("counter", function));
  std::map<std::uint64_t, std::vector<EventKind>> runs;
  while (const EventPtr event = events.next()) {
    runs[event->correlation.id].push_back(event->kind);
    EXPECT_EQ(event->text("module"), "counter");
    if (event->kind == EventKind::run_start) continue;
    EXPECT_GT(event->count("duration_ns"), 0U);
    if (event->kind == EventKind::run_exception) {
      EXPECT_EQ(event->text("error"), "not_found");
      continue;
    }
    const bool crashed = event->text("function") == "crash";
    EXPECT_EQ(event->text("outcome"), crashed ? "trapped" : "ok");
    EXPECT_EQ(event->text("trap"), crashed ? "unreachable" : "");
    EXPECT_EQ(event->count("fuel_used"), crashed ? 1U : 5U);
    EXPECT_EQ(event->count("memory_peak_bytes"), 65'536U);
  }
  ASSERT_EQ(runs.size(), functions.size());
  std::size_t number = 0;
  for (const auto& [correlation, kinds] : runs) {
    const EventKind end = functions[number++] == "ghost" ? EventKind::run_exception : EventKind::run_stop;
    EXPECT_THAT(kinds, ElementsAre(EventKind::run_start, end));
  }
}

TEST_F(EventsTest, NameTheLimitThatEndsWithWhatWasAllowedAndSeen) {  // O05
  SandboxSpec spec = tree(Strategy::one_for_one, {"one"}, 100);
  spec.limits = {.execution_time_max = std::chrono::milliseconds(10), .call_depth_max = 50};
  Sandbox sandbox = create(spec);
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::killed_timeout, EventKind::killed_resource_limit}});
  EXPECT_EQ(testing::not_kind(call(sandbox, "spin"), OutcomeKind::deadline), "");
  EXPECT_EQ(testing::not_kind(sandbox.call("recurse", {100}), OutcomeKind::stack_overflow), "");
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = 1'000}));
  EXPECT_EQ(testing::not_kind(call(sandbox, "spin"), OutcomeKind::out_of_fuel), "");
  std::vector<std::string> seen;
  while (const EventPtr event = events.next()) {
    seen.push_back(std::string(name_of(event->kind)) + " " + std::string(event->text("limit")));
    EXPECT_EQ(event->process, "one");
    EXPECT_EQ(event->text("place"), "call");
    EXPECT_EQ(event->count("allowed"), limit_value(sandbox.info().limits, *sandbox_limit_named(event->text("limit"))));
    EXPECT_GE(event->count("seen"), event->count("allowed")) << seen.back();
  }
  EXPECT_THAT(seen, ElementsAre("killed.timeout execution_time_max", "killed.resource_limit call_depth_max",
                                "killed.resource_limit fuel_max"));
}

TEST_F(EventsTest, TellOfACrashItsRestartAndTheLastOne) {  // O06
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::process_exited, EventKind::process_restarted,
                                                        EventKind::process_gave_up, EventKind::sandbox_failed}});
  Sandbox sandbox = create(counter());
  for (int crash = 0; crash < 2; ++crash) {
    expect_soon([&] { return testing::not_kind(call(sandbox, "next"), OutcomeKind::ok); });
    EXPECT_EQ(testing::not_kind(call(sandbox, "crash"), OutcomeKind::trapped), "");
  }
  read_until(events, EventKind::sandbox_failed);
  std::vector<EventKind> kinds;
  for (const EventPtr& event : seen_) kinds.push_back(event->kind);
  EXPECT_THAT(kinds, ElementsAre(EventKind::process_exited, EventKind::process_restarted, EventKind::process_exited,
                                 EventKind::process_gave_up, EventKind::sandbox_failed));
  EXPECT_EQ(seen_[0]->text("outcome"), "trapped");
  EXPECT_EQ(seen_[0]->text("trap"), "unreachable");
  EXPECT_EQ(seen_[1]->count("restarts"), 1U);
}

TEST_F(EventsTest, ReachOnlyThoseWhoAskedForThem) {  // O08
  create(counter("other"));
  Subscription some = *runtime_->subscribe({.sandbox = "a", .kinds = {EventKind::run_stop}});
  Sandbox sandbox = create(counter());
  Sandbox other = *runtime_->find("other");
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(sandbox.run("counter", "next"));
    static_cast<void>(other.run("counter", "next"));
  }
  EXPECT_THAT(names(some), ElementsAre("run.stop", "run.stop", "run.stop"));
  some.end();
  static_cast<void>(sandbox.run("counter", "next"));
  EXPECT_EQ(some.next(), nullptr);
}

TEST_F(EventsTest, SampleWhatUsageAnswers) {  // O10, Q26
  testing::ManualTime time;
  runtime_ = *Runtime::create({.workers = 2, .sampling_interval = 1s, .clock = time.clock()});
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(R"((module
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "{\"id\":\"kidA\",\"module\":\"m\"}")
    (func (export "spawn") (param $n i32) (result i32)
      (loop $again
        (if (call $spawn (i32.const 0) (i32.const 26)) (then (return (i32.const 1))))
        (i32.store8 (i32.const 10) (i32.add (i32.load8_u (i32.const 10)) (i32.const 1)))
        (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (i32.const 0))))")}}});
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::usage_sampled}});
  time.advance(*runtime_, 1s);
  read_until(events, EventKind::usage_sampled);
  EXPECT_EQ(seen_.back()->count("processes"), 1U);
  EXPECT_EQ(testing::not_value(sandbox.call("spawn", {25}), 0), "");
  const Usage before = sandbox.usage();
  time.advance(*runtime_, 1s);
  read_until(events, EventKind::usage_sampled);
  const Event& sample = *seen_.back();
  const Usage usage = sandbox.usage();
  EXPECT_EQ(sample.count("processes"), 26U) << "in the next one";
  EXPECT_EQ(sample.count("processes"), usage.processes);
  EXPECT_EQ(sample.count("memory_bytes"), usage.memory_bytes);
  EXPECT_EQ(sample.count("memory_bytes"), 26U * 65'536U);
  EXPECT_EQ(sample.count("fuel_used"), usage.fuel_used);
  EXPECT_GT(usage.fuel_used, 0U);
  // The host's work for it meanwhile is on its account too.
  EXPECT_GE(sample.count("cpu_time_ns"), static_cast<std::uint64_t>(before.cpu_time.count()));
  EXPECT_LE(sample.count("cpu_time_ns"), static_cast<std::uint64_t>(usage.cpu_time.count()));
  ASSERT_EQ(sandbox.usage_history().size(), 2U);
  EXPECT_EQ(sandbox.usage_history().back().usage.processes, 26U);
  runtime_.reset();  // before its clock
}

TEST_F(EventsTest, WarnOnceUntilUseHasBeenLow) {  // Q24
  SandboxSpec spec = counter();
  spec.limits = {.processes_max = 5};
  Sandbox sandbox = create(spec);
  const auto start = [&](int i) {
    ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "kid" + std::to_string(i), .module = "counter"}));
  };
  Subscription events = all();
  const auto wait_for_samples = [&](int count) {
    while (const EventPtr before = events.next()) seen_.push_back(before);  // of earlier samples
    read_until(events, [&count](const Event& event) { return event.kind == EventKind::usage_sampled && --count == 0; });
  };
  for (int i = 0; i < 3; ++i) start(i);
  wait_for_samples(3);
  EXPECT_EQ(of(EventKind::limit_warning).size(), 1U);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sandbox.stop_child("kid" + std::to_string(i)));
  wait_for_samples(3);
  for (int i = 3; i < 6; ++i) start(i);
  wait_for_samples(3);
  ASSERT_EQ(of(EventKind::limit_warning).size(), 2U);
  EXPECT_EQ(of(EventKind::limit_warning)[0]->text("limit"), "processes_max");
  EXPECT_EQ(of(EventKind::limit_warning)[0]->count("allowed"), 5U);
}

TEST_F(EventsTest, WarnOfAMailboxThatFillsUp) {  // Q24
  SandboxSpec spec = counter();
  spec.limits = {.message_queue_max = 5};
  Sandbox sandbox = create(spec);
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::limit_warning}});
  const auto busy = sandbox.call_async("spin", {}, {}, [](const Result<Outcome>&) {});
  ASSERT_TRUE(busy);
  // The first may have been taken by now, or wait as well.
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(sandbox.send("x"));
  read_until(events, [](const Event&) { return true; });
  EXPECT_EQ(seen_.back()->text("limit"), "message_queue_max");
  EXPECT_GE(seen_.back()->count("seen"), 4U);
  EXPECT_TRUE(sandbox.cancel(*busy));
}

}  // namespace
}  // namespace petri
