// Area L: a spec that is wrong is refused with everything that is wrong with it, and touches nothing.
#include "lifecycle_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

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
  EXPECT_EQ(
      spec.error().message,
      "colour is no field here (there are arguments, audit, auto_reload, bounds, breaker, dead_keep, "
      "deterministic, environment, folder, generation, id, idle_keep, imports, labels, limits, modules, mutation, "
      "on_limit, parents, permissions, profile, recovery, reject_findings, reload, seed, tier, tree); "
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
  EXPECT_EQ(
      bad_module.error().message,
      R"(modules.m is not one of {"file": path}, {"folder": path}, {"wat": text} and {"language": name, "code": text})");
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

}  // namespace
}  // namespace petri
