// Code that becomes compiled while it is live: lifecycle, supervision, recovery and reloads continue as if nothing
// had happened. X10, L22, S03, S21, M05, M11.
#include "versions_fixture.h"

namespace petri {
namespace {

class PromotionTest : public VersionsFixture {
 protected:
  PromotionTest() {
    RuntimeOptions options{.workers = 2, .promote_fuel = 100, .promote_fuel_per_byte = 0};
    options.compile.in_process = true;
    runtime_ = std::move(*Runtime::create(std::move(options)));
  }
  static Tier tier_of(const Sandbox& sandbox, std::string_view process) {
    for (const ChildInfo& child : sandbox.children()) {
      if (child.address == process) return child.tier;
    }
    return Tier::automatic;
  }
  // Counts on until the process runs compiled code; answers how far it has come.
  std::int64_t count_until_compiled(Sandbox& sandbox, const std::string& process, std::int64_t from = 0) {
    std::int64_t count = from;
    expect_soon([&] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(sandbox, "next", process), ++count);
      return tier_of(sandbox, process) == Tier::compiled ? "" : "interpreted";
    });
    EXPECT_EQ(sandbox.call("version", {}, {.process = process})->tier, Tier::compiled);
    return count;
  }
};

TEST_F(PromotionTest, IsNoPartOfALifecycle) {
  Sandbox sandbox = create(with_children({"x"}));
  EXPECT_EQ(tier_of(sandbox, "x"), Tier::interpreted);
  const std::int64_t count = count_until_compiled(sandbox, "x");
  EXPECT_EQ(ask(sandbox, "next", "x"), count + 1);
  ASSERT_TRUE(sandbox.stop());
  EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(tier_of(sandbox, "x"), Tier::compiled) << "new instances use the compiled code";
  EXPECT_EQ(ask(sandbox, "next", "x"), 1);
  ASSERT_TRUE(sandbox.restart({.keep_state = true}));
  EXPECT_EQ(ask(sandbox, "next", "x"), 2);
  ASSERT_TRUE(runtime_->destroy("a"));
  EXPECT_EQ(runtime_->info().memory_bytes, 0U);
}

TEST_F(PromotionTest, LeavesRestartsAsTheyAre) {
  SandboxSpec wanted = with_children({"x", "y"});
  wanted.tree->strategy = Strategy::one_for_all;
  wanted.tree->intensity = 1;
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(ask(sandbox, "next", "y"), 1);
  count_until_compiled(sandbox, "x");
  EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
  expect_soon([&] { return sandbox.info().supervisor_restarts == 2 ? "" : "not restarted"; });
  EXPECT_EQ(ask(sandbox, "next", "x"), 1);
  EXPECT_EQ(ask(sandbox, "next", "y"), 1);
  EXPECT_EQ(call_kind(sandbox, "crash", "y"), OutcomeKind::trapped);
  expect_soon([&] { return sandbox.status() == SandboxStatus::failed ? "" : "it has not given up"; });
  EXPECT_EQ(sandbox.info().cause, "the supervisor gave up restarting; the last that ended was y (trapped)");
}

TEST_F(PromotionTest, LeavesRecoveryAsItIs) {
  SandboxSpec wanted = with_children({"x"});
  wanted.tree->intensity = 0;
  wanted.reload = ReloadPolicy{.trial = {.calls = 0}};
  Sandbox sandbox = create(wanted);
  count_until_compiled(sandbox, "x");
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  EXPECT_EQ(tier_of(sandbox, "x"), Tier::interpreted) << "the new code is not hot yet";
  EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
  expect_soon([&] { return active(sandbox) == 1 && ask(sandbox, "version", "x") == 1 ? "" : "not yet back"; });
  EXPECT_EQ(tier_of(sandbox, "x"), Tier::compiled) << "it was";
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
}

TEST_F(PromotionTest, CarriesStateThroughReloadsInEitherTier) {
  Sandbox sandbox = create(with_children({"x", "y"}));
  std::int64_t count = count_until_compiled(sandbox, "x");
  EXPECT_EQ(ask(sandbox, "next", "y"), 1);
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  EXPECT_EQ(tier_of(sandbox, "x"), Tier::interpreted);
  count = count_until_compiled(sandbox, "x", count);
  EXPECT_EQ(ask(sandbox, "version", "x"), 2);
  ASSERT_TRUE(sandbox.reload("service", code(3)));
  ASSERT_TRUE(sandbox.rollback("service", 2));
  EXPECT_EQ(ask(sandbox, "next", "x"), count + 1);
  EXPECT_EQ(ask(sandbox, "version", "x"), 2);
  ASSERT_TRUE(sandbox.rollback("service", 1));
  EXPECT_EQ(ask(sandbox, "next", "x"), count + 2);
  EXPECT_EQ(ask(sandbox, "next", "y"), 2);
  EXPECT_EQ(ask(sandbox, "version", "y"), 1);
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

}  // namespace
}  // namespace petri
