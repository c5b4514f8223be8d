// Area P: what a guest may do, and what reports it when it may not.
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "host/files/temporary_folder.h"
#include "runtime_fixture.h"
#include "telemetry/event_rules_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int32_t kDenied = static_cast<std::int32_t>(GuestError::permission_denied);

// Asks for the time, by petri's function and by WASI's, and for something of the embedder's.
constexpr std::string_view kAsker = R"((module
  (import "petri" "clock_ms" (func $clock (result i64)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $wasi (param i32 i64 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "clock") (result i64) (call $clock))
  (func (export "wasi") (result i32) (call $wasi (i32.const 0) (i64.const 1) (i32.const 8)))
  (func (export "often") (param $n i32) (loop (drop (call $clock))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))))";

class PermissionsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  SandboxSpec asker(std::string id = "asker") {
    SandboxSpec spec{.id = std::move(id), .modules = {{"m", Source::wat(std::string(kAsker))}}};
    spec.tier = GetParam();
    return spec;
  }
  std::vector<AuditEntry> audit(const std::string& sandbox, AuditKind kind) const {
    return runtime_->audit({.sandbox = sandbox, .kind = kind}).entries;
  }
  static std::int64_t number(const Result<Outcome>& outcome) {
    EXPECT_EQ(testing::not_kind(outcome, OutcomeKind::ok), "");
    if (!outcome || outcome->values.empty()) return 0;
    const Value value = outcome->values[0];
    return value.type() == ValueType::i64 ? value.i64() : value.i32();
  }
  static std::string text(const AuditEntry& entry, std::string_view key) {
    const AuditValue* value = entry.detail(key);
    const auto* as_text = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return as_text == nullptr ? std::string() : *as_text;
  }
  static std::int64_t count(const AuditEntry& entry) { return std::get<std::int64_t>(*entry.detail("count")); }
};

TEST_P(PermissionsTest, AreTakenFromALiveSandboxAndGivenBack) {  // P15
  Sandbox sandbox = create(asker());
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::security_denied}});
  EXPECT_GT(number(sandbox.call("clock")), 0);
  EXPECT_EQ(number(sandbox.call("wasi")), 0);

  ASSERT_TRUE(sandbox.update_permissions(Permissions::standard().without(Permission::clock)));
  EXPECT_FALSE(sandbox.info().permissions.has(Permission::clock));
  EXPECT_EQ(number(sandbox.call("clock")), kDenied);
  EXPECT_EQ(number(sandbox.call("wasi")), 76);  // ENOTCAPABLE
  EXPECT_EQ(testing::not_kind(sandbox.call("often", {1'000}), OutcomeKind::ok), "");
  EXPECT_EQ(sandbox.call("clock")->counts.calls_refused, 1U);

  EXPECT_EQ(sandbox.info().denied.at("clock"), 1'003U);
  const auto entries = audit("asker", AuditKind::permission_denied);
  ASSERT_EQ(entries.size(), 4U) << "one for each call, whatever a call does";
  EXPECT_EQ(entries[2].cause, "clock");
  EXPECT_EQ(entries[2].process, "m");
  EXPECT_EQ(count(entries[2]), 1'000);
  std::size_t reported = 0;
  for (; const EventPtr event = events.next(); ++reported) {
    EXPECT_THAT(faults_of(*event), IsEmpty());
    EXPECT_EQ(event->text("permission"), "clock");
  }
  EXPECT_EQ(reported, 4U);
  EXPECT_THAT(runtime_->metrics(), HasSubstr("\npetri_denials_total{permission=\"clock\"} 1003\n"));

  ASSERT_TRUE(sandbox.update_permissions(Permissions::standard()));
  EXPECT_GT(number(sandbox.call("clock")), 0);
  const auto changes = audit("asker", AuditKind::permissions_changed);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_THAT(text(changes[0], "from"), HasSubstr("clock"));
  EXPECT_THAT(text(changes[0], "to"), Not(HasSubstr("clock")));
}

TEST_P(PermissionsTest, HoldForRunsToo) {  // P15
  Sandbox sandbox = create(asker());
  ASSERT_TRUE(sandbox.update_permissions({Permission::log}));
  const auto refused = sandbox.run("m", "clock");
  EXPECT_EQ(testing::not_error(refused, ErrorCode::link_error), "");
  EXPECT_EQ(refused.error().detail("permission"), "clock");
  EXPECT_EQ(audit("asker", AuditKind::module_rejected).size(), 1U);
}

// A handler that is under way when it happens notices it at its next call.
TEST_P(PermissionsTest, AreTakenInTheMiddleOfAHandler) {
  RuntimeOptions options = without_containment();
  Sandbox* taken = nullptr;
  ASSERT_TRUE(options.host.define("host", "take", [&taken] { EXPECT_TRUE(taken->update_permissions({})); }));
  ASSERT_TRUE(options.host.define("game", "move", [](std::int32_t from) { return from + 1; },
                                  {.permission = Permission::random}));
  ASSERT_TRUE(options.host.define("game", "speed", [] { return 1.5; }, {.permission = Permission::random}));
  runtime_ = *Runtime::create(std::move(options));
  SandboxSpec spec{.id = "game", .modules = {{"m", Source::wat(R"((module
      (import "host" "take" (func $take)) (import "game" "move" (func $move (param i32) (result i32)))
      (import "game" "speed" (func $speed (result f64)))
      (func (export "play") (result i32 i32 f64)
        (call $move (i32.const 6)) (call $take) (call $move (i32.const 6)) (call $speed))))")}}};
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  taken = &sandbox;
  const auto played = sandbox.call("play");
  ASSERT_EQ(testing::not_kind(played, OutcomeKind::ok), "");
  EXPECT_EQ(played->values[0], Value(7));
  EXPECT_EQ(played->values[1], Value(kDenied));
  EXPECT_TRUE(std::isnan(played->values[2].f64()));
  EXPECT_EQ(sandbox.info().denied.at("random"), 2U);
}

TEST_P(PermissionsTest, AreNamedByALinkError) {  // P04, P10, S20
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::security_denied, EventKind::module_rejected}});
  SandboxSpec spec = asker();
  spec.profile = Profile::strict;
  // Its start function would trap.
  std::string eager(kAsker);
  eager.insert(eager.size() - 1, " (func $start unreachable) (start $start)");
  spec.modules[0].source = Source::wat(eager);
  const auto refused = runtime_->create_sandbox(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::link_error);
  EXPECT_EQ(
      refused.error().message,
      "the module m: the import \"petri\".\"clock_ms\" needs the permission clock, which the guest does not have");
  EXPECT_EQ(refused.error().detail("permission"), "clock");
  EXPECT_EQ(runtime_->info("asker")->usage.fuel_used, 0U) << "none of its code has run";
  EXPECT_THAT(names(events), ::testing::ElementsAre("module.rejected", "security.denied"));
  const auto entries = audit("asker", AuditKind::module_rejected);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].cause, "link_error");
  EXPECT_EQ(text(entries[0], "permission"), "clock");
  EXPECT_EQ(text(entries[0], "class"), "security");
  EXPECT_EQ(text(entries[0], "way"), "create");
  EXPECT_EQ(runtime_->info("asker")->failure, ErrorCategory::security);
}

TEST_P(PermissionsTest, AreUsedUnderTheEyesOfAFullAudit) {  // P14
  SandboxSpec full = asker("full"), basic = asker("basic"), none = asker("none");
  full.audit = AuditLevel::full;
  none.audit = AuditLevel::none;
  for (const SandboxSpec& spec : {full, basic, none}) {
    Sandbox sandbox = create(spec);
    EXPECT_EQ(sandbox.info().audit, spec.audit.value_or(AuditLevel::basic));
    EXPECT_EQ(testing::not_kind(sandbox.call("often", {7}), OutcomeKind::ok), "");
    ASSERT_TRUE(sandbox.update_permissions({}));
    EXPECT_EQ(number(sandbox.call("clock")), kDenied);
  }
  const auto used = audit("full", AuditKind::permission_used);
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(count(used[0]), 7);
  EXPECT_THAT(audit("full", AuditKind::sandbox_status), Not(IsEmpty()));
  EXPECT_EQ(audit("full", AuditKind::permission_denied).size(), 1U);
  EXPECT_THAT(audit("basic", AuditKind::permission_used), IsEmpty());
  EXPECT_EQ(runtime_->audit({.sandbox = "basic"}).entries.size(), 2U);
  EXPECT_THAT(runtime_->audit({.sandbox = "none"}).entries, IsEmpty());
}

// P06
TEST_P(PermissionsTest, ToReadFilesEndAtTheFolder) {
  const TemporaryFolder folder, outside;
  std::ofstream(outside.path() / "secret") << "secret";
  std::ofstream(folder.path() / "plain") << "plain";
  std::filesystem::create_symlink(outside.path() / "secret", folder.path() / "link");
  const std::string absolute = (outside.path() / "secret").string();
  SandboxSpec spec{.id = "reader", .modules = {{"m", Source::wat(R"((module
      (import "wasi_snapshot_preview1" "path_open"
        (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
      (import "petri" "input_size" (func $size (result i32)))
      (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
      (memory (export "memory") 1)
      (func (export "open") (result i32)
        (drop (call $read (i32.const 0) (i32.const 0) (call $size)))
        (call $open (i32.const 3) (i32.const 0) (i32.const 0) (call $size) (i32.const 0) (i64.const 2) (i64.const 0)
                    (i32.const 0) (i32.const 1000)))))")}}};
  spec.folder = folder.path().string();
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  const auto open = [&](const std::string& path) { return number(sandbox.call("open", {}, {.input = path})); };
  EXPECT_EQ(open("plain"), 0);
  EXPECT_EQ(open("missing"), 44);
  EXPECT_THAT(audit("reader", AuditKind::permission_denied), IsEmpty());
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::security_denied}});
  constexpr std::int64_t kNotCapable = 76, kLoop = 32;
  for (const std::string& path :
       {std::string("../") + outside.path().filename().string() + "/secret", absolute, std::string("link")}) {
    EXPECT_EQ(open(path), path == "link" ? kLoop : kNotCapable) << path;
    const EventPtr event = events.next();
    ASSERT_NE(event, nullptr) << path;
    EXPECT_EQ(event->sandbox, "reader");
    EXPECT_EQ(event->process, "m");
    EXPECT_EQ(event->text("permission"), "file_read");
  }
  EXPECT_EQ(events.next(), nullptr);
  EXPECT_EQ(open("plain"), 0) << "it goes on";
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
  EXPECT_EQ(sandbox.info().denied.at("file_read"), 3U);
  const auto entries = audit("reader", AuditKind::permission_denied);
  ASSERT_EQ(entries.size(), 3U);
  for (const AuditEntry& entry : entries) {
    EXPECT_EQ(entry.cause, "file_read");
    EXPECT_EQ(entry.process, "m");
    EXPECT_EQ(count(entry), 1);
  }
}

// P08: whatever it calls the other's process, there is none of that name.
TEST_P(PermissionsTest, DoNotReachIntoAnotherSandbox) {
  const auto talker = [&](const std::string& id) {
    SandboxSpec spec{.id = id, .modules = {{"talker", Source::wat(R"((module
      (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
      (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
      (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
      (memory 1) (global $got (mut i32) (i32.const 0))
      (func (export "send") (result i32)
        (call $send (i32.const 0) (call $read (i32.const 0) (i32.const 0) (i32.const 100)) (i32.const 0) (i32.const 1)))
      (func (export "call") (result i32)
        (call $call (i32.const 0) (call $read (i32.const 0) (i32.const 0) (i32.const 100)) (i32.const 0) (i32.const 1)
                    (i32.const 0)))
      (func (export "got") (result i32) (global.get $got))
      (func (export "petri_handle") (result i32)
        (global.set $got (i32.add (global.get $got) (i32.const 1))) (i32.const 0))))")}}};
    spec.tier = GetParam();
    spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "of_" + id, .module = "talker"}}};
    return create(spec);
  };
  Sandbox here = talker("here"), there = talker("there");
  const Usage before = there.usage();
  Subscription events = *runtime_->subscribe({.sandbox = "there"});
  for (const char* name :
       {"of_there", "there/of_there", "there", "/there/of_there", "../there/of_there", "sandbox/of_there"}) {
    EXPECT_EQ(number(here.call("send", {}, {.input = name})), static_cast<std::int32_t>(GuestError::not_found)) << name;
    EXPECT_EQ(number(here.call("call", {}, {.input = name})), static_cast<std::int32_t>(GuestError::not_found)) << name;
  }
  EXPECT_EQ(number(here.call("send", {}, {.input = "of_here"})), 0) << "its own it does reach";
  EXPECT_EQ(number(here.call("got")), 1);
  EXPECT_EQ(there.usage().fuel_used, before.fuel_used);
  EXPECT_EQ(there.usage().messages, 0U);
  std::vector<std::string> reported = names(events);
  std::erase(reported, "usage.sampled");
  EXPECT_THAT(reported, IsEmpty());
  EXPECT_EQ(number(there.call("got")), 0);
}

TEST_P(PermissionsTest, DoNotMakeUpForWhatNobodyOffers) {  // P05
  struct Import {
    std::string_view wat, reported;
  };
  for (const Profile profile : {Profile::strict, Profile::standard, Profile::trusted}) {
    for (const auto& [wat, reported] : {
             Import{R"("petri" "fly" (func (param i32)))",
                    R"("petri"."fly" (a function of type (i32) -> ()) is offered)"},
             Import{R"("wasi_snapshot_preview1" "sock_open" (func (param i32 i32 i32) (result i32)))", "sock_open"},
             Import{R"("wasi_snapshot_preview1" "sock_recv" (func (result i32)))", "sock_recv"},
             Import{R"("petri" "input_size" (func (result i64)))", "() -> i64, but the host offers"},
             Import{R"("petri" "input_size" (memory 1))", "is a memory, but the host offers"},
         }) {
      SandboxSpec spec{.id = testing::unique_id("import"),
                       .modules = {{"m", Source::wat("(module (import " + std::string(wat) + "))")}}};
      spec.profile = profile;
      spec.tier = GetParam();
      const auto refused = runtime_->create_sandbox(spec);
      ASSERT_FALSE(refused) << wat;
      EXPECT_EQ(refused.error().code, ErrorCode::link_error) << wat;
      EXPECT_THAT(refused.error().message, HasSubstr(std::string(reported)));
    }
  }
}

TEST_P(PermissionsTest, ShowOfTheHostOnlyWhatTheSpecGives) {  // P07
  ASSERT_EQ(::setenv("PETRI_SECRET", "hidden", 1), 0);
  SandboxSpec spec{.id = "curious", .modules = {{"m", Source::wat(R"((module
      (import "wasi_snapshot_preview1" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "environ_get" (func $environ (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "args_sizes_get" (func $arg_sizes (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
      (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
      (memory (export "memory") 1)
      (func (export "show") (result i32)
        (drop (call $sizes (i32.const 0) (i32.const 4))) (drop (call $environ (i32.const 100) (i32.const 1000)))
        (drop (call $write (i32.const 1000) (i32.load (i32.const 4))))
        (drop (call $arg_sizes (i32.const 0) (i32.const 4))) (drop (call $args (i32.const 100) (i32.const 1000)))
        (drop (call $write (i32.const 1000) (i32.load (i32.const 4))))
        (drop (call $clock (i32.const 0) (i64.const 1) (i32.const 8)))
        (i32.wrap_i64 (i64.rem_u (i64.load (i32.const 8)) (i64.const 1000000))))))")}}};
  spec.environment = {{"HOME", "nowhere"}};
  spec.arguments = {"one"};
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  const auto shown = sandbox.call("show");
  ASSERT_EQ(testing::not_kind(shown, OutcomeKind::ok), "");
  EXPECT_EQ(shown->output, std::string("HOME=nowhere\0guest\0one\0", 23));
  EXPECT_EQ(shown->values[0], Value(0)) << "whole milliseconds";
  ASSERT_EQ(::unsetenv("PETRI_SECRET"), 0);
}

TEST_P(PermissionsTest, AreThoseOfTheProfile) {  // P01
  for (const ProfileRule& rule : profile_rules()) {
    SandboxSpec spec = counter(std::string(name_of(rule.profile)));
    spec.profile = rule.profile;
    const SandboxInfo info = create(spec).info();
    EXPECT_EQ(info.permissions, rule.permissions);
    EXPECT_EQ(info.audit, rule.audit);
    EXPECT_EQ(info.profile, ProfileSpec(rule.profile));
  }
}

INSTANTIATE_TEST_SUITE_P(BothTiers, PermissionsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
