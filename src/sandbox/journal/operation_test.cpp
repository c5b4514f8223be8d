#include "sandbox/journal/operation.h"

#include <gtest/gtest.h>

#include <thread>

namespace petri {
namespace {

class OperationTest : public ::testing::Test {
 protected:
  std::uint64_t seen() const { return current_.correlation().id; }
  std::uint64_t seen_elsewhere() const {
    std::uint64_t id = 0;
    std::jthread([&] { id = seen(); }).join();
    return id;
  }

  SystemClock clock_;
  EventBus events_{clock_};
  CurrentOperation current_{events_.correlations()};
};

TEST_F(OperationTest, HasACorrelationOfItsOwnOnEveryThread) {
  std::uint64_t first = 0;
  {
    const Operation operation(current_);
    first = seen();
    EXPECT_NE(first, 0U);
    EXPECT_EQ(seen_elsewhere(), first);
  }
  EXPECT_EQ(seen(), first) << "what follows by itself is told with the last operation";
  const Operation operation(current_);
  EXPECT_NE(seen(), first);
}

TEST_F(OperationTest, InsideAnotherIsAPartOfIt) {
  const Operation operation(current_);
  const std::uint64_t first = seen();
  const Operation part(current_);
  EXPECT_EQ(seen(), first);
}

TEST_F(OperationTest, OfOneThreadLeavesTheOthersAlone) {
  const std::uint64_t before = seen();
  const Operation operation(current_, Operation::Reach::thread);
  EXPECT_NE(seen(), before);
  EXPECT_EQ(seen_elsewhere(), before);
}

TEST_F(OperationTest, InsideOneOfThisThreadReachesTheOthers) {
  const Operation operation(current_, Operation::Reach::thread);
  const Operation part(current_);
  EXPECT_EQ(seen_elsewhere(), seen());
}

TEST_F(OperationTest, OfARunIsNeverAPartOfAnother) {
  const Operation operation(current_);
  const std::uint64_t first = seen();
  {
    const Operation run(current_, Operation::Reach::run);
    EXPECT_NE(seen(), first);
    EXPECT_EQ(seen_elsewhere(), first);
  }
  EXPECT_EQ(seen(), first);
}

}  // namespace
}  // namespace petri
