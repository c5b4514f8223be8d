#include "sandbox/calls/run_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kRunsMany = 100;

class RunTableTest : public ::testing::Test {
 protected:
  // One that nobody waits for, as run_async() makes it.
  SandboxRunPtr run(std::uint64_t id) {
    auto made = std::make_shared<SandboxRun>();
    made->id = id;
    made->reply = std::make_shared<Reply>([this, id](const Result<Outcome>& result) {
      if (!result && result.error().code == ErrorCode::cancelled) cancelled_.push_back(id);
    });
    return made;
  }
  SandboxRunPtr added(std::uint64_t id) {
    auto made = run(id);
    EXPECT_TRUE(table_.add(made, kRunsMany));
    return made;
  }
  SandboxRunPtr started(std::uint64_t id) {
    auto made = added(id);
    EXPECT_TRUE(table_.begin(made, 1'000));
    return made;
  }

  RunTable table_;
  std::vector<std::uint64_t> cancelled_;
};

TEST_F(RunTableTest, AdmitsAsManyAsMayWait) {
  EXPECT_TRUE(table_.add(run(1), 2));
  EXPECT_TRUE(table_.add(run(2), 2));
  EXPECT_FALSE(table_.add(run(3), 2));
  EXPECT_EQ(table_.waiting(), 2U);
}

TEST_F(RunTableTest, CountsOnlyThoseThatWait) {
  started(1);
  EXPECT_EQ(table_.waiting(), 0U);
  EXPECT_TRUE(table_.add(run(2), 1)) << "one that has started keeps nobody out";
}

TEST_F(RunTableTest, KeepsARunFromStartingThatWasCancelled) {
  const auto waits = added(1);
  EXPECT_TRUE(table_.cancel(1));
  EXPECT_THAT(cancelled_, ElementsAre(1));
  EXPECT_FALSE(table_.begin(waits, 1'000));
  EXPECT_FALSE(table_.remove(waits));
}

TEST_F(RunTableTest, StopsARunThatHasStarted) {
  const auto runs = started(1);
  EXPECT_TRUE(table_.cancel(1));
  EXPECT_TRUE(runs->stop.stop_requested());
  EXPECT_THAT(cancelled_, IsEmpty()) << "its own end is its answer";
  EXPECT_TRUE(table_.remove(runs));
}

TEST_F(RunTableTest, CancelsNothingWithoutANumberOrWithAnUnknownOne) {
  const auto unnumbered = std::make_shared<SandboxRun>();
  EXPECT_TRUE(table_.add(unnumbered, kRunsMany));
  EXPECT_FALSE(table_.cancel(0));
  EXPECT_FALSE(table_.cancel(7));
}

TEST_F(RunTableTest, CancelsAllThatWaitAndNoneThatHasStarted) {
  const auto runs = started(1);
  added(2);
  added(3);
  table_.cancel_waiting();
  EXPECT_THAT(cancelled_, ElementsAre(2, 3));
  EXPECT_FALSE(runs->stop.stop_requested());
  EXPECT_THAT(table_.started(), ElementsAre(runs));
  EXPECT_EQ(table_.waiting(), 0U);
}

TEST_F(RunTableTest, TakesAClockThatStandsAtZeroForAStart) {
  const auto run = added(1);
  EXPECT_TRUE(table_.begin(run, 0));
  EXPECT_THAT(table_.started(), ElementsAre(run));
}

}  // namespace
}  // namespace petri
