#include "sandbox/trees/child_room.h"

#include <gtest/gtest.h>

#include "process/process_fixture.h"

namespace petri {
namespace {

std::shared_ptr<TreeAccount> account_with(std::uint64_t memory_bytes_max, TreeAccount::Listener* listener) {
  SandboxLimits limits = SandboxLimits::of(Profile::standard);
  limits.memory_bytes_max = memory_bytes_max;
  return std::make_shared<TreeAccount>(std::make_shared<const SandboxLimits>(limits), listener);
}

TEST(ChildRoom, IsHeldUntilTheLastWhoHasItIsGone) {
  TestOwner owner;
  const auto account = account_with(std::uint64_t{64} << 20, &owner);
  const std::uint64_t before = account->taken();
  {
    const auto held = hold_bytes(account, 100'000);
    ASSERT_NE(held, nullptr);
    EXPECT_EQ(account->taken(), before + 100'000);
  }
  EXPECT_EQ(account->taken(), before);
}

TEST(ChildRoom, GrowsWithWhatTheSpecSays) {
  TestOwner owner;
  const auto account = account_with(std::uint64_t{64} << 20, &owner);
  const std::uint64_t before = account->taken();
  const auto small = must_have_room_for(account, ChildSpec{.id = "a", .module = "m"});
  const std::uint64_t of_small = account->taken() - before;
  const auto large = must_have_room_for(account, ChildSpec{.id = "a", .module = "m", .input = std::string(5'000, 'x')});
  EXPECT_GE(account->taken() - before - of_small, of_small + 5'000);
}

TEST(ChildRoom, IsRefusedWhereMemoryLeavesNone) {
  TestOwner owner;
  const auto account = account_with(1'000, &owner);
  const std::uint64_t all = std::uint64_t{1} << 40;
  EXPECT_EQ(hold_bytes(account, all), nullptr);
}

}  // namespace
}  // namespace petri
