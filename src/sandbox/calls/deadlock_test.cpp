#include "sandbox/calls/deadlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/guest/inside.h"
#include "process/process_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

// On the thread of each test; nothing runs.
class DeadlockTest : public ::testing::Test {
 protected:
  bool may_wait(const Awaited& awaited) { return may_wait_here(owner_, awaited, "stop", "it").has_value(); }
  // This thread is in a completion of that process.
  static Inside completion_of(const ProcessOwner& owner, std::string_view process) {
    return {Inside::What::completion, {.owner = &owner, .name = process}};
  }

  TestOwner owner_{1}, other_{1};
};

TEST_F(DeadlockTest, IsNotWhereThisThreadIsInNoCompletion) {
  EXPECT_TRUE(may_wait({}));
  EXPECT_TRUE(may_wait({.address = "a", .with_queue = true}));
}

TEST_F(DeadlockTest, IsWhereTheProcessOrOneBelowItWaitsForThisThread) {
  const Inside inside = completion_of(owner_, "shop/orders");
  const struct {
    std::string_view address;
    bool may;
  } rows[] = {{"", false},   {"shop", false}, {"shop/orders", false}, {"shop/order", true}, {"shop/orders/a", true},
              {"sho", true}, {"other", true}};
  for (const auto& row : rows) EXPECT_EQ(may_wait({.address = row.address}), row.may) << row.address;
}

TEST_F(DeadlockTest, IsNotInACompletionOfAnotherSandbox) {
  const Inside inside = completion_of(other_, "a");
  EXPECT_TRUE(may_wait({}));
}

TEST_F(DeadlockTest, LooksThroughAllThatThisThreadIsIn) {
  const Inside outer = completion_of(owner_, "a");
  const Inside inner = completion_of(other_, "b");
  EXPECT_FALSE(may_wait({.address = "a"}));
  EXPECT_TRUE(may_wait({.address = "b"}));
}

TEST_F(DeadlockTest, IsWithAnyProcessOfADeterministicQueue) {
  const Inside inside = completion_of(owner_, "a");
  EXPECT_TRUE(may_wait({.address = "b", .with_queue = true})) << "there is no queue";
  DeterministicQueue queue(owner_.workers(), nullptr, [] { return nullptr; }, [] {});
  owner_.queue = &queue;
  EXPECT_FALSE(may_wait({.address = "b", .with_queue = true}));
  EXPECT_TRUE(may_wait({.address = "b"}));
}

TEST_F(DeadlockTest, NamesWhoWouldWaitForWhom) {
  const Inside inside(Inside::What::host_function, {.owner = &owner_, .name = "a"});
  const auto refused = may_wait_here(owner_, {.address = "a"}, "restart", "the child a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::deadlock);
  EXPECT_THAT(
      refused.error().message,
      HasSubstr("a host function that was called by the process a cannot restart the child a, which would wait"));
}

}  // namespace
}  // namespace petri
