// Reloading and rolling back again and again leaves memory as it was. PETRI_LONG makes it ten thousand times.
#include "sandboxes/environment.h"
#include "sandboxes/kernel_view.h"
#include "state_guests.h"

namespace petri {
namespace {

class EnduranceTest : public VersionsFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  // Each switch is told to the audit trail, which would grow for a while.
  EnduranceTest() { runtime_ = std::move(*Runtime::create({.audit = {.entries_max = 100}})); }
  static bool is_long() { return count_from_environment("PETRI_LONG", 0) != 0; }
  struct Measure {
    std::uint64_t sandbox = 0, runtime = 0;
    std::size_t artifacts = 0, versions = 0, switches = 0;
    bool operator==(const Measure&) const = default;
  };
  Measure measure(const Sandbox& sandbox) const {
    const RuntimeInfo info = runtime_->info();
    return {sandbox.usage().memory_bytes, info.memory_bytes, info.artifacts, sandbox.versions("service")->size(),
            sandbox.history("service")->switches.size()};
  }
};
INSTANTIATE_TEST_SUITE_P(Tiers, EnduranceTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

TEST_P(EnduranceTest, LeavesMemoryFlatThereAndBackAgain) {
  constexpr std::int64_t kAllowedBytes = std::int64_t{4} << 20;
  const int rounds = is_long() ? 10'000 : 200;
  SandboxSpec wanted = with_children({"x", "y"});
  wanted.tier = GetParam();
  Sandbox sandbox = create(wanted);
  const auto there_and_back = [&](int round) {
    const auto there = sandbox.reload("service", code(2));
    ASSERT_TRUE(there) << there.error().message;
    ask(sandbox, "next", "x");
    const auto back = sandbox.rollback("service", 1, {.snapshot = round % 5 == 0});
    ASSERT_TRUE(back) << back.error().message;
  };
  for (int round = 0; round < 60; ++round) there_and_back(round);
  const Measure before = measure(sandbox);
  const std::int64_t resident = resident_bytes();
  for (int round = 0; round < rounds; ++round) there_and_back(round);
  EXPECT_EQ(measure(sandbox), before);
  if (is_long()) {
    EXPECT_LT(resident_bytes() - resident, kAllowedBytes);
  }
  EXPECT_EQ(ask(sandbox, "next", "y"), 1);
}

TEST_P(EnduranceTest, LeavesMemoryFlatWithCodeThatIsAlwaysNew) {
  constexpr std::int64_t kAllowedBytes = std::int64_t{8} << 20;
  const int rounds = GetParam() == Tier::interpreted ? (is_long() ? 10'000 : 100) : (is_long() ? 1'000 : 12);
  SandboxSpec wanted = with_children({"x", "y"});
  wanted.tier = GetParam();
  Sandbox sandbox = create(wanted);
  int version = 2;
  const auto reload = [&] {
    const auto there = sandbox.reload("service", code(version++));
    ASSERT_TRUE(there) << there.error().message;
    ask(sandbox, "next", "x");
  };
  const int settled = GetParam() == Tier::interpreted ? 120 : 12;  // as many versions and switches as are kept
  for (int round = 0; round < settled; ++round) reload();
  Measure before = measure(sandbox);
  const std::int64_t resident = resident_bytes();
  for (int round = 0; round < rounds; ++round) reload();
  Measure after = measure(sandbox);
  if (GetParam() == Tier::compiled) after.switches = before.switches = 0;
  EXPECT_EQ(after, before);
  if (is_long()) {
    EXPECT_LT(resident_bytes() - resident, kAllowedBytes);
  }
  EXPECT_EQ(ask(sandbox, "next", "x"), settled + rounds + 1);
}

}  // namespace
}  // namespace petri
