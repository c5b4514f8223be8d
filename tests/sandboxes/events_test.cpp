// Area O: what happens is published once, with its cause, and every event keeps to its table.
#include <functional>
#include <map>
#include <set>

#include "events_fixture.h"
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
// Events of no sandbox; evaluate_test.cpp, batches_test.cpp and collection_test.cpp have them. Those of compilers are
// in tests/compiling, those of watches in tests/watch.
constexpr EventKinds kOfEvaluations{EventKind::evaluate_start, EventKind::evaluate_stop,  EventKind::evaluate_exception,
                                    EventKind::batch_start,    EventKind::batch_stop,     EventKind::batch_exception,
                                    EventKind::compile_start,  EventKind::compile_stop,   EventKind::compile_exception,
                                    EventKind::gc_collected,   EventKind::watch_reloaded, EventKind::watch_failed,
                                    EventKind::watch_problem};

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

}  // namespace
}  // namespace petri
