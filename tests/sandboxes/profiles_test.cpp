// Area P: profiles of one's own, import lists, and what the scan may refuse.
#include "runtime_fixture.h"
#include "telemetry/event_rules_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

class ProfileTest : public RuntimeFixture {};

TEST_F(ProfileTest, OfOnesOwnDiffersFromItsBaseWhereItSaysSo) {  // P03
  SandboxSpec spec = counter();
  spec.profile = Profile::strict;
  spec.profile->name = "workshop";
  spec.profile->limits = {.processes_max = 7, .timers_max = 8};
  spec.profile->grant = {Permission::clock};
  spec.profile->deny = {Permission::spawn};
  spec.profile->audit = AuditLevel::basic;
  spec.limits = {.timers_max = 9};
  const SandboxInfo info = create(spec).info();
  SandboxLimits expected = SandboxLimits::of(Profile::strict);
  expected.processes_max = 7;
  expected.timers_max = 9;
  EXPECT_EQ(info.limits, expected);
  EXPECT_EQ(info.permissions.to_text(), "messages timers clock");
  EXPECT_EQ(info.audit, AuditLevel::basic);
  EXPECT_EQ(info.profile.title(), "workshop");
}

TEST_F(ProfileTest, MustNotContradictItself) {  // P02, P03, P09
  SandboxSpec spec = counter();
  spec.profile = ProfileSpec();
  spec.profile->grant = {Permission::log, Permission::clock};
  spec.profile->deny = {Permission::clock};
  spec.profile->imports = {.allow = {"math"}, .block = {"math", ""}};
  spec.recovery = Recovery{.retry_pause = std::chrono::seconds(0)};
  spec.breaker = BreakerOptions{.limits_max = 10'001, .pause = std::chrono::seconds(0)};
  const auto refused = runtime_->create_sandbox(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(refused.error().message,
            "profile.base: a profile of your own needs one of strict, standard, trusted as its base; "
            "profile grants and denies clock; "
            "profile.imports: an entry is empty: write an import module such as math, or a function such as petri.log; "
            "profile.imports: math is on the allow-list and on the block-list: take it off one of them; "
            "imports: the permission log is granted, but the lists allow no function that needs it; "
            "imports: the permission clock is granted, but the lists allow no function that needs it; "
            "recovery.retry_pause: retry_pause is 0 ns but goes from 1 ns to 24 hours; "
            "breaker.limits_max is 10001 but can be 10000 at most: each of them is remembered; "
            "breaker.pause is not longer than nothing (limits_max 0 turns it off)");
  EXPECT_EQ(runtime_->find("a").error().code, ErrorCode::not_found);
}

TEST_F(ProfileTest, OfHighSecurityWritesNoFiles) {  // P03
  SandboxSpec spec = counter();
  spec.profile = Profile::strict;
  spec.permissions = rule_of(Profile::strict).permissions.with(Permission::file_write);
  EXPECT_THAT(runtime_->create_sandbox(spec).error().message,
              HasSubstr("the profile strict and the permission file_write"));
  spec.permissions.reset();
  Sandbox sandbox = create(spec);
  const auto changed = sandbox.update_permissions({Permission::file_write});
  EXPECT_EQ(changed.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(sandbox.info().permissions, rule_of(Profile::strict).permissions);
}

TEST_F(ProfileTest, IsReadFromJson) {  // P02
  const auto spec = SandboxSpec::from_json(R"json({"id": "a", "modules": {"m": {"wat": "(module)"}},
      "profile": {"name": "quiet", "base": "trusted", "deny": ["log"], "grant": ["clock"], "limits": {"timers_max": 3},
                  "imports": {"block": ["petri.log"]}, "audit": "none"},
      "imports": {"allow": ["petri", "math"]}, "audit": "full",
      "breaker": {"limits_max": 3, "window": "5s", "pause": "10ms"},
      "recovery": {"runtime": "isolate", "system": "keep", "retries_max": 7, "retry_pause": "50ms"}})json");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->profile->title(), "quiet");
  EXPECT_EQ(spec->profile->base, Profile::trusted);
  EXPECT_EQ(spec->profile->deny, Permissions{Permission::log});
  EXPECT_EQ(spec->profile->imports.block, std::vector<std::string>{"petri.log"});
  EXPECT_EQ(spec->profile->audit, AuditLevel::none);
  EXPECT_EQ(spec->imports.allow, (std::vector<std::string>{"petri", "math"}));
  EXPECT_EQ(spec->audit, AuditLevel::full);
  EXPECT_EQ(spec->breaker->limits_max, 3U);
  EXPECT_EQ(spec->breaker->pause, std::chrono::milliseconds(10));
  EXPECT_EQ(spec->recovery->actions.at(ErrorCategory::runtime), RecoveryAction::isolate);
  EXPECT_EQ(spec->recovery->retries_max, 7U);
  const auto wrong = SandboxSpec::from_json(R"({"profile": "paranoid", "permissions": ["log", "net"],
      "imports": {"deny": []}, "audit": "all", "recovery": {"weather": "keep", "runtime": "rollup"},
      "breaker": {"limits_max": -1, "pause": "soon"}})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message,
            "audit is \"all\" but can be none, basic, full; "
            "breaker.limits_max is not an integer from 0 to 4294967295; "
            "breaker.pause is \"soon\" but must be a time such as 250ms or 10s; "
            "imports.deny is no field here (there are allow, block); "
            "permissions has net, but the permissions are messages timers spawn log clock random file_read file_write; "
            "profile is \"paranoid\" but can be strict, standard, trusted; "
            "recovery.runtime is \"rollup\" but can be keep, retry, rollback, restart, isolate, terminate; "
            "recovery.weather is no field here (there are compilation, resource, restarts_max, retries_max, "
            "retry_pause, retry_pause_max, rollback_within, runtime, security, stable_after, system)");
}

TEST_F(ProfileTest, HasImportListsThatTheGateAsks) {  // P09, P10, E12
  const std::string source = R"((module (import "math" "sin" (func (param f64) (result f64)))
      (import "petri" "exit" (func (param i32))) (func (export "f"))))";
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(source)}}};
  spec.imports = {.block = {"math.sin"}};
  const auto blocked = runtime_->create_sandbox(spec);
  EXPECT_EQ(blocked.error().code, ErrorCode::rejected);
  EXPECT_THAT(blocked.error().message, HasSubstr(R"(the import "math"."sin" is on the block-list of the sandbox)"));
  spec.imports = {};
  spec.profile = Profile::standard;
  spec.profile->name = "plain";
  spec.profile->imports = {.allow = {"math"}};
  const auto missing = runtime_->create_sandbox(spec);
  EXPECT_THAT(missing.error().message, HasSubstr(R"("petri"."exit" is not on the allow-list of the profile plain)"));

  spec.modules[0].source = Source::wat("(module (func (export \"f\")))");
  Sandbox sandbox = create(spec);
  EXPECT_EQ(sandbox.run(Source::wat(source), "f").error().code, ErrorCode::rejected);
  const auto entries = runtime_->audit({.sandbox = "a", .kind = AuditKind::module_rejected}).entries;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(std::get<std::string>(*entries[2].detail("way")), "run");
}

TEST_F(ProfileTest, MayRefuseWhatTheScanFinds) {  // P11
  const std::string endless = R"((module (func (export "f") (loop $again (br $again)))))";
  const std::string named = R"((module (func (export "os_system")) (memory 1 1) (data (i32.const 0) "Photos")))";
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(endless)}}};
  EXPECT_TRUE(runtime_->create_sandbox(spec));
  ASSERT_TRUE(runtime_->destroy("a"));
  spec.profile = Profile::standard;
  spec.profile->reject_findings = Severity::medium;
  const auto refused = runtime_->create_sandbox(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::rejected);
  EXPECT_THAT(refused.error().message, HasSubstr("endless_loop in function 0"));
  spec.modules[0].source = Source::wat(named);
  Sandbox sandbox = create(spec);
  EXPECT_EQ(sandbox.info().reject_findings, Severity::medium);
  EXPECT_EQ(testing::not_error(sandbox.run(Source::wat(endless), "f"), ErrorCode::rejected), "");
}

}  // namespace
}  // namespace petri
