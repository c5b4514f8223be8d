// The bounds on what guests can do to the audit trail: each sandbox has a fixed number of entries, and the rest is
// counted. One guest once wrote 93 MB/s.
#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::SizeIs;
using namespace std::chrono_literals;

constexpr std::size_t kEntriesAtOnce = 1'000;
constexpr std::size_t kEntriesASecond = 100;

// `meet` asks for a timer, which its limit does not allow; `burn` ends by another.
constexpr std::string_view kMeetsLimits = R"((module
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (memory 1)
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "meet") (drop (call $timer (i32.const 1) (i64.const 0))))
  (func (export "burn") (loop $x (br $x)))))";

class AuditShareTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  AuditShareTest() {
    RuntimeOptions options = without_containment();
    options.clock = time_.clock();
    runtime_ = *Runtime::create(std::move(options));
  }
  ~AuditShareTest() override { runtime_.reset(); }  // before its clock

  Sandbox hostile(const std::string& id = "hostile") {
    SandboxSpec spec{.id = id, .modules = {{"m", Source::wat(std::string(kMeetsLimits))}}, .tier = GetParam()};
    spec.limits = {.fuel_max = 1'000, .timers_max = 0};
    spec.tree = SupervisorSpec{.intensity = 1'000'000, .children = {ChildSpec{.id = "m", .module = "m"}}};
    return create(spec);
  }
  static void meet(Sandbox& sandbox, std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) ASSERT_EQ(testing::not_kind(call(sandbox, "meet"), OutcomeKind::ok), "");
  }
  std::vector<AuditEntry> entries(AuditKind kind, const std::string& sandbox = "hostile") const {
    return runtime_->audit({.sandbox = sandbox, .kind = kind, .entries_max = 100'000}).entries;
  }
  static std::int64_t detail(const AuditEntry& entry, std::string_view key, std::int64_t otherwise = 0) {
    const AuditValue* value = entry.detail(key);
    return value == nullptr ? otherwise : std::get<std::int64_t>(*value);
  }
  std::uint64_t entries_of(AuditKind kind) const {
    std::uint64_t all = 0;
    for (const AuditEntry& entry : entries(kind)) all += static_cast<std::uint64_t>(detail(entry, "entries", 1));
    return all;
  }

  testing::ManualTime time_;
};

INSTANTIATE_TEST_SUITE_P(BothTiers, AuditShareTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

TEST_P(AuditShareTest, CountsWhatIsBeyondTheShareOfASandboxAndReportsItASecondLater) {
  Sandbox sandbox = hostile();
  meet(sandbox, kEntriesAtOnce + 500);
  EXPECT_THAT(entries(AuditKind::limit_met), SizeIs(kEntriesAtOnce));
  time_.advance(*runtime_, 1s);
  expect_soon([&] { return entries(AuditKind::limit_met).size() == kEntriesAtOnce + 1 ? "" : "not yet"; });
  const AuditEntry last = entries(AuditKind::limit_met).back();
  EXPECT_EQ(last.process, "m");
  EXPECT_EQ(last.cause, "timers_max");
  EXPECT_EQ(detail(last, "entries"), 500);
  EXPECT_EQ(detail(last, "count"), 500);
  EXPECT_EQ(detail(last, "allowed"), 0);
  EXPECT_EQ(detail(last, "seen"), 1);
  meet(sandbox, kEntriesASecond + 1);
  EXPECT_THAT(entries(AuditKind::limit_met), SizeIs(kEntriesAtOnce + kEntriesASecond));
  EXPECT_EQ(sandbox.info().limits_met["timers_max"], kEntriesAtOnce + 500 + kEntriesASecond + 1);
}

TEST_P(AuditShareTest, ReportsWhatItCountedWhenTheSandboxEnds) {
  for (const std::string end : {"stop", "restart", "destroy"}) {
    Sandbox sandbox = hostile(end);
    meet(sandbox, kEntriesAtOnce + 7);
    EXPECT_TRUE(end == "stop" ? sandbox.stop() : end == "restart" ? sandbox.restart() : runtime_->destroy(end));
    const auto all = entries(AuditKind::limit_met, end);
    ASSERT_THAT(all, SizeIs(kEntriesAtOnce + 1)) << end;
    EXPECT_EQ(detail(all.back(), "entries"), 7) << end;
  }
}

TEST_P(AuditShareTest, CountsGuestsThatAreKilledAgainAndAgain) {
  Sandbox sandbox = hostile();
  for (std::size_t i = 0; i < kEntriesAtOnce + 20; ++i) {
    const auto burned = sandbox.call("burn", {}, {.timeout = 10s});
    ASSERT_EQ(testing::not_kind(burned, OutcomeKind::out_of_fuel), "");
    expect_restarts(sandbox, i + 1);
  }
  EXPECT_THAT(entries(AuditKind::killed), SizeIs(kEntriesAtOnce));
  ASSERT_TRUE(sandbox.stop());
  EXPECT_THAT(entries(AuditKind::killed), SizeIs(kEntriesAtOnce + 1));
  EXPECT_EQ(entries_of(AuditKind::killed), kEntriesAtOnce + 20);
}

TEST_P(AuditShareTest, GivesEachSandboxAShareOfItsOwn) {
  Sandbox loud = hostile(), quiet = hostile("quiet");
  meet(loud, kEntriesAtOnce + 100);
  meet(quiet, 3);
  EXPECT_THAT(entries(AuditKind::limit_met, "quiet"), SizeIs(3));
}

}  // namespace
}  // namespace petri
