// Repeated failures: the breaker of a sandbox, quarantine, and a host without memory to spare.
#include <fmt/format.h>

#include "host/files/temporary_folder.h"
#include "runtime_fixture.h"
#include "telemetry/event_rules_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class ContainmentTest : public RuntimeFixture {
 protected:
  ~ContainmentTest() override { runtime_.reset(); }  // before its clock

  void start(RuntimeOptions options) {
    options.workers = 2;
    options.clock = time_.clock();
    runtime_ = *Runtime::create(std::move(options));
  }
  // A sandbox that is ended by its fuel as often as one likes.
  SandboxSpec burner(std::string id = "a") {
    SandboxSpec spec = counter(std::move(id));
    spec.tree = SupervisorSpec{.intensity = 1'000, .children = {ChildSpec{.id = "p", .module = "counter"}}};
    spec.limits = {.fuel_max = 1'000};
    return spec;
  }
  void burn(Sandbox& sandbox, int times) {
    for (int i = 0; i < times; ++i) {
      EXPECT_EQ(testing::not_kind(sandbox.call("spin"), OutcomeKind::out_of_fuel), "");
      expect_soon([&] { return sandbox.children()[0].status == "running" ? "" : sandbox.children()[0].status; });
    }
  }
  static std::vector<std::string> names_of(Subscription& events) {
    std::vector<std::string> all;
    while (const EventPtr event = events.next()) {
      EXPECT_THAT(faults_of(*event), IsEmpty());
      all.emplace_back(name_of(event->kind));
    }
    return all;
  }
  // "kind key value key value" of each that waits.
  static std::vector<std::string> with_numbers(Subscription& events) {
    std::vector<std::string> all;
    while (const EventPtr event = events.next()) {
      EXPECT_THAT(faults_of(*event), IsEmpty());
      std::string text(name_of(event->kind));
      for (const EventDetail& detail : event->details) {
        text += fmt::format(" {} {}", detail.key,
                            std::visit([](const auto& value) { return fmt::to_string(value); }, detail.value));
      }
      all.push_back(std::move(text));
    }
    return all;
  }
  std::vector<std::string> causes(const std::string& sandbox, AuditKind kind) const {
    std::vector<std::string> all;
    for (const AuditEntry& entry : runtime_->audit({.sandbox = sandbox, .kind = kind}).entries)
      all.push_back(entry.cause);
    return all;
  }

  // By which ways code was refused.
  std::vector<std::string> ways(const std::string& sandbox) const {
    std::vector<std::string> all;
    for (const AuditEntry& entry : runtime_->audit({.sandbox = sandbox, .kind = AuditKind::module_rejected}).entries) {
      all.push_back(std::get<std::string>(*entry.detail("way")));
    }
    return all;
  }

  testing::ManualTime time_;
};

TEST_F(ContainmentTest, OpensTheBreakerOfASandboxThatMeetsLimits) {  // Q27, O12
  start({.quarantine = {.limits_max = 0}});
  Sandbox sandbox = create(burner());
  Sandbox other = create(burner("b"));
  Subscription events = *runtime_->subscribe(
      {.kinds = {EventKind::breaker_opened, EventKind::breaker_half_open, EventKind::breaker_closed}});
  burn(sandbox, 5);
  EXPECT_EQ(sandbox.info().breaker, BreakerState::open);
  const std::uint64_t fuel_used = sandbox.usage().fuel_used;
  const auto refusal = [](const auto& result) { return result ? "ok" : result.error().message; };
  const std::string open = "the sandbox a met one limit after another, and its breaker is open: try again later";
  EXPECT_EQ(testing::not_error(sandbox.call("next"), ErrorCode::busy), "");
  EXPECT_EQ(refusal(sandbox.call("next")), open);
  EXPECT_EQ(refusal(sandbox.send("x")), open);
  EXPECT_EQ(refusal(sandbox.call_async("next", {}, {}, nullptr)), open);
  EXPECT_EQ(sandbox.usage().fuel_used, fuel_used) << "the guest is not entered";
  EXPECT_EQ(sandbox.usage().messages, 0U);
  EXPECT_EQ(testing::not_value(sandbox.run("counter", "next"), 1), "") << "a run is not refused";
  EXPECT_EQ(next(other), 1);

  time_.advance(*runtime_, 1s);
  EXPECT_EQ(testing::not_kind(sandbox.call("spin"), OutcomeKind::out_of_fuel), "") << "the trial";
  EXPECT_EQ(testing::not_error(sandbox.call("next"), ErrorCode::busy), "");
  time_.advance(*runtime_, 1s);
  expect_soon([&] { return sandbox.children()[0].status == "running" ? "" : "not yet"; });
  EXPECT_EQ(next(sandbox), 1);
  EXPECT_EQ(next(sandbox), 2);
  EXPECT_EQ(sandbox.info().breaker, BreakerState::closed);
  EXPECT_EQ(sandbox.info().breaker_opened, 2U);
  EXPECT_THAT(with_numbers(events),
              ElementsAre("breaker.opened opened 1 limits 5 pause_ns 1000000000", "breaker.half_open opened 1",
                          "breaker.opened opened 2 limits 5 pause_ns 1000000000", "breaker.half_open opened 2",
                          "breaker.closed opened 2"));
  EXPECT_THAT(causes("a", AuditKind::breaker_changed), ElementsAre("open", "half_open", "open", "half_open", "closed"));
  EXPECT_THAT(runtime_->metrics(), HasSubstr("\npetri_breaker_openings_total 2\n"));
}

TEST_F(ContainmentTest, TriesAMessageToo) {  // Q27
  start({.quarantine = {.limits_max = 0}});
  Sandbox sandbox = create(burner());
  burn(sandbox, 5);
  time_.advance(*runtime_, 1s);
  ASSERT_TRUE(sandbox.send("x"));
  expect_soon([&] { return sandbox.info().breaker == BreakerState::closed ? "" : "not closed"; });
}

TEST_F(ContainmentTest, ClosesTheBreakerWithARestart) {
  start({.quarantine = {.limits_max = 0}});
  Sandbox sandbox = create(burner());
  burn(sandbox, 5);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.info().breaker, BreakerState::closed);
  EXPECT_EQ(next(sandbox), 1);
}

TEST_F(ContainmentTest, HasABreakerAsTheSpecSays) {
  start({.quarantine = {.limits_max = 0}, .breaker = {.limits_max = 0}});
  SandboxSpec spec = burner();
  spec.breaker = BreakerOptions{.limits_max = 2};
  Sandbox quick = create(spec), never = create(burner("b"));
  burn(quick, 2);
  burn(never, 10);
  EXPECT_EQ(quick.info().breaker, BreakerState::open);
  EXPECT_EQ(never.info().breaker, BreakerState::closed);
}

// P10, C18: whichever way it is to come in, subscribers are notified.
TEST_F(ContainmentTest, ReportsARollbackToCodeInQuarantine) {
  start({.breaker = {.limits_max = 0}});
  Sandbox sandbox = create(burner());
  std::string changed(kCounter);
  changed.replace(changed.size() - 1, 1, "(func (export \"new\")))");
  const auto reloaded =
      sandbox.reload("counter", Source::wat(changed), {.policy = ReloadPolicy{.state = StateWay::none}});
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  const auto archive = sandbox.export_module("counter");
  Sandbox other = create(burner("b"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(testing::not_kind(other.run("counter", "spin"), OutcomeKind::out_of_fuel), "");
  }
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::module_rejected}});
  const std::string why =
      fmt::format("the artifact {} is in quarantine for another 600 s: it met limits 5 times, the last was fuel_max",
                  sandbox.versions("counter")->back().artifact.hex().substr(0, 16));
  const auto refusal = [&](const auto& refused) {
    EXPECT_FALSE(refused);
    return refused ? "" : fmt::format("{}: {}", name_of(refused.error().code), refused.error().message);
  };
  EXPECT_EQ(refusal(sandbox.rollback("counter")), "rejected: the module counter: " + why);
  EXPECT_EQ(refusal(sandbox.activate("counter", 1)), "rejected: the module counter: " + why);
  SandboxSpec empty = counter("c");
  empty.modules = {{"other", Source::wat("(module)")}};
  Sandbox importer = create(empty);
  EXPECT_EQ(refusal(importer.import_module(*archive)), "rejected: the module counter: " + why);
  EXPECT_EQ(refusal(importer.copy_version(other, "counter")), "not_found: the sandbox c has no module counter");
  EXPECT_THAT(names_of(events), ElementsAre("module.rejected", "module.rejected", "module.rejected"));
  EXPECT_THAT(ways("a"), ElementsAre("rollback", "activate"));
  EXPECT_THAT(ways("c"), ElementsAre("import_module"));
  EXPECT_EQ(sandbox.info().modules[0].version, 2U);
}

// Issue 16: activate and rollback looked at import lists, findings and quarantine, and at neither size nor permissions.
class KeptVersionTest : public ContainmentTest, public ::testing::WithParamInterface<Tier> {
 protected:
  static std::string version(int number, std::string_view import = "") {
    return fmt::format(R"((module {} (memory 1) (data (i32.const 0) "{}")
      (func (export "version") (result i32) (i32.const {})) (func (export "crash") unreachable)))",
                       import, std::string(2'000, 'x'), number);
  }
  static std::string logger(int number) {
    return version(number, R"((import "petri" "log" (func $log (param i32 i32 i32) (result i32))))");
  }
  // Two versions, of which the second is active.
  Sandbox sandbox_with(const std::string& first, const std::string& second) {
    SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(first)}}, .tier = GetParam()};
    spec.tree = SupervisorSpec{.intensity = 0, .children = {ChildSpec{.id = "m", .module = "m"}}};
    Sandbox sandbox = create(spec);
    const auto reloaded = sandbox.reload("m", Source::wat(second), {.policy = ReloadPolicy{.state = StateWay::none}});
    EXPECT_TRUE(reloaded) << reloaded.error().message;
    return sandbox;
  }
  template <typename T>
  static std::string refusal(const Result<T>& refused) {
    return refused ? "ok" : fmt::format("{}: {}", name_of(refused.error().code), refused.error().message);
  }
  static constexpr std::string_view kNoPermission =
      "link_error: the module m: the import \"petri\".\"log\" needs the permission log, which the guest does not have";
};

INSTANTIATE_TEST_SUITE_P(BothTiers, KeptVersionTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

TEST_P(KeptVersionTest, PassesTheGateAgainWhenItIsToBecomeActive) {  // P10
  start({});
  Sandbox sandbox = sandbox_with(version(1), logger(2));
  const ReloadOptions anyhow{.policy = ReloadPolicy{.state = StateWay::none}};
  ASSERT_EQ(refusal(sandbox.rollback("m", 1, {.policy = anyhow.policy})), "ok");
  ASSERT_TRUE(sandbox.update_permissions(Permissions{}));
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::module_rejected}});
  EXPECT_EQ(refusal(sandbox.reload("m", Source::wat(logger(2)), anyhow)), kNoPermission);
  EXPECT_EQ(refusal(sandbox.activate("m", 2, anyhow)), kNoPermission);
  EXPECT_EQ(refusal(sandbox.rollback("m", 2, {.policy = anyhow.policy})), kNoPermission);
  ASSERT_TRUE(sandbox.update_permissions(Permissions::standard()));
  ASSERT_TRUE(sandbox.update_limits({.module_bytes_max = 1'024}));
  const std::string large = fmt::format(
      "module_too_large: the module m: the module has {} bytes and module_bytes_max "
      "allows 1024",
      sandbox.versions("m")->front().bytes);
  EXPECT_EQ(refusal(sandbox.activate("m", 2, anyhow)), large);
  EXPECT_EQ(refusal(sandbox.rollback("m", 2, {.policy = anyhow.policy})), large);
  EXPECT_THAT(names_of(events), ::testing::SizeIs(5));
  EXPECT_THAT(ways("a"), ElementsAre("reload", "activate", "rollback", "activate", "rollback"));
  EXPECT_EQ(sandbox.info().limits_met["module_bytes_max"], 2U);
  EXPECT_EQ(sandbox.call("version")->values[0].i32(), 1);
  ASSERT_TRUE(sandbox.update_limits({.module_bytes_max = 1'048'576}));
  EXPECT_EQ(refusal(sandbox.activate("m", 2, anyhow)), "ok");
}

TEST_P(KeptVersionTest, IsNotGoneBackToByATrialOrByRecoveryWhenItIsRefusedNow) {
  start({});
  Sandbox sandbox = sandbox_with(logger(1), version(2));
  ASSERT_TRUE(sandbox.update_permissions(Permissions{}));
  EXPECT_EQ(testing::not_kind(sandbox.call("crash"), OutcomeKind::trapped), "");
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_THAT(ways("a"), ElementsAre("rollback", "rollback")) << "by the trial, and by recovery";
  EXPECT_EQ(sandbox.info().modules[0].version, 2U);
}

// Issue 16: a fork, a snapshot and an archive were audited as `create`.
TEST_F(ContainmentTest, ReportsByWhichWayCodeCameIn) {
  start({});
  SandboxSpec spec = burner();
  spec.audit = AuditLevel::full;
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(runtime_->fork("a", "twin"));
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  ASSERT_TRUE(runtime_->create_sandbox({.id = "again", .audit = AuditLevel::full}, *snapshot));
  SandboxSpec empty{.id = "importer", .modules = {{"other", Source::wat("(module)")}}, .audit = AuditLevel::full};
  Sandbox importer = create(empty);
  ASSERT_TRUE(importer.import_module(*sandbox.export_module("counter")));
  EXPECT_THAT(causes("a", AuditKind::module_loaded), ElementsAre("create"));
  EXPECT_THAT(causes("twin", AuditKind::module_loaded), ElementsAre("fork"));
  EXPECT_THAT(causes("twin", AuditKind::sandbox_created), ElementsAre("fork"));
  EXPECT_THAT(causes("again", AuditKind::module_loaded), ElementsAre("restore"));
  EXPECT_THAT(causes("again", AuditKind::sandbox_created), ElementsAre("restore"));
  EXPECT_THAT(causes("importer", AuditKind::module_loaded), ElementsAre("create", "import_module"));
}

TEST_F(ContainmentTest, PutsAnArtifactIntoQuarantine) {  // P12, J05
  start({.breaker = {.limits_max = 0}});
  Sandbox sandbox = create(burner());
  Sandbox neighbour = create(burner("b"));
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::security_quarantined}});
  burn(sandbox, 3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(testing::not_kind(sandbox.run("counter", "spin"), OutcomeKind::out_of_fuel), "");
  }
  EXPECT_THAT(names_of(events), ElementsAre("security.quarantined"));
  EXPECT_THAT(causes("a", AuditKind::quarantined), ElementsAre("fuel_max"));
  EXPECT_EQ(runtime_->info().quarantined, 1U);

  const auto refused = runtime_->create_sandbox(counter("c"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::rejected);
  EXPECT_THAT(refused.error().message, HasSubstr("in quarantine for another 600 s"));
  EXPECT_THAT(refused.error().message, HasSubstr("fuel_max"));
  EXPECT_EQ(testing::not_error(neighbour.run("counter", "next"), ErrorCode::rejected), "");
  EXPECT_EQ(testing::not_error(neighbour.run(Source::wat(std::string(kCounter)), "next"), ErrorCode::rejected), "");
  EXPECT_THAT(causes("b", AuditKind::module_rejected), ElementsAre("rejected", "rejected"));
  EXPECT_EQ(next(neighbour), 1) << "what lives goes on";
  EXPECT_TRUE(neighbour.restart());
  ASSERT_TRUE(runtime_->destroy("a"));
  EXPECT_EQ(next(neighbour), 1);

  time_.advance(*runtime_, 10min);
  EXPECT_TRUE(runtime_->create_sandbox(counter("d")));
}

// A guest made the processes of an honest module meet limits, and nobody could use that module any more.
TEST_F(ContainmentTest, KeepsTheQuarantineOfAModuleThatLivesWithOthersInItsSandbox) {
  start({.breaker = {.limits_max = 0}});
  SandboxSpec spec = burner();
  spec.modules.push_back(
      {"other", Source::wat("(module (func (export \"petri_handle\") (result i32) (i32.const 0)))")});
  spec.tree = SupervisorSpec{.intensity = 100, .children = {ChildSpec{.id = "counter", .module = "counter"}}};
  Sandbox sandbox = create(spec);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(testing::not_kind(call(sandbox, "spin", "counter"), OutcomeKind::out_of_fuel), "");
    expect_restarts(sandbox, static_cast<std::uint64_t>(i) + 1);
  }
  EXPECT_THAT(causes("a", AuditKind::quarantined), ElementsAre("fuel_max"));
  EXPECT_EQ(testing::not_error(sandbox.run("counter", "next"), ErrorCode::rejected), "");
  EXPECT_TRUE(runtime_->create_sandbox(counter("c")));
}

TEST_F(ContainmentTest, TakesInNobodyWhenMemoryIsSpent) {  // Q28, O12
  start({.memory_budget_bytes = 3 * 65'536});
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::host_pressure}});
  Sandbox first = create(counter("a"));
  Sandbox second = create(counter("b"));
  Sandbox third = create(counter("c"));
  const auto refused = runtime_->create_sandbox(counter("d"));
  EXPECT_EQ(refused.error().code, ErrorCode::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("bytes and its memory budget is 196608"));
  EXPECT_EQ(runtime_->find("d").error().code, ErrorCode::not_found);
  EXPECT_EQ(first.start_child(ChildSpec{.id = "more", .module = "counter"}).error().code, ErrorCode::busy);
  EXPECT_EQ(next(second), 1);
  ASSERT_TRUE(runtime_->destroy("c"));
  EXPECT_TRUE(runtime_->create_sandbox(counter("d")));
  EXPECT_THAT(with_numbers(events),
              ElementsAre(::testing::MatchesRegex("host.pressure state spent allowed 196608 seen 2[0-9]{5}"),
                          ::testing::MatchesRegex("host.pressure state relieved allowed 196608 seen 1[34][0-9]{4}"),
                          ::testing::MatchesRegex("host.pressure state spent allowed 196608 seen 2[0-9]{5}")))
      << "three pages and what the host holds for them, then two";
  EXPECT_THAT(causes("", AuditKind::host_pressure), ElementsAre("spent", "relieved", "spent"));
  EXPECT_THAT(runtime_->metrics(), HasSubstr("\npetri_host_pressure_total 2\n"));
}

TEST_F(ContainmentTest, RefusesToSpawnWhenMemoryIsSpent) {  // Q28
  start({.memory_budget_bytes = 2 * 65'536});
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(R"((module
      (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 0) "{\"id\": \"x\", \"module\": \"m\"}")
      (func (export "spawn") (result i32) (call $spawn (i32.const 0) (i32.const 26)))))")}}});
  SandboxSpec small = counter("b");
  create(small);
  EXPECT_EQ(testing::not_value(sandbox.call("spawn"), static_cast<std::int32_t>(GuestError::busy)), "");
  ASSERT_TRUE(runtime_->destroy("b"));
  EXPECT_EQ(testing::not_value(sandbox.call("spawn"), 0), "");
}

TEST_F(ContainmentTest, RefusesOptionsThatMeanNothing) {
  const auto refused = Runtime::create({.quarantine = {.window = 0ns}, .breaker = {.pause = 0ns}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(refused.error().message, HasSubstr("quarantine"));
  EXPECT_THAT(refused.error().message, HasSubstr("breaker"));
}

TEST_F(ContainmentTest, KeepsATrailThatOutlivesItsSandboxes) {  // P13, P14
  start({});
  {
    Sandbox sandbox = create(burner());
    ASSERT_TRUE(sandbox.update_limits({.timers_max = 3}));
    burn(sandbox, 1);
  }
  ASSERT_TRUE(runtime_->destroy("a"));
  EXPECT_THAT(causes("a", AuditKind::killed), ElementsAre("fuel_max"));
  const auto changed = runtime_->audit({.sandbox = "a", .kind = AuditKind::limits_changed}).entries;
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(std::get<std::string>(*changed[0].detail("changes")), "timers_max=3");
  EXPECT_EQ(runtime_->audit_status().entries, 2U);
  EXPECT_EQ(runtime_->verify_audit().fault, std::nullopt);
  EXPECT_EQ(runtime_->verify_audit().entries, 2U);
}

TEST_F(ContainmentTest, WritesTheTrailToAFileAndResumesIt) {  // P13
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "audit.jsonl").string();
  for (int round = 1; round <= 2; ++round) {
    start({.audit = {.file = file}});
    Sandbox sandbox = create(burner());
    burn(sandbox, 3);
    ASSERT_TRUE(runtime_->flush_audit());
    const auto verified = verify_audit_file(file);
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->fault, std::nullopt);
    EXPECT_EQ(verified->entries, 3U * static_cast<unsigned>(round));
    EXPECT_EQ(verified->last_hash, runtime_->audit_status().last_hash);
    runtime_.reset();
  }
  start({});
  const auto foreign = Runtime::create({.audit = {.file = folder.path().string()}});
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr(folder.path().filename().string()));
}

}  // namespace
}  // namespace petri
