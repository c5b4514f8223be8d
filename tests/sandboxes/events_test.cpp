// Area O: what happens is published once, with its cause, and every event keeps to its table.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "runtime_fixture.h"
#include "telemetry/event_rules_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// Repeated failures are for containment_test.cpp, a missing compile worker for promoter_test.cpp.
constexpr EventKinds kOfContainment{EventKind::breaker_opened,       EventKind::breaker_half_open,
                                    EventKind::breaker_closed,       EventKind::host_pressure,
                                    EventKind::security_denied,      EventKind::security_quarantined,
                                    EventKind::compiling_unavailable};
// Events of no sandbox; evaluate_test.cpp has them.
constexpr EventKinds kOfEvaluations{EventKind::evaluate_start, EventKind::evaluate_stop, EventKind::evaluate_exception};

class EventsTest : public RuntimeFixture {
 protected:
  // Quick samples: those of usage and the warnings of limits come with them.
  void SetUp() override { runtime_ = *Runtime::create({.workers = 2, .sampling_interval = 2ms}); }

  Subscription all() { return *runtime_->subscribe({.queue_max = kEventQueueMax}); }
  // Reads on until an event is as wanted, and keeps them all.
  void read_until(Subscription& events, const std::function<bool(const Event&)>& wanted) {
    while (const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + 30s)) {
      seen_.push_back(event);
      if (wanted(*event)) return;
    }
    ADD_FAILURE() << "the event that was waited for has not come";
  }
  void read_until(Subscription& events, EventKind kind) {
    read_until(events, [kind](const Event& event) { return event.kind == kind; });
  }
  std::vector<EventPtr> of(EventKind kind) const {
    std::vector<EventPtr> some;
    for (const EventPtr& event : seen_) {
      if (event->kind == kind) some.push_back(event);
    }
    return some;
  }
  std::size_t place_of(EventKind kind) const {
    const auto found = std::ranges::find_if(seen_, [kind](const EventPtr& event) { return event->kind == kind; });
    return static_cast<std::size_t>(found - seen_.begin());
  }

  std::vector<EventPtr> seen_;
};

// Everything a sandbox can go through so far.
TEST_F(EventsTest, KeepToTheirTableThroughAWholeLife) {  // O01, O03, O05, O06
  Subscription events = all();
  SandboxSpec bad = counter("bad");
  bad.modules[0].source = Source::wat("(module (func (export \"f\") (result v128) unreachable))");
  EXPECT_EQ(runtime_->create_sandbox(bad).error().code, ErrorCode::rejected);

  SandboxSpec spec = tree(Strategy::one_for_one, {"one", "two"}, 3);
  spec.limits = {.memory_bytes_max = 5 * 65'536};
  Sandbox sandbox = create(spec);
  const std::uint64_t patient = static_cast<std::uint64_t>(sandbox.info().limits.execution_time_max.count());
  EXPECT_EQ(next(sandbox, "one"), 1);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "one"), OutcomeKind::trapped), "");
  EXPECT_EQ(testing::not_kind(sandbox.call("exit", {7}, {.process = "two"}), OutcomeKind::exited), "");
  // For this one only: on a busy machine the others would meet it too.
  ASSERT_TRUE(sandbox.update_limits({.execution_time_max = std::chrono::milliseconds(10)}));
  EXPECT_EQ(testing::not_kind(call(sandbox, "spin", "one"), OutcomeKind::deadline), "");
  ASSERT_TRUE(sandbox.update_limits({.execution_time_max = std::chrono::nanoseconds(patient)}));
  expect_restarts(sandbox, 3);
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {2}, {.process = "two"}), 1), "");
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {2}, {.process = "two"}), -1), "");
  read_until(events, EventKind::limit_warning);
  EXPECT_EQ(testing::not_value(sandbox.run("counter", "next"), 1), "");
  EXPECT_EQ(testing::not_kind(sandbox.run("counter", "crash"), OutcomeKind::trapped), "");
  EXPECT_EQ(testing::not_kind(sandbox.run("counter", "spin", {}, {.fuel_max = 1'000}), OutcomeKind::out_of_fuel), "");
  EXPECT_EQ(testing::not_error(sandbox.run("counter", "ghost"), ErrorCode::not_found), "");
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "one"), OutcomeKind::trapped), "");
  read_until(events,
             [](const Event& event) { return event.kind == EventKind::sandbox_failed && event.sandbox == "a"; });
  ASSERT_TRUE(sandbox.restart());
  std::string changed(kCounter);
  changed.insert(changed.size() - 1, "(func (export \"more\"))");
  ASSERT_TRUE(sandbox.stage("counter", Source::wat(changed)));
  ASSERT_TRUE(sandbox.reload("counter", Source::wat(changed)));
  ASSERT_TRUE(sandbox.reload("counter", Source::wat(changed)));
  ASSERT_TRUE(sandbox.rollback("counter", 1, {.policy = ReloadPolicy{.drop_exports = true}}));
  ASSERT_TRUE(sandbox.stop());
  ASSERT_TRUE(runtime_->destroy("a"));
  read_until(events, EventKind::sandbox_destroyed);

  std::uint64_t sequence = 0;
  for (const EventPtr& event : seen_) {
    EXPECT_THAT(faults_of(*event), IsEmpty());
    EXPECT_FALSE(event->sandbox.empty()) << name_of(event->kind);
    EXPECT_NE(event->correlation.id, 0U) << name_of(event->kind);
    EXPECT_GT(event->time.time_since_epoch().count(), 0);
    EXPECT_GT(event->sequence, sequence);
    sequence = event->sequence;
  }
  for (const EventKind kind : all_event_kinds()) {
    if (kOfContainment.with(kOfEvaluations).has(kind)) continue;
    EXPECT_THAT(of(kind), Not(IsEmpty())) << name_of(kind);
  }
  EXPECT_EQ(events.lost(), 0U);
}

// The one correlation of all events that wait, or 0.
std::uint64_t shared_correlation(Subscription& events) {
  std::set<std::uint64_t> all;
  while (const EventPtr event = events.next()) all.insert(event->correlation.id);
  return all.size() == 1 ? *all.begin() : 0;
}

// O01: a correlation is that of the operation, whichever thread publishes it.
TEST_F(EventsTest, OfOneOperationShareACorrelationOfItsOwn) {
  auto events = *runtime_->subscribe(
      {.kinds = {EventKind::sandbox_created, EventKind::sandbox_status, EventKind::sandbox_destroyed,
                 EventKind::process_started, EventKind::process_exited, EventKind::module_loaded,
                 EventKind::module_staged, EventKind::module_reloaded, EventKind::module_rolled_back}});
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"x", "y"}));
  std::string changed(kCounter);
  changed.insert(changed.size() - 1, "(func (export \"more\"))");
  std::string other = changed;
  other.insert(other.size() - 1, "(func (export \"most\"))");
  std::vector<std::uint64_t> seen{shared_correlation(events)};
  const std::vector<std::function<bool()>> operations{
      [&] { return sandbox.stage("counter", Source::wat(changed)).has_value(); },
      [&] { return sandbox.reload("counter", Source::wat(other)).has_value(); },
      [&] { return sandbox.rollback("counter", 1, {.policy = ReloadPolicy{.drop_exports = true}}).has_value(); },
      [&] { return sandbox.start_child(ChildSpec{.id = "z", .module = "counter"}).has_value(); },
      [&] { return sandbox.restart().has_value(); },
      [&] { return sandbox.stop().has_value(); },
      [&] { return runtime_->destroy("a").has_value(); }};
  for (const auto& operation : operations) {
    EXPECT_TRUE(operation());
    seen.push_back(shared_correlation(events));
  }
  EXPECT_THAT(seen, ::testing::Not(::testing::Contains(0U)));
  EXPECT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), seen.size()) << "each has one of its own";
}

// The events that wait, those of one operation in one text.
std::vector<std::string> by_operation(Subscription& events) {
  std::map<std::uint64_t, std::string> all;
  while (const EventPtr event = events.next()) {
    std::string& text = all[event->correlation.id];
    text.append(text.empty() ? "" : ", ").append(name_of(event->kind));
    if (!event->text("limit").empty()) {
      text.append(" ").append(event->text("limit")).append(" ").append(std::to_string(event->count("allowed")));
    }
    if (!event->text("to").empty()) text.append(" ").append(event->text("to"));
  }
  std::vector<std::string> texts;
  for (auto& [correlation, text] : all) texts.push_back(std::move(text));
  return texts;
}

// O01, O05: a run is an operation of its own, and what is published about its end is what it was given.
TEST_F(EventsTest, OfARunHaveItsCorrelationAndItsLimits) {
  SandboxSpec spec = counter();
  spec.permissions = Permissions();
  Sandbox sandbox = create(spec);
  auto events = *runtime_->subscribe(
      {.kinds = {EventKind::run_start, EventKind::run_stop, EventKind::run_exception, EventKind::killed_resource_limit,
                 EventKind::killed_timeout, EventKind::module_rejected, EventKind::security_denied}});
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    static_cast<void>(sandbox.run("counter", "spin", {}, {.fuel_max = 1'000, .tier = tier}));
    static_cast<void>(sandbox.run("counter", "spin", {}, {.timeout = 5ms, .fuel_max = 1ULL << 60, .tier = tier}));
    EXPECT_THAT(by_operation(events), ElementsAre("run.start, killed.resource_limit fuel_max 1000, run.stop",
                                                  "run.start, killed.timeout execution_time_max 5000000, run.stop"));
  }
  const Source clock = Source::wat(R"((module (import "petri" "clock_ms" (func (result i64))) (func (export "f"))))");
  EXPECT_EQ(testing::not_error(sandbox.run(clock, "f"), ErrorCode::link_error), "");
  EXPECT_THAT(by_operation(events), ElementsAre("run.start, module.rejected, security.denied, run.exception"));
}

// O01: what a plan refuses was published, and audited, as a part of the reload before it.
TEST_F(EventsTest, OfAPlanHaveACorrelationOfTheirOwn) {
  Sandbox sandbox = create(counter());
  auto events = *runtime_->subscribe({.kinds = {EventKind::module_rejected}});
  const Source broken = Source::wat("(module");
  EXPECT_EQ(testing::not_error(sandbox.reload("counter", broken), ErrorCode::parse_failed), "");
  EXPECT_EQ(testing::not_error(sandbox.plan("counter", broken), ErrorCode::parse_failed), "");
  EXPECT_THAT(by_operation(events), ElementsAre("module.rejected", "module.rejected"));
  std::vector<std::string> ways;
  for (const AuditEntry& entry : runtime_->audit({.kind = AuditKind::module_rejected}).entries) {
    ways.push_back(std::get<std::string>(*entry.detail("way")));
  }
  EXPECT_THAT(ways, ElementsAre("reload", "plan"));
}

// O01: of both sandboxes.
TEST_F(EventsTest, OfASnapshotAndAForkHaveACorrelationOfTheirOwn) {
  Sandbox sandbox = create(counter());
  auto events =
      *runtime_->subscribe({.sandbox = "a", .kinds = {EventKind::sandbox_created, EventKind::sandbox_status}});
  ASSERT_TRUE(sandbox.stop());
  ASSERT_TRUE(sandbox.restart());
  ASSERT_TRUE(sandbox.snapshot());
  ASSERT_TRUE(runtime_->fork("a", "b"));
  EXPECT_THAT(by_operation(events), ElementsAre("sandbox.status stopping, sandbox.status stopped",
                                                "sandbox.status starting, sandbox.status running",
                                                "sandbox.status reloading, sandbox.status running",
                                                "sandbox.status reloading, sandbox.status running"));
}

// O02, O04: subscribers are notified of the switch before anything of the new version.
TEST_F(EventsTest, TellOfASwitchBeforeTheSandboxRunsAgain) {
  Sandbox sandbox = create(counter());
  std::string changed(kCounter);
  changed.insert(changed.size() - 1, "(func (export \"more\"))");
  for (const bool rolling : {false, true}) {
    auto events = *runtime_->subscribe({.kinds = {EventKind::sandbox_status, EventKind::module_reloaded}});
    ASSERT_TRUE(sandbox.reload("counter", Source::wat(changed), {.policy = ReloadPolicy{.rolling = rolling}}));
    std::vector<std::string> seen;
    while (const EventPtr event = events.next()) {
      seen.push_back(event->kind == EventKind::sandbox_status ? std::string(event->text("to")) : "reloaded");
    }
    EXPECT_THAT(seen, ElementsAre("reloading", "reloaded", "running"));
    changed.insert(changed.size() - 1, "(func (export \"most\"))");
  }
}

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
