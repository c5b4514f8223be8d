// Area L: the values that a call, a spec or a runtime leaves out.
#include <thread>

#include "lifecycle_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  EXPECT_EQ(info.defaults.limits, LimitChanges{});
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
            "defaults.id is no field here (there are arguments, audit, auto_reload, bounds, breaker, dead_keep, "
            "deterministic, environment, folder, generation, idle_keep, imports, labels, limits, mutation, on_limit, "
            "parents, "
            "permissions, profile, recovery, reject_findings, reload, seed, tier, tree); defaults.profile is \"none\" "
            "but can be strict, standard, trusted; "
            "quarantine.period is \"soon\" but must be a time such as 250ms or 10s; "
            "sampling_interval is not a string; "
            "worker is no field here (there are audit, breaker, compile, dead_keep, defaults, descriptors_max, "
            "descriptors_reserve, gc_interval, gc_retain_generations, limits, memory_budget_bytes, promote_fuel, "
            "promote_fuel_per_byte, "
            "promote_instances, promotion_time_max, quarantine, samples_max, sampling_interval, threads_max, "
            "threads_reserve, workers)");
  EXPECT_EQ(RuntimeOptions::from_json(R"({"limits": {"timers_max": 2000000, "threads_max": "x"}, "speed": 1,
                                          "defaults": {"limits": {"processes_max": 0}}})")
                .error()
                .message,
            "limits.threads_max is not an integer from 0 to 18446744073709551615; "
            "speed is no field here (there are audit, breaker, compile, dead_keep, defaults, descriptors_max, "
            "descriptors_reserve, gc_interval, gc_retain_generations, limits, memory_budget_bytes, promote_fuel, "
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

}  // namespace
}  // namespace petri
