// Area L: what is known of a sandbox while it runs, and after a start that failed.
#include "host/files/temporary_folder.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Pair;

// Answers whether it was granted a folder.
constexpr std::string_view kFolderGuest = R"((module
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "granted") (result i32) (i32.eqz (call $prestat (i32.const 3) (i32.const 0))))))";

class RecordTest : public RuntimeFixture {
 protected:
  // Each limit near that of the profile, and none the same.
  static LimitChanges all_changed(Profile profile) {
    LimitChanges changes;
    for (const LimitRule& rule : sandbox_limit_rules()) {
      const std::uint64_t own = limit_value(SandboxLimits::of(profile), rule);
      set_limit_value(changes, rule, own > rule.min ? own - 1 : own + 1);
    }
    return changes;
  }
  static SandboxSpec nothing_by_default() {
    SandboxSpec spec = counter();
    spec.modules.push_back({"other", Source::wat("(module (func (export \"f\")))")});
    spec.tree = SupervisorSpec{.strategy = Strategy::rest_for_one,
                               .intensity = 9,
                               .period = std::chrono::seconds(77),
                               .children = {ChildSpec{.id = "first", .module = "counter"},
                                            SupervisorSpec{.id = "pool",
                                                           .strategy = Strategy::one_for_all,
                                                           .children = {ChildSpec{.id = "second",
                                                                                  .module = "other",
                                                                                  .restart = RestartType::transient,
                                                                                  .shutdown = Shutdown::brutal(),
                                                                                  .input = "hello"}}}}};
    spec.profile = Profile::strict;
    spec.limits = all_changed(Profile::strict);
    spec.on_limit = {{"timers_max", OnLimit::kill}};
    spec.permissions = Permissions::standard();
    spec.imports = {.block = {"petri.random"}};
    spec.audit = AuditLevel::none;
    spec.deterministic = true;
    spec.labels = {"blue", "tall"};
    spec.recovery = Recovery{.actions = {{ErrorCategory::runtime, RecoveryAction::isolate}}, .retries_max = 7};
    spec.breaker = BreakerOptions{.limits_max = 3, .window = std::chrono::seconds(7), .pause = std::chrono::seconds(2)};
    spec.reload = ReloadPolicy{.state = StateWay::hooks,
                               .drop = true,
                               .drop_exports = true,
                               .rolling = true,
                               .trial = {.calls = 3, .time = std::chrono::seconds(4)},
                               .quiet_wait_max = std::chrono::seconds(6)};
    spec.arguments = {"one", "two"};
    spec.environment = {{"NAME", "value"}};
    spec.seed = 44;
    spec.generation = 12;
    spec.tier = Tier::compiled;
    return spec;
  }
  static void expect_as_in(const SandboxSpec& spec, const SandboxInfo& info) {
    EXPECT_EQ(info.id, spec.id);
    EXPECT_EQ(info.status, SandboxStatus::running);
    EXPECT_EQ(info.cause, "");
    EXPECT_EQ(info.failure, std::nullopt);
    EXPECT_EQ(info.profile, *spec.profile);
    EXPECT_EQ(info.imports, spec.imports);
    EXPECT_EQ(info.reject_findings, spec.reject_findings);
    EXPECT_EQ(info.audit, *spec.audit);
    EXPECT_EQ(info.deterministic, *spec.deterministic);
    EXPECT_EQ(info.tier, *spec.tier);
    EXPECT_EQ(info.folder, spec.folder);
    EXPECT_EQ(info.recovery, *spec.recovery);
    EXPECT_EQ(info.breaker, BreakerState::closed);
    EXPECT_EQ(info.breaker_opened, 0U);
    EXPECT_EQ(info.breaker_options, *spec.breaker);
    EXPECT_EQ(info.reload.drop, spec.reload->drop);
    EXPECT_EQ(info.reload.drop_exports, spec.reload->drop_exports);
    EXPECT_EQ(info.reload.rolling, spec.reload->rolling);
    EXPECT_EQ(info.reload.state, spec.reload->state);
    EXPECT_EQ(info.reload.trial.calls, spec.reload->trial.calls);
    EXPECT_EQ(info.reload.trial.time, spec.reload->trial.time);
    EXPECT_EQ(info.reload.quiet_wait_max, spec.reload->quiet_wait_max);
    EXPECT_EQ(info.arguments, spec.arguments);
    EXPECT_EQ(info.environment, spec.environment);
    EXPECT_EQ(info.seed, spec.seed);
    for (const LimitRule& rule : sandbox_limit_rules()) {
      const auto value = limit_value(spec.limits, rule);
      if (value) {
        EXPECT_EQ(limit_value(info.limits, rule), value) << rule.name;
      }
    }
    EXPECT_EQ(info.on_limit, spec.on_limit);
    EXPECT_EQ(info.permissions, *spec.permissions);
    EXPECT_EQ(info.labels, spec.labels);
    EXPECT_EQ(info.generation, spec.generation);
    EXPECT_EQ(info.tree, *spec.tree);
    const ArtifactId first = (*Artifact::from_wat(spec.modules[0].source.text(), 1 << 20))->id();
    EXPECT_THAT(info.modules, ElementsAre(ModuleSummary{"counter", first, 1}, Field(&ModuleSummary::name, "other")));
    EXPECT_EQ(info.usage.processes, 2U);
    EXPECT_EQ(info.usage.memory_bytes, 65'536U);
  }
};

TEST_F(RecordTest, ShowsWhereItsSourcesWereRead) {  // L03
  const TemporaryFolder folder;
  const std::string first = (folder / "first.wat").string(), second = (folder / "second.wat").string();
  folder.write("first.wat", kCounter);
  std::string more(kCounter);
  more.insert(more.size() - 1, "(func (export \"more\"))");
  folder.write("second.wat", more);
  Sandbox sandbox = create({.id = "a",
                            .modules = {{"counter", Source::file(first)}, {"text", Source::wat("(module)")}},
                            .breaker = BreakerOptions{.limits_max = 3}});
  const auto paths = [&] {
    std::vector<std::string> all;
    for (const ModuleSummary& module : sandbox.info().modules) all.push_back(module.path);
    return all;
  };
  EXPECT_THAT(paths(), ElementsAre(first, ""));
  ASSERT_TRUE(sandbox.reload("counter", Source::file(second)));
  EXPECT_THAT(paths(), ElementsAre(second, ""));
  ASSERT_TRUE(sandbox.restart());
  EXPECT_THAT(paths(), ElementsAre(second, ""));
  ASSERT_TRUE(sandbox.rollback("counter", 1, {.policy = ReloadPolicy{.drop_exports = true}}));
  EXPECT_THAT(paths(), ElementsAre(first, ""));
  EXPECT_EQ(sandbox.versions("counter")->front().path, second);
}

TEST_F(RecordTest, ShowsEverythingThatWasSetAlsoAfterARestart) {  // L03, L15
  const TemporaryFolder folder;
  SandboxSpec spec = nothing_by_default();
  spec.folder = folder.path().string();
  // Its endless loop would be a finding.
  spec.modules[0].source = Source::wat(R"((module (memory (export "memory") 1) (func (export "crash") unreachable)))");
  spec.reject_findings = Severity::high;
  const auto asked = std::chrono::system_clock::now();
  Sandbox sandbox = create(spec);
  const SandboxInfo before = sandbox.info();
  expect_as_in(spec, before);
  EXPECT_GE(before.created, asked);
  EXPECT_LE(before.created, before.updated);
  EXPECT_LE(before.updated, std::chrono::system_clock::now());
  EXPECT_EQ(before.restarts, 0U);
  EXPECT_EQ(before.supervisor_restarts, 0U);
  EXPECT_EQ(sandbox.children()[0].tier, Tier::compiled);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "first"), OutcomeKind::trapped), "");
  expect_restarts(sandbox, 1);
  expect_soon([&] { return sandbox.usage().processes == 2 ? "" : "its sibling is not back yet"; });
  const SandboxInfo after = sandbox.info();
  expect_as_in(spec, after);
  EXPECT_EQ(after.modules, before.modules);
  EXPECT_EQ(after.created, before.created);
  EXPECT_GE(after.updated, before.updated);
  EXPECT_EQ(after.restarts, 1U);
  EXPECT_EQ(after.supervisor_restarts, 1U);
  EXPECT_GT(after.usage.fuel_used, before.usage.fuel_used);
}

// Every field, none of them at its default: what JSON says is what a sandbox made of it shows. L15
TEST_F(RecordTest, ShowsEverythingThatASpecInJsonSays) {
  const TemporaryFolder folder;
  const auto spec = SandboxSpec::from_json(R"json({"id": "a",
      "modules": {"counter": {"wat": "(module (memory (export \"memory\") 1))"}},
      "tree": {"strategy": "rest_for_one", "intensity": 9, "children": [{"id": "first", "module": "counter"}]},
      "profile": {"name": "mine", "base": "strict", "limits": {"timers_max": 5}, "grant": ["random"], "deny": ["log"],
                  "imports": {"allow": ["petri", "wasi_snapshot_preview1"]}, "audit": "full", "reject_findings": "medium"},
      "limits": {"processes_max": 7}, "on_limit": {"timers_max": "kill"}, "permissions": ["clock", "file_read"],
      "imports": {"block": ["petri.random"]}, "reject_findings": "high", "audit": "none",
      "breaker": {"limits_max": 3, "window": "7s", "pause": "2s"},
      "recovery": {"runtime": "isolate", "retries_max": 7, "stable_after": "9s"},
      "reload": {"state": "described", "drop": true, "drop_exports": true, "rolling": true,
                 "trial": {"calls": 3, "time": "4s"}, "quiet_wait_max": "6s"},
      "arguments": ["one", "two"], "environment": {"NAME": "value"}, "labels": ["blue", "tall"], "generation": 12,
      "seed": 44, "deterministic": true, "tier": "compiled", "folder": ")json" +
                                           folder.path().string() + "\"}");
  ASSERT_TRUE(spec) << spec.error().message;
  const SandboxInfo info = create(*spec).info();
  EXPECT_EQ(info.profile.name, "mine");
  EXPECT_EQ(info.profile.base, Profile::strict);
  EXPECT_EQ(info.profile.grant, Permissions{Permission::random});
  EXPECT_EQ(info.profile.deny, Permissions{Permission::log});
  EXPECT_THAT(info.profile.imports.allow, ElementsAre("petri", "wasi_snapshot_preview1"));
  EXPECT_EQ(info.profile.audit, AuditLevel::full);
  EXPECT_EQ(info.profile.reject_findings, Severity::medium);
  EXPECT_EQ(info.limits.timers_max, 5U);
  EXPECT_EQ(info.limits.processes_max, 7U);
  EXPECT_EQ(info.on_limit, (LimitActions{{"timers_max", OnLimit::kill}}));
  EXPECT_EQ(info.permissions, (Permissions{Permission::clock, Permission::file_read}));
  EXPECT_THAT(info.imports.block, ElementsAre("petri.random"));
  EXPECT_EQ(info.reject_findings, Severity::high);
  EXPECT_EQ(info.audit, AuditLevel::none);
  EXPECT_EQ(info.breaker_options,
            (BreakerOptions{.limits_max = 3, .window = std::chrono::seconds(7), .pause = std::chrono::seconds(2)}));
  EXPECT_EQ(info.recovery, (Recovery{.actions = {{ErrorCategory::runtime, RecoveryAction::isolate}},
                                     .retries_max = 7,
                                     .stable_after = std::chrono::seconds(9)}));
  EXPECT_EQ(info.reload.state, StateWay::described);
  EXPECT_TRUE(info.reload.drop && info.reload.drop_exports && info.reload.rolling);
  EXPECT_EQ(info.reload.trial.calls, 3U);
  EXPECT_EQ(info.reload.trial.time, std::chrono::seconds(4));
  EXPECT_EQ(info.reload.quiet_wait_max, std::chrono::seconds(6));
  EXPECT_THAT(info.arguments, ElementsAre("one", "two"));
  EXPECT_THAT(info.environment, ElementsAre(Pair("NAME", "value")));
  EXPECT_THAT(info.labels, ElementsAre("blue", "tall"));
  EXPECT_EQ(info.generation, 12U);
  EXPECT_EQ(info.seed, 44U);
  EXPECT_TRUE(info.deterministic);
  EXPECT_EQ(info.tier, Tier::compiled);
  EXPECT_EQ(info.folder, folder.path().string());
  EXPECT_EQ(info.tree.strategy, Strategy::rest_for_one);
  EXPECT_EQ(info.tree.intensity, 9U);
}

TEST_F(RecordTest, IsLabelledWhileItRuns) {  // L06
  Sandbox sandbox = create(counter());
  ASSERT_TRUE(sandbox.label("blue"));
  ASSERT_TRUE(sandbox.label("blue")) << "it has it already";
  EXPECT_THAT(sandbox.info().labels, ElementsAre("blue"));
  EXPECT_EQ(runtime_->list({.label = "blue"}).total, 1U);
  EXPECT_EQ(sandbox.label("a b").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(sandbox.unlabel("red").error().message, "the sandbox a has no label red");
  ASSERT_TRUE(sandbox.unlabel("blue"));
  EXPECT_EQ(runtime_->list({.label = "blue"}).total, 0U);
}

TEST_F(RecordTest, CountsWhatLimitsHaveStopped) {  // L03
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"c"}, 100));
  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 65'536, .fuel_max = 1'000}));
  EXPECT_EQ(testing::not_kind(sandbox.call("spin"), OutcomeKind::out_of_fuel), "");
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {1}), -1), "");
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {1}), -1), "");
  EXPECT_THAT(sandbox.info().limits_met, ElementsAre(Pair("fuel_max", 1U), Pair("memory_bytes_max", 2U)));
}

TEST_F(RecordTest, FailsARestartThatDoesNotFitAndRunsOnceItDoes) {  // L26
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(R"((module (memory 3) (func (export "next") (result i32) (i32.const 1))))");
  spec.labels = {"blue"};
  Sandbox sandbox = create(spec);
  const SandboxInfo before = sandbox.info();
  ASSERT_TRUE(sandbox.stop());  // as long as the memory is in use, nobody may set less
  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 2 * 65'536}));
  const auto refused = sandbox.restart();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::start_failed);
  EXPECT_EQ(refused.error().detail("outcome"), "memory_limit");
  const SandboxInfo failed = sandbox.info();
  EXPECT_EQ(failed.status, SandboxStatus::failed);
  EXPECT_EQ(failed.cause, refused.error().message);
  EXPECT_EQ(failed.modules, before.modules);
  EXPECT_EQ(failed.labels, before.labels);
  EXPECT_EQ(failed.created, before.created);
  EXPECT_EQ(failed.usage.processes, 0U);
  EXPECT_EQ(failed.usage.memory_bytes, 0U);
  EXPECT_EQ(call(sandbox, "next").error().code, ErrorCode::rejected);

  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 3 * 65'536}));
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.info().cause, "");
  EXPECT_EQ(sandbox.info().restarts, 2U);
  EXPECT_EQ(next(sandbox), 1);
}

TEST_F(RecordTest, RestartsFromWhatItReadAtItsCreation) {  // L26
  const TemporaryFolder folder;
  folder.write("counter.wat", kCounter);
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::file((folder / "counter.wat").string());
  Sandbox sandbox = create(spec);
  const SandboxInfo before = sandbox.info();
  folder.write("counter.wat", "(module");
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.info().modules, before.modules);
  EXPECT_EQ(next(sandbox), 1);
}

TEST_F(RecordTest, ReadsAgainWhatCouldNotBeReadAtItsCreation) {  // L26, L16
  const TemporaryFolder folder;
  folder.write("counter.wat", "(module (func (export \"next\") (result i32)))");
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::file((folder / "counter.wat").string());
  const auto refused = runtime_->create_sandbox(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(runtime_->restart("a").error().message, refused.error().message);
  EXPECT_EQ(runtime_->info("a")->cause, refused.error().message);
  folder.write("counter.wat", kCounter);
  ASSERT_TRUE(runtime_->restart("a"));
  Sandbox sandbox = *runtime_->find("a");
  EXPECT_EQ(next(sandbox), 1);
}

// L13, L14: it is looked for with everything else, and a sandbox never runs without the folder it was to have.
TEST_F(RecordTest, RefusesAFolderThatIsNotThereAndTouchesNothing) {
  const TemporaryFolder above;
  above.write("file", "");
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(std::string(kFolderGuest));
  spec.limits = {.processes_max = 0};
  for (const std::string name : {"granted", "file"}) {
    spec.folder = (above / name).string();
    const auto refused = runtime_->create_sandbox(spec);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr(spec.folder), HasSubstr("processes_max")));
  }
  EXPECT_EQ(runtime_->list().total, 0U);
  spec.limits = {};
  spec.folder = above.path().string();
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(testing::not_value(sandbox.call("granted"), 1), "");
}

}  // namespace
}  // namespace petri
