// Area L: a sandbox is created, seen, restarted and removed, each step visible, none of them harming anything else.
#include <thread>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LifecycleTest : public RuntimeFixture {};

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

TEST_F(LifecycleTest, AcceptsGoodIdsAndNoOthers) {  // L10
  for (const std::string id : {"a", "0", "A-b_c", "x123"}) create(counter(id));
  create(counter(std::string(64, 'a')));
  for (const std::string& bad : {std::string(), std::string(65, 'a'), std::string("-a"), std::string("_a"),
                                 std::string("a/b"), std::string("../x"), std::string("a b"), std::string("é")}) {
    EXPECT_EQ(runtime_->create_sandbox(counter(bad)).error().code, ErrorCode::validation_failed) << bad;
  }
}

// A need that can never be met does not depend on which versions there are.
TEST_F(LifecycleTest, RefusesNeedsThatNoVersionMeets) {  // L11
  const auto refusal = [this](VersionNeeds needs) {
    SandboxSpec spec = counter();
    spec.modules[0].needs = std::move(needs);
    const auto made = runtime_->create_sandbox(std::move(spec));
    return made ? "made" : std::string(name_of(made.error().code)) + ": " + made.error().message;
  };
  EXPECT_EQ(refusal({{"store", {.min = 5, .max = 2}}}),
            "validation_failed: modules.counter.needs.store: no version of store lies between its min 5 and its max 2: "
            "min is 1 or "
            "more, and at most max");
  EXPECT_EQ(refusal({{"counter", {}}}),
            "validation_failed: modules.counter.needs.counter: a module does not need itself: leave it out");
  Sandbox sandbox = create(counter());
  const auto staged = sandbox.stage("counter", Source::wat("(module)"), {.needs = {{"counter", {.min = 2}}}});
  EXPECT_EQ(staged.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(staged.error().message, "the module counter needs itself: leave it out of its needs");
}

constexpr std::string_view kLimitNames =
    "execution_time_max, memory_bytes_max, fuel_max, module_bytes_max, file_bytes_max, files_max, disk_bytes_max, "
    "output_bytes_max, log_bytes_per_second_max, call_depth_max, process_memory_bytes_max, processes_max, "
    "cpu_percent_max, cpu_grace, message_queue_max, message_bytes_max, timers_max, descriptors_max, threads_max, "
    "state_bytes_max, versions_max, shutdown_max";

constexpr std::string_view kBadId =
    "id: \"../x\" cannot be the id of a sandbox: an id has 1 to 64 letters, digits, \"_\" or \"-\" and starts with a "
    "letter or digit; ";

TEST_F(LifecycleTest, ReportsEverythingThatIsWrongAtOnceAndTouchesNothing) {  // L11, L13, L14
  auto events = *runtime_->subscribe();
  SandboxSpec spec = counter("../x");
  spec.modules.push_back({"file", Source::file("no/such/file.wat")});
  spec.modules.push_back({"folder", Source::file("./.")});
  spec.limits = {.processes_max = 0};
  spec.profile = ProfileSpec();
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "child", .module = "ghost"}}};
  const auto refused = runtime_->create_sandbox(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(refused.error().message,
            std::string(kBadId) +
                "modules.file: there is no file no/such/file.wat; "
                "modules.folder: ./. is not a file; "
                "tree.children[0].module is \"ghost\", and the sandbox has no module of that name; "
                "profile.base: a profile of your own needs one of strict, standard, trusted as its base; "
                "limits.processes_max: processes_max is 0 but goes from 1 to 1,000,000");
  EXPECT_EQ(runtime_->list().total, 0U);
  EXPECT_EQ(runtime_->info().artifacts, 0U);
  EXPECT_EQ(events.next(), nullptr);
}

TEST_F(LifecycleTest, ReportsEverythingThatIsWrongWithAJsonSpecAtOnce) {  // L11, L13
  const auto spec = SandboxSpec::from_json(R"json({"id": "../x",
      "modules": {"folder": {"file": "./."}, "m": {"file": "no/such/file.wat"}},
      "limits": {"speed_max": 1, "processes_max": 0}, "profile": "none",
      "tree": {"children": [{"id": "child", "module": "ghost"}, {"id": "known", "module": "m"}]}})json");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(spec.error().message,
            "limits.speed_max: there is no limit \"speed_max\" (the limits are " + std::string(kLimitNames) +
                "); profile is \"none\" but can be strict, standard, trusted; " + std::string(kBadId) +
                "modules.folder: ./. is not a file; "
                "modules.m: there is no file no/such/file.wat; "
                "tree.children[0].module is \"ghost\", and the sandbox has no module of that name; "
                "limits.processes_max: processes_max is 0 but goes from 1 to 1,000,000");
  EXPECT_EQ(spec.error().detail("profile"), "is \"none\" but can be strict, standard, trusted");
}

// L11, L12: a limit of a profile was said to stand in the limits of the sandbox, and not at all beside other problems.
TEST_F(LifecycleTest, ReportsWhatIsWrongWithTheLimitsOfAProfileWithItsPlace) {
  const std::string unknown =
      "profile.limits.speed_max: there is no limit \"speed_max\" (the limits are " + std::string(kLimitNames) + ")";
  const auto spec = SandboxSpec::from_json(R"json({"id": "a", "modules": {"m": {"wat": "(module)"}},
      "profile": {"name": "own", "base": "none", "limits": {"speed_max": 1}}})json");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().message, "profile.base is \"none\" but can be strict, standard, trusted; " + unknown);
  SandboxSpec own = counter();
  own.profile = ProfileSpec(Profile::trusted);
  own.profile->limits = {.processes_max = 0};
  own.limits = {.processes_max = 0, .timers_max = 2'000'000};
  const auto refused = runtime_->create_sandbox(own);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "limits.processes_max: processes_max is 0 but goes from 1 to 1,000,000; "
            "limits.timers_max: timers_max is 2,000,000 but goes from 0 to 1,000,000; "
            "profile.limits.processes_max: processes_max is 0 but goes from 1 to 1,000,000");
}

TEST_F(LifecycleTest, RefusesAnUnknownFieldInJsonWithItsPlace) {  // L12
  const auto spec = SandboxSpec::from_json(R"json({"id": "a", "modules": {"m": {"wat": "(module)"}}, "colour": 1,
      "tree": {"children": [{"id": "c", "modul": "m"}]}, "limits": {"fuel_max": "much"},
      "reload": {"trial": {"long": 1}}, "on_limit": {"timers_max": "explode"}})json");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(spec.error().message,
            "colour is no field here (there are arguments, audit, breaker, deterministic, environment, folder, "
            "generation, id, imports, labels, limits, modules, on_limit, permissions, profile, recovery, "
            "reject_findings, reload, seed, tier, tree); "
            "limits.fuel_max is not an integer from 0 to 18446744073709551615; "
            "on_limit.timers_max is \"explode\" but can be refuse, kill; "
            "reload.trial.long is no field here (there are calls, time); "
            "tree.children[0].modul is no field here (there are id, module, restart, shutdown, input, input_hex); "
            "tree.children[0].module is missing");
}

TEST_F(LifecycleTest, DoesNotBlameWhatAJsonSpecLeavesOutOrCouldNotRead) {  // L11
  const auto without_modules =
      SandboxSpec::from_json(R"({"seed": -1, "tree": {"children": [{"id": "c", "module": "m"}]}})");
  EXPECT_EQ(without_modules.error().message, "seed is not an integer from 0 to 18446744073709551615");
  const auto bad_module =
      SandboxSpec::from_json(R"({"modules": {"m": {"url": "x"}}, "tree": {"children": [{"id": "c", "module": "m"}]}})");
  EXPECT_EQ(bad_module.error().message, R"(modules.m is not one of {"file": path} and {"wat": text})");
  EXPECT_EQ(SandboxSpec::from_json("[]").error().message, "the spec of a sandbox is not a JSON object");
  EXPECT_EQ(SandboxSpec::from_json("{").error().code, ErrorCode::parse_failed);
}

TEST_F(LifecycleTest, CreatesFromJson) {
  const auto spec = SandboxSpec::from_json(R"json({"id": "a",
      "modules": {"m": {"wat": "(module (func (export \"f\") (result i32) (i32.const 7)))"}},
      "limits": {"fuel_max": 10}, "on_limit": {"timers_max": "kill"}, "labels": ["blue"], "permissions": ["log"], "profile": "high", "seed": 4,
      "deterministic": true, "tier": "interpreted"})json");
  ASSERT_TRUE(spec) << spec.error().message;
  Sandbox sandbox = create(*spec);
  EXPECT_EQ(sandbox.info().limits.fuel_max, 10U);
  EXPECT_EQ(sandbox.info().profile, Profile::strict);
  EXPECT_EQ(sandbox.info().on_limit.at("timers_max"), OnLimit::kill);
  EXPECT_EQ(sandbox.info().seed, 4U);
  EXPECT_TRUE(sandbox.info().deterministic);
  EXPECT_EQ(sandbox.info().tier, Tier::interpreted);
  EXPECT_THAT(sandbox.info().labels, ElementsAre("blue"));
  EXPECT_EQ(testing::not_value(sandbox.call("f"), 7), "");
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

TEST_F(LifecycleTest, StopsAndStartsAgain) {  // L22
  auto events = *runtime_->subscribe({.kinds = {EventKind::sandbox_status}});
  SandboxSpec spec = counter();
  spec.labels = {"blue"};
  Sandbox sandbox = create(spec);
  EXPECT_EQ(next(sandbox), 1);
  const SandboxInfo before = sandbox.info();
  ASSERT_TRUE(sandbox.stop());
  EXPECT_EQ(sandbox.status(), SandboxStatus::stopped);
  EXPECT_EQ(sandbox.usage().processes, 0U);
  EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
  EXPECT_EQ(sandbox.info().modules, before.modules);
  EXPECT_EQ(sandbox.info().labels, before.labels);
  EXPECT_THAT(*sandbox.versions("counter"), SizeIs(1));
  EXPECT_EQ(sandbox.history("counter")->active, 1U);
  EXPECT_EQ(runtime_->list({.status = SandboxStatus::stopped, .label = "blue"}).total, 1U);
  EXPECT_EQ(call(sandbox, "next").error().code, ErrorCode::rejected);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
  EXPECT_EQ(next(sandbox), 1);
  std::vector<std::string> seen;
  while (const EventPtr event = events.next()) seen.emplace_back(event->text("to"));
  EXPECT_THAT(seen, ElementsAre("compiling", "starting", "running", "stopping", "stopped", "starting", "running"));
}

TEST_F(LifecycleTest, CountsRestartsAndKeepsWhatItIs) {  // L15, L23, L25
  SandboxSpec spec = counter();
  spec.limits = {.processes_max = 7};
  spec.labels = {"blue"};
  Sandbox sandbox = create(spec);
  const SandboxInfo before = sandbox.info();
  for (std::uint64_t count = 1; count <= 3; ++count) {
    EXPECT_EQ(next(sandbox), 1);
    ASSERT_TRUE(sandbox.restart());
    EXPECT_EQ(sandbox.info().restarts, count);
    EXPECT_EQ(sandbox.status(), SandboxStatus::running);
  }
  const SandboxInfo after = sandbox.info();
  EXPECT_EQ(after.created, before.created);
  EXPECT_GE(after.updated, before.updated);
  EXPECT_EQ(after.limits, before.limits);
  EXPECT_EQ(after.labels, before.labels);
  EXPECT_EQ(after.modules, before.modules);
}

TEST_F(LifecycleTest, CountsRestartsOfTheSupervisorApart) {  // L27
  Sandbox sandbox = create(counter());
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash"), OutcomeKind::trapped), "");
  expect_restarts(sandbox, 1);
  EXPECT_EQ(sandbox.info().restarts, 0U);
}

TEST_F(LifecycleTest, FailsWithTheCauseWhenTheSupervisorGivesUp) {  // L28
  SandboxSpec spec = tree(Strategy::one_for_one, {"one"}, 0);
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash"), OutcomeKind::trapped), "");
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_THAT(sandbox.info().cause, AllOf(HasSubstr("one"), HasSubstr("trapped")));
  EXPECT_EQ(sandbox.usage().processes, 0U);
  EXPECT_EQ(call(sandbox, "next").error().code, ErrorCode::rejected);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(next(sandbox), 1);
}

TEST_F(LifecycleTest, LetsSeveralFailAtOnce) {  // L29
  std::vector<Sandbox> sandboxes;
  for (const std::string id : {"x", "y", "z"}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"one"}, 0);
    spec.id = id;
    sandboxes.push_back(create(spec));
  }
  {
    std::vector<std::jthread> threads;
    for (Sandbox& sandbox : sandboxes) threads.emplace_back([&] { static_cast<void>(call(sandbox, "crash")); });
  }
  for (Sandbox& sandbox : sandboxes) {
    expect_status(sandbox, SandboxStatus::failed);
    EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
    EXPECT_EQ(sandbox.usage().processes, 0U);
  }
  EXPECT_EQ(runtime_->list().total, 3U);
  create(counter());
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

TEST_F(LifecycleTest, TakesLimitsFromTheSpecBeforeTheRuntime) {  // L31
  const auto runtime = *Runtime::create({.workers = 1, .limits = {.processes_max = 5, .timers_max = 6}});
  SandboxSpec spec = counter();
  spec.limits = {.processes_max = 9};
  ASSERT_TRUE(runtime->create_sandbox(spec));
  EXPECT_EQ(runtime->info("a")->limits.processes_max, 9U);
  EXPECT_EQ(runtime->info("a")->limits.timers_max, 6U);
  EXPECT_EQ(Runtime::create({.workers = 1, .limits = {.processes_max = 0}}).error().code, ErrorCode::validation_failed);
}

// L31: of the three who may say how much fuel and time there is, and in which tier, the nearest is heard.
TEST_F(LifecycleTest, TakesWhatACallSaysBeforeTheSandboxAndThatBeforeTheRuntime) {
  RuntimeOptions options = without_containment({.workers = 1, .limits = {.fuel_max = 3'000}});
  options.defaults.tier = Tier::interpreted;
  const auto runtime = *Runtime::create(std::move(options));
  Sandbox plain = *runtime->create_sandbox(counter());
  SandboxSpec own = counter("b");
  own.limits = {.fuel_max = 2'000};
  own.tier = Tier::compiled;
  Sandbox special = *runtime->create_sandbox(own);
  const auto ended = [](const Result<Outcome>& outcome) {
    return outcome ? std::string(name_of(outcome->kind)) + " " + std::to_string(outcome->fuel_used) + " " +
                         std::string(name_of(outcome->tier))
                   : outcome.error().message;
  };
  EXPECT_EQ(ended(plain.run("counter", "spin")), "out_of_fuel 3000 interpreted");
  EXPECT_EQ(ended(special.run("counter", "spin")), "out_of_fuel 2000 compiled");
  EXPECT_EQ(ended(plain.run("counter", "spin", {}, {.fuel_max = 1'000, .tier = Tier::compiled})),
            "out_of_fuel 1000 compiled");
  EXPECT_EQ(ended(special.run("counter", "spin", {}, {.fuel_max = 1'000, .tier = Tier::interpreted})),
            "out_of_fuel 1000 interpreted");
}

TEST_F(LifecycleTest, StartsEmptyAndEchoesItsDefaults) {  // L31
  const RuntimeOptions defaults;
  const auto runtime = *Runtime::create();
  const RuntimeInfo info = runtime->info();
  EXPECT_EQ(info.sandboxes, 0U);
  EXPECT_EQ(info.artifacts, 0U);
  EXPECT_EQ(info.memory_bytes, 0U);
  EXPECT_EQ(info.descriptors, 0U);
  EXPECT_EQ(info.quarantined, 0U);
  EXPECT_EQ(runtime->list().total, 0U);
  EXPECT_THAT(runtime->audit().entries, IsEmpty());

  EXPECT_EQ(info.workers, std::thread::hardware_concurrency()) << "one a core";
  EXPECT_GT(info.descriptors_max, 0U) << "what the process may, less the reserve";
  EXPECT_EQ(info.threads_max, defaults.threads_max);
  EXPECT_EQ(info.threads_reserve, defaults.threads_reserve);
  EXPECT_EQ(info.descriptors_reserve, defaults.descriptors_reserve);
  EXPECT_EQ(info.sampling_interval, defaults.sampling_interval);
  EXPECT_EQ(info.samples_max, defaults.samples_max);
  EXPECT_EQ(info.promote_fuel, defaults.promote_fuel);
  EXPECT_EQ(info.promote_fuel_per_byte, defaults.promote_fuel_per_byte);
  EXPECT_EQ(info.promote_instances, defaults.promote_instances);
  EXPECT_EQ(info.promotion_time_max, defaults.promotion_time_max);
  EXPECT_EQ(info.compile.time_max, defaults.compile.time_max);
  EXPECT_EQ(info.compile.memory_bytes_max, defaults.compile.memory_bytes_max);
  EXPECT_EQ(info.audit.entries_max, defaults.audit.entries_max);
  EXPECT_EQ(info.audit.bytes_max, defaults.audit.bytes_max);
  EXPECT_EQ(info.quarantine.limits_max, defaults.quarantine.limits_max);
  EXPECT_EQ(info.quarantine.window, defaults.quarantine.window);
  EXPECT_EQ(info.quarantine.period, defaults.quarantine.period);
  EXPECT_EQ(info.memory_budget_bytes, 0U);
  EXPECT_EQ(info.defaults.breaker, defaults.breaker);
  EXPECT_THAT(info.defaults.limits, IsEmpty());
  EXPECT_EQ(info.defaults.profile, std::nullopt);
  EXPECT_EQ(info.defaults.tier, std::nullopt);
}

RuntimeOptions with_own_defaults() {
  RuntimeOptions options = without_containment({.workers = 1, .threads_max = 100, .limits = {.timers_max = 6}});
  SandboxSpec& defaults = options.defaults;
  defaults.profile = Profile::strict;
  defaults.limits = {.processes_max = 5};
  defaults.on_limit = {{"timers_max", OnLimit::kill}};
  defaults.permissions = Permissions{Permission::log};
  defaults.imports = {.block = {"petri.random"}};
  defaults.reject_findings = Severity::high;
  defaults.audit = AuditLevel::none;
  defaults.breaker = BreakerOptions{.limits_max = 9};
  defaults.recovery = Recovery{.restarts_max = 4};
  defaults.reload = ReloadPolicy{.drop = true};
  defaults.arguments = {"one"};
  defaults.environment = {{"A", "1"}};
  defaults.labels = {"mine"};
  defaults.generation = 3;
  defaults.seed = 8;
  defaults.deterministic = true;
  defaults.tier = Tier::interpreted;
  return options;
}

TEST_F(LifecycleTest, TakesWhatASpecLeavesOutFromTheRuntime) {  // L31
  const auto runtime = *Runtime::create(with_own_defaults());
  const auto created =
      runtime->create_sandbox({.id = "a", .modules = {{"m", Source::wat("(module (func (export \"f\")))")}}});
  ASSERT_TRUE(created) << created.error().message;
  const SandboxInfo info = *runtime->info("a");
  EXPECT_EQ(info.profile, Profile::strict);
  EXPECT_EQ(info.limits.processes_max, 5U);
  EXPECT_EQ(info.limits.timers_max, 6U);
  EXPECT_EQ(info.limits.memory_bytes_max, SandboxLimits::of(Profile::strict).memory_bytes_max);
  EXPECT_EQ(info.on_limit.at("timers_max"), OnLimit::kill);
  EXPECT_EQ(info.permissions, Permissions{Permission::log});
  EXPECT_EQ(info.imports.block, std::vector<std::string>{"petri.random"});
  EXPECT_EQ(info.reject_findings, Severity::high);
  EXPECT_EQ(info.audit, AuditLevel::none);
  EXPECT_EQ(info.breaker_options.limits_max, 9U);
  EXPECT_EQ(info.recovery.restarts_max, 4U);
  EXPECT_TRUE(info.reload.drop);
  EXPECT_THAT(info.arguments, ElementsAre("one"));
  EXPECT_EQ(info.environment.at("A"), "1");
  EXPECT_THAT(info.labels, ElementsAre("mine"));
  EXPECT_EQ(info.generation, 3U);
  EXPECT_EQ(info.seed, 8U);
  EXPECT_TRUE(info.deterministic);
  EXPECT_EQ(info.tier, Tier::interpreted);
}

TEST_F(LifecycleTest, TakesWhatASpecSaysBeforeTheRuntime) {  // L31
  const auto runtime = *Runtime::create(with_own_defaults());
  SandboxSpec spec = counter();
  spec.profile = Profile::standard;
  spec.limits = {.processes_max = 7};
  spec.on_limit = {{"timers_max", OnLimit::refuse}};
  spec.imports = {.block = {"petri.log"}};
  spec.permissions = Permissions{Permission::clock};
  spec.breaker = BreakerOptions{.limits_max = 2};
  spec.recovery = Recovery{};
  spec.reload = ReloadPolicy{};
  spec.arguments = {"two"};
  spec.environment = {{"B", "2"}};
  spec.labels = {"yours"};
  spec.generation = 0;
  spec.seed = 0;
  spec.deterministic = false;
  spec.tier = Tier::automatic;
  ASSERT_TRUE(runtime->create_sandbox(spec));
  const SandboxInfo info = *runtime->info("a");
  EXPECT_EQ(info.profile, Profile::standard);
  EXPECT_EQ(info.limits.processes_max, 7U);
  EXPECT_EQ(info.on_limit.at("timers_max"), OnLimit::refuse);
  EXPECT_EQ(info.imports.block, std::vector<std::string>{"petri.log"});
  EXPECT_EQ(info.permissions, Permissions{Permission::clock});
  EXPECT_EQ(info.reject_findings, std::nullopt) << "that of the profile the spec names";
  EXPECT_EQ(info.audit, AuditLevel::basic);
  EXPECT_EQ(info.breaker_options.limits_max, 2U);
  EXPECT_EQ(info.recovery, Recovery{});
  EXPECT_FALSE(info.reload.drop);
  EXPECT_THAT(info.arguments, ElementsAre("two"));
  EXPECT_THAT(info.environment, ElementsAre(::testing::Pair("B", "2")));
  EXPECT_THAT(info.labels, ElementsAre("yours"));
  EXPECT_EQ(info.generation, 0U);
  EXPECT_EQ(info.seed, 0U);
  EXPECT_FALSE(info.deterministic);
  EXPECT_EQ(info.tier, Tier::automatic);
}

TEST_F(LifecycleTest, EchoesTheOptionsOfTheRuntime) {  // L31
  const auto options = RuntimeOptions::from_json(R"json({"workers": 1, "threads_max": 99, "threads_reserve": 11,
      "descriptors_max": 50, "descriptors_reserve": 7, "sampling_interval": "2s", "samples_max": 8, "promote_fuel": 1,
      "promote_fuel_per_byte": 2, "promote_instances": 3, "promotion_time_max": "4s",
      "compile": {"time_max": "5s", "memory_bytes_max": 6000000}, "audit": {"entries_max": 70, "bytes_max": 200000},
      "quarantine": {"limits_max": 8, "window": "9s", "period": "10s"}, "breaker": {"limits_max": 11},
      "memory_budget_bytes": 12000000, "limits": {"timers_max": 13},
      "defaults": {"profile": "trusted", "seed": 14, "recovery": {"runtime": "keep"}}})json");
  ASSERT_TRUE(options) << options.error().message;
  const RuntimeInfo info = (*Runtime::create(*options))->info();
  using namespace std::chrono_literals;
  EXPECT_EQ(info.workers, 1U);
  EXPECT_EQ(info.threads_max, 99U);
  EXPECT_EQ(info.threads_reserve, 11U);
  EXPECT_EQ(info.descriptors_max, 50U);
  EXPECT_EQ(info.descriptors_reserve, 7U);
  EXPECT_EQ(info.sampling_interval, 2s);
  EXPECT_EQ(info.samples_max, 8U);
  EXPECT_EQ(info.promote_fuel, 1U);
  EXPECT_EQ(info.promote_fuel_per_byte, 2U);
  EXPECT_EQ(info.promote_instances, 3U);
  EXPECT_EQ(info.promotion_time_max, 4s);
  EXPECT_EQ(info.compile.time_max, 5s);
  EXPECT_EQ(info.compile.memory_bytes_max, 6'000'000U);
  EXPECT_EQ(info.audit.entries_max, 70U);
  EXPECT_EQ(info.audit.bytes_max, 200'000U);
  EXPECT_EQ(info.quarantine.limits_max, 8U);
  EXPECT_EQ(info.quarantine.window, 9s);
  EXPECT_EQ(info.quarantine.period, 10s);
  EXPECT_EQ(info.memory_budget_bytes, 12'000'000U);
  EXPECT_EQ(info.defaults.breaker->limits_max, 11U);
  EXPECT_EQ(info.defaults.limits.timers_max, 13U);
  EXPECT_EQ(info.defaults.profile, ProfileSpec(Profile::trusted));
  EXPECT_EQ(info.defaults.seed, 14U);
  EXPECT_EQ(info.defaults.recovery->actions.at(ErrorCategory::runtime), RecoveryAction::keep);
}

TEST_F(LifecycleTest, RefusesOptionsOfARuntimeWithEverythingThatIsWrong) {  // L31
  EXPECT_EQ(RuntimeOptions::from_json(R"({"worker": 2, "sampling_interval": 3, "quarantine": {"period": "soon"},
                                          "defaults": {"profile": "none", "id": "x"}})")
                .error()
                .message,
            "defaults.id is no field here (there are arguments, audit, breaker, deterministic, environment, folder, "
            "generation, imports, labels, limits, on_limit, permissions, profile, recovery, reject_findings, reload, "
            "seed, tier, tree); defaults.profile is \"none\" but can be strict, standard, trusted; "
            "quarantine.period is \"soon\" but must be a time such as 250ms or 10s; "
            "sampling_interval is not a string; "
            "worker is no field here (there are audit, breaker, compile, defaults, descriptors_max, "
            "descriptors_reserve, limits, memory_budget_bytes, promote_fuel, promote_fuel_per_byte, "
            "promote_instances, promotion_time_max, quarantine, samples_max, sampling_interval, threads_max, "
            "threads_reserve, workers)");
  EXPECT_EQ(RuntimeOptions::from_json(R"({"limits": {"timers_max": 2000000, "threads_max": "x"}, "speed": 1,
                                          "defaults": {"limits": {"processes_max": 0}}})")
                .error()
                .message,
            "limits.threads_max is not an integer from 0 to 18446744073709551615; "
            "speed is no field here (there are audit, breaker, compile, "
            "defaults, descriptors_max, descriptors_reserve, limits, memory_budget_bytes, promote_fuel, "
            "promote_fuel_per_byte, promote_instances, promotion_time_max, quarantine, samples_max, "
            "sampling_interval, threads_max, threads_reserve, workers); "
            "limits.timers_max: timers_max is 2,000,000 but goes from 0 to 1,000,000; "
            "defaults.limits.processes_max: processes_max is 0 but goes from 1 to 1,000,000");
  EXPECT_EQ(RuntimeOptions::from_json(R"({"limits": {"fuel_max": 0}, "defaults": {"on_limit": {"fuel_max": "kill"}}})")
                .error()
                .message,
            "limits.fuel_max: fuel_max is 0 but goes from 1 to 4,611,686,018,427,387,904; "
            "defaults.on_limit.fuel_max: nothing is refused to a guest by \"fuel_max\" (those that can end a guest "
            "instead are memory_bytes_max, file_bytes_max, files_max, disk_bytes_max, output_bytes_max, "
            "log_bytes_per_second_max, process_memory_bytes_max, processes_max, message_queue_max, "
            "message_bytes_max, timers_max, descriptors_max)");
  RuntimeOptions options{.workers = 1, .limits = {.processes_max = 0}};
  options.defaults.id = "x";
  options.defaults.folder = "no/such/folder";
  options.defaults.limits = {.timers_max = 2'000'000};
  EXPECT_EQ(Runtime::create(std::move(options)).error().message,
            "limits.processes_max: processes_max is 0 but goes from 1 to 1,000,000; "
            "defaults.id is of one sandbox alone and has no default: leave it empty; "
            "defaults.folder: there is no folder no/such/folder; "
            "defaults.limits.timers_max: timers_max is 2,000,000 but goes from 0 to 1,000,000");
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
