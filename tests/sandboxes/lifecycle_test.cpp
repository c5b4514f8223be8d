// Area L: a sandbox is created, seen, restarted and removed, each step visible, none of them harming anything else.
#include <thread>

#include "lifecycle_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(LifecycleTest, CreatesASandboxFromAnIdAndAModule) {  // L01
  Sandbox sandbox = create(counter());
  const SandboxInfo info = sandbox.info();
  EXPECT_EQ(info.status, SandboxStatus::running);
  EXPECT_EQ(info.restarts, 0U);
  EXPECT_EQ(info.profile, Profile::standard);
  EXPECT_EQ(next(sandbox), 1);
}

TEST_F(LifecycleTest, ShowsEachStatusOnceAndInOrder) {  // L02, O01, O02
  runtime_ = *Runtime::create(in_tier_under_test({.workers = 2, .sampling_interval = std::chrono::nanoseconds(0)}));
  auto events = *runtime_->subscribe();
  const auto before = std::chrono::system_clock::now();
  create(tree(Strategy::one_for_one, {"x", "y"}));
  std::vector<std::string> seen;
  std::set<std::uint64_t> correlations;
  while (const EventPtr event = events.next()) {
    std::string text(name_of(event->kind));
    if (event->kind == EventKind::sandbox_status) {
      text = std::string(event->text("from")) + " > " + std::string(event->text("to"));
    }
    seen.push_back(text + (event->process.empty() ? "" : " " + event->process));
    correlations.insert(event->correlation.id);
    EXPECT_EQ(event->sandbox, "a");
    EXPECT_GE(event->time, before);
    EXPECT_LE(event->time, std::chrono::system_clock::now());
  }
  EXPECT_THAT(seen, ElementsAre("initializing > compiling", "module.loaded", "compiling > starting",
                                "process.started x", "process.started y", "starting > running", "sandbox.created"));
  EXPECT_THAT(correlations, SizeIs(1));
  EXPECT_THAT(correlations, ::testing::Not(::testing::Contains(0U)));
}

TEST_F(LifecycleTest, ReportsAFailureOnceAndWithItsCause) {  // O02
  auto events = *runtime_->subscribe({.kinds = {EventKind::sandbox_status, EventKind::sandbox_failed}});
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat("(module (func (export \"petri_init\") (result i32) unreachable))");
  const auto failed = runtime_->create_sandbox(spec);
  ASSERT_FALSE(failed);
  std::vector<std::string> seen;
  while (const EventPtr event = events.next()) {
    if (event->kind == EventKind::sandbox_failed) {
      seen.push_back(std::string(event->text("cause")) + ", " + std::string(event->text("class")) + ", " +
                     std::string(event->text("message")));
    } else {
      seen.push_back(std::string(event->text("from")) + " > " + std::string(event->text("to")) + " " +
                     std::string(event->text("cause")));
    }
  }
  const std::string why =
      "the child counter could not be started: it ended as trapped in call: unreachable in petri_init at byte 40";
  EXPECT_EQ(failed.error().message, why);
  EXPECT_THAT(seen, ElementsAre("initializing > compiling ", "compiling > starting ", "starting > failed " + why,
                                "start_failed, runtime, " + why));
}

TEST_F(LifecycleTest, NamesAnUnknownIdInEveryVerb) {  // L04
  const auto refusal = [](const auto& result) {
    return result ? "ok" : std::string(name_of(result.error().code)) + ": " + result.error().message;
  };
  const std::string unknown = "not_found: there is no sandbox ghost";
  EXPECT_EQ(refusal(runtime_->info("ghost")), unknown);
  EXPECT_EQ(refusal(runtime_->find("ghost")), unknown) << "usage and update_limits are of what find answers";
  EXPECT_EQ(refusal(runtime_->restart("ghost")), unknown);
  EXPECT_EQ(refusal(runtime_->stop("ghost")), unknown);
  EXPECT_EQ(refusal(runtime_->destroy("ghost")), unknown);
  EXPECT_EQ(refusal(runtime_->fork("ghost", "twin")), unknown);
  Sandbox gone = create(counter("ghost"));
  ASSERT_TRUE(runtime_->destroy("ghost"));
  const std::string destroyed = "not_found: there is no sandbox ghost: it was destroyed";
  EXPECT_EQ(refusal(gone.update_limits({.timers_max = 1})), destroyed);
  EXPECT_EQ(refusal(gone.update_permissions({})), destroyed);
  EXPECT_EQ(refusal(gone.restart()), destroyed);
  EXPECT_EQ(refusal(gone.stop()), destroyed);
  EXPECT_EQ(refusal(gone.call("next")), destroyed);
  EXPECT_EQ(refusal(gone.send("x")), destroyed);
  EXPECT_EQ(refusal(gone.run("counter", "next")), destroyed);
  EXPECT_EQ(gone.usage().processes, 0U);
  EXPECT_EQ(gone.usage().memory_bytes, 0U);
}

TEST_F(LifecycleTest, ListsByAgeInPages) {  // L05
  EXPECT_EQ(runtime_->list().total, 0U);
  for (int i = 0; i < 250; ++i) create(counter("s" + std::to_string(i)));
  std::vector<std::string> ids;
  for (std::size_t offset = 0; offset < 250; offset += 100) {
    const SandboxPage page = runtime_->list({.offset = offset, .limit = 100});
    EXPECT_EQ(page.total, 250U);
    for (const SandboxInfo& info : page.sandboxes) ids.push_back(info.id);
  }
  ASSERT_THAT(ids, SizeIs(250));
  for (int i = 0; i < 250; ++i) EXPECT_EQ(ids[static_cast<std::size_t>(i)], "s" + std::to_string(i));
}

TEST_F(LifecycleTest, FindsByLabelStatusAndGeneration) {  // L06
  SandboxSpec spec = counter("one");
  spec.labels = {"blue"};
  spec.generation = 3;
  create(spec);
  spec.id = "two";
  spec.generation = 4;
  create(spec);
  create(counter("three"));
  ASSERT_TRUE(runtime_->stop("two"));
  const auto found = [&](const SandboxQuery& query) {
    std::vector<std::string> ids;
    for (const SandboxInfo& info : runtime_->list(query).sandboxes) ids.push_back(info.id);
    return ids;
  };
  EXPECT_THAT(found({.label = "blue"}), ElementsAre("one", "two"));
  EXPECT_THAT(found({.generation = 3}), ElementsAre("one"));
  EXPECT_THAT(found({.status = SandboxStatus::stopped}), ElementsAre("two"));
  EXPECT_THAT(found({.status = SandboxStatus::running, .label = "blue"}), ElementsAre("one"));
  EXPECT_THAT(found({.label = "red"}), IsEmpty());
}

TEST_F(LifecycleTest, RefusesTheIdOfALiveSandboxAndLeavesThatAlone) {  // L07
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"x", "y"}));
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "x"), OutcomeKind::trapped), "");
  expect_restarts(sandbox, 1);
  EXPECT_EQ(next(sandbox, "x"), 1);
  const SandboxInfo before = sandbox.info();
  auto events = *runtime_->subscribe({.sandbox = "a"});
  const auto second = runtime_->create_sandbox(counter());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::already_exists);
  EXPECT_EQ(second.error().message, "there is a sandbox a already, and it is running");
  EXPECT_EQ(second.error().detail("status"), "running");
  EXPECT_EQ(second.error().detail("restarts"), "1");
  EXPECT_EQ(second.error().detail("supervisor_restarts"), "1");
  EXPECT_EQ(second.error().detail("processes"), "2");
  EXPECT_THAT(names(events), IsEmpty());
  const SandboxInfo after = sandbox.info();
  EXPECT_EQ(after.created, before.created);
  EXPECT_EQ(after.updated, before.updated);
  EXPECT_EQ(after.restarts, 1U);
  EXPECT_EQ(after.supervisor_restarts, 1U);
  EXPECT_EQ(after.usage.processes, 2U);
  EXPECT_EQ(after.usage.fuel_used, before.usage.fuel_used);
  EXPECT_EQ(after.tree, before.tree);
  EXPECT_EQ(next(sandbox, "x"), 2);
  EXPECT_EQ(next(sandbox, "y"), 1);
}

TEST_F(LifecycleTest, GivesTheIdOfADeadSandboxToANewOne) {  // L08
  for (const bool fails : {false, true}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"x", "y"}, 0);
    spec.recovery.emplace().actions = {{ErrorCategory::runtime, RecoveryAction::terminate}};
    Sandbox first = create(spec);
    std::string changed(kCounter);
    changed.insert(changed.size() - 1, "(func (export \"more\"))");
    ASSERT_TRUE(first.restart());
    ASSERT_TRUE(first.reload("counter", Source::wat(changed), {.policy = ReloadPolicy{.trial = {.calls = 0}}}));
    if (fails) {
      EXPECT_EQ(testing::not_kind(call(first, "crash", "x"), OutcomeKind::trapped), "");
      expect_status(first, SandboxStatus::failed);
    } else {
      ASSERT_TRUE(first.stop());
    }
    Sandbox second = create(counter());
    const SandboxInfo info = second.info();
    EXPECT_EQ(info.status, SandboxStatus::running);
    EXPECT_EQ(info.cause, "");
    EXPECT_EQ(info.restarts, 0U);
    EXPECT_EQ(info.supervisor_restarts, 0U);
    EXPECT_EQ(info.modules[0].version, 1U);
    EXPECT_THAT(*second.versions("counter"), SizeIs(1));
    EXPECT_EQ(info.usage.processes, 1U);
    EXPECT_EQ(runtime_->list().total, 1U);
    EXPECT_EQ(call(first, "next", "x").error().message, "there is no sandbox a: it was destroyed");
    EXPECT_EQ(next(second), 1);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

TEST_F(LifecycleTest, KeepsAFailedRecordWithItsCauseAndTheIdCanBeUsedAgain) {  // L16
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat("(module (func (export \"petri_init\") (result i32) unreachable))");
  const auto failed = runtime_->create_sandbox(spec);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::start_failed);
  EXPECT_THAT(failed.error().message, HasSubstr("trapped"));
  const auto info = runtime_->info("a");
  EXPECT_EQ(info->status, SandboxStatus::failed);
  EXPECT_EQ(info->cause, failed.error().message);
  EXPECT_EQ(info->usage.processes, 0U);
  EXPECT_EQ(info->usage.memory_bytes, 0U);
  spec.modules[0].source = Source::wat("(module (import \"no\" \"where\" (func)))");
  EXPECT_EQ(runtime_->create_sandbox(spec).error().code, ErrorCode::link_error);
  create(counter());
}

TEST_F(LifecycleTest, RunsPetriInitOfEachChildOnce) {  // L17
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(R"((module (global $n (mut i32) (i32.const 0))
    (func (export "petri_init") (result i32) (global.set $n (i32.add (global.get $n) (i32.const 1))) (i32.const 0))
    (func (export "inits") (result i32) (global.get $n))))");
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_value(sandbox.call("inits"), 1), "");
}

TEST_F(LifecycleTest, RunsTwoSandboxesOfOneSourceApartWithOneArtifact) {  // L18
  Sandbox one = create(counter("one")), two = create(counter("two"));
  EXPECT_EQ(next(one), 1);
  EXPECT_EQ(next(one), 2);
  EXPECT_EQ(next(two), 1);
  EXPECT_EQ(runtime_->info().artifacts, 1U);
}

TEST_F(LifecycleTest, LeavesNothingAfterDestroy) {  // L19, L20
  const testing::LeakCheck check(runtime_.get());
  {
    Sandbox sandbox = create(counter());
    EXPECT_EQ(next(sandbox), 1);
    ASSERT_TRUE(runtime_->destroy("a"));
    EXPECT_EQ(call(sandbox, "next").error().code, ErrorCode::not_found);
  }
  EXPECT_EQ(runtime_->info("a").error().code, ErrorCode::not_found);
  EXPECT_EQ(runtime_->list().total, 0U);
  if (tier_under_test() == "promoting") {
    expect_soon([&] { return runtime_->info().artifacts == 0 ? "" : "it is being compiled"; });
  }
  EXPECT_EQ(runtime_->info().artifacts, 0U);
  EXPECT_EQ(runtime_->info().memory_bytes, 0U);
  EXPECT_EQ(check.leaks(), "");
  EXPECT_EQ(runtime_->destroy("a").error().code, ErrorCode::not_found);
  create(counter());
  ASSERT_TRUE(runtime_->stop("a"));
  EXPECT_TRUE(runtime_->destroy("a"));
}

TEST_F(LifecycleTest, AnswersOthersWhileOneDestroyWaits) {  // L09, L21, X04
  SandboxSpec spec = counter("stubborn");
  spec.modules[0].source =
      Source::wat(R"((module (func (export "petri_terminate") (result i32) (loop $l (br $l)) (i32.const 0))))");
  spec.tree =
      SupervisorSpec{.children = {ChildSpec{
                         .id = "c", .module = "counter", .shutdown = Shutdown::after(std::chrono::milliseconds(100))}}};
  Sandbox stubborn = create(spec);
  std::jthread destroyer([&] { EXPECT_TRUE(runtime_->destroy("stubborn")); });
  expect_status(stubborn, SandboxStatus::stopping);
  const auto again = runtime_->create_sandbox(spec);
  EXPECT_EQ(again.error().code, ErrorCode::already_exists);
  EXPECT_EQ(again.error().detail("status"), "stopping");
  Sandbox other = create(counter("other"));
  EXPECT_EQ(next(other), 1);
  EXPECT_EQ(runtime_->info("stubborn")->status, SandboxStatus::stopping);
  EXPECT_EQ(runtime_->info("other")->status, SandboxStatus::running);
  EXPECT_EQ(runtime_->list().total, 2U);
  EXPECT_TRUE(runtime_->destroy("other"));
  destroyer.join();
  create(spec);
}

TEST_F(LifecycleTest, LetsTwoRuntimesHoldTheSameId) {  // L30
  Sandbox here = create(counter());
  EXPECT_EQ(next(here), 1);
  {
    auto other = *Runtime::create({.workers = 1});
    auto there = other->create_sandbox(counter());
    ASSERT_TRUE(there);
    EXPECT_EQ(other->list().total, 1U);
    EXPECT_EQ(next(*there), 1);
  }
  EXPECT_EQ(next(here), 2);
}

TEST_F(LifecycleTest, LeavesHandlesThatOutliveTheRuntime) {
  testing::ManualTime time;
  auto runtime = *Runtime::create({.workers = 1, .memory_budget_bytes = 1 << 20, .clock = time.clock()});
  Sandbox left = *runtime->create_sandbox(counter());
  time.advance(*runtime, std::chrono::seconds(1));
  EXPECT_EQ(testing::eventually(*runtime, [&] { return left.usage_history().empty() ? "no sample" : ""; }), "");
  runtime.reset();
  EXPECT_EQ(left.status(), SandboxStatus::stopped);
  EXPECT_EQ(left.info().usage.processes, 0U);
  EXPECT_EQ(left.usage().memory_bytes, 0U);
  EXPECT_EQ(testing::not_error(left.call("next"), ErrorCode::not_found), "");
  EXPECT_EQ(testing::not_error(left.run("counter", "next"), ErrorCode::not_found), "");
  EXPECT_EQ(testing::not_error(left.run(Source::wat("(module)"), "f"), ErrorCode::not_found), "");
  EXPECT_EQ(left.send("x").error().code, ErrorCode::not_found);
  EXPECT_EQ(left.update_limits({.timers_max = 1}).error().code, ErrorCode::not_found);
  EXPECT_EQ(left.update_permissions({}).error().code, ErrorCode::not_found);
  EXPECT_EQ(left.restart().error().code, ErrorCode::not_found);
}

// As long as the longest shutdown time, not as long as all of them.
TEST_F(LifecycleTest, EndsAllSandboxesOfARuntimeTogether) {
  constexpr int kSandboxes = 20;
  constexpr std::chrono::milliseconds kShutdown(200);
  std::vector<std::string> ended;
  std::mutex mutex;
  for (int i = 0; i < kSandboxes; ++i) {
    SandboxSpec spec = counter("s" + std::to_string(i));
    spec.tree = SupervisorSpec{
        .children = {ChildSpec{.id = "counter", .module = "counter", .shutdown = Shutdown::after(kShutdown)}}};
    Sandbox sandbox = create(spec);
    ASSERT_TRUE(sandbox.call_async("spin", {}, {}, [&](const Result<Outcome>& result) {
      const std::lock_guard lock(mutex);
      ended.push_back(result ? std::string(name_of(result->kind)) : std::string(name_of(result.error().code)));
    }));
  }
  const auto started = std::chrono::steady_clock::now();
  runtime_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - started, kSandboxes / 2 * kShutdown);
  EXPECT_THAT(ended, ::testing::Each("cancelled"));
  EXPECT_THAT(ended, SizeIs(kSandboxes));
}

}  // namespace
}  // namespace petri
