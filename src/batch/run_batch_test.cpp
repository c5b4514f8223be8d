#include "batch/run_batch.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <semaphore>

namespace petri {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class RunBatchTest : public ::testing::Test {
 protected:
  using Row = std::function<Result<int>(std::size_t row, const std::stop_token& stop)>;
  std::vector<std::string> run(std::size_t rows, const Row& row, const BatchOptions& options = {},
                               std::size_t concurrency = 4) {
    const auto results = run_batch<int>(threads_, rows, concurrency, options,
                                        {.row = row, .undo = [this](std::size_t, auto&) { ++undone_; }, .keeps = {}});
    std::vector<std::string> all;
    for (const auto& result : *results) {
      all.emplace_back(result ? std::to_string(*result) : std::string(name_of(result.error().code)));
    }
    return all;
  }
  std::atomic<int> undone_{0};
  ThreadPool threads_{{.name = "test"}};
};

TEST_F(RunBatchTest, HasAResultForEachRowInTheOrderOfTheInput) {
  EXPECT_THAT(run(3, [](std::size_t row, auto&) { return Result<int>(static_cast<int>(row) * 10); }),
              ElementsAre("0", "10", "20"));
  EXPECT_THAT(run(0, {}), ElementsAre());
}

TEST_F(RunBatchTest, ARowThatFailsOrThrowsLeavesTheOthers) {
  const auto work = [](std::size_t row, auto&) -> Result<int> {
    if (row == 1) return fail(ErrorCode::not_found, "it is not there");
    if (row == 2) throw 1;
    return 7;
  };
  EXPECT_THAT(run(4, work), ElementsAre("7", "not_found", "host_fault", "7"));
}

TEST_F(RunBatchTest, NoMoreRowsAreUnderWayThanAllowed) {
  std::atomic<int> now{0}, most{0};
  const auto work = [&](std::size_t, auto&) {
    const int here = ++now;
    for (int seen = most; seen < here && !most.compare_exchange_weak(seen, here);) {
    }
    std::this_thread::yield();
    --now;
    return Result<int>(0);
  };
  run(200, work, {}, 3);
  EXPECT_LE(most, 3);
}

TEST_F(RunBatchTest, OneRowThatIsHeldUpHoldsUpNoOther) {
  std::latch others(99);
  const auto work = [&](std::size_t row, auto&) {
    if (row == 0) {
      others.wait();
    } else {
      others.count_down();
    }
    return Result<int>(1);
  };
  EXPECT_THAT(run(100, work), Each("1"));
}

TEST_F(RunBatchTest, WhenItsTimeIsOverRowsThatAreDoneKeepTheirResults) {
  const auto work = [&](std::size_t row, const std::stop_token& stop) {
    if (row > 0) {
      std::binary_semaphore stopped(0);
      const std::stop_callback wake(stop, [&] { stopped.release(); });
      stopped.acquire();
    }
    return Result<int>(static_cast<int>(row));
  };
  EXPECT_THAT(run(4, work, {.time_max = std::chrono::milliseconds(30)}, 2),
              ElementsAre("0", "cancelled", "cancelled", "cancelled"));
}

TEST_F(RunBatchTest, AStopCancelsWhatIsNotDoneAndUndoesWhatComesTooLate) {
  std::stop_source stop;
  std::latch late(1);
  {
    ThreadPool threads({.name = "late"});
    const BatchWork<int> work{.row =
                                  [&](std::size_t row, const std::stop_token&) {
                                    if (row == 1) {
                                      stop.request_stop();
                                      late.wait();
                                    }
                                    return Result<int>(0);
                                  },
                              .undo = [&](std::size_t row, auto&) { undone_ += static_cast<int>(row); },
                              .keeps = {}};
    const auto results = run_batch<int>(threads, 3, 1, {.stop = stop.get_token()}, work);
    EXPECT_TRUE((*results)[0]);
    EXPECT_EQ((*results)[1].error().code, ErrorCode::cancelled);
    EXPECT_EQ((*results)[2].error().code, ErrorCode::cancelled);
    late.count_down();
  }
  EXPECT_EQ(undone_, 1);
}

TEST_F(RunBatchTest, ProgressNeverFallsAndEndsWithAllRows) {
  std::vector<std::size_t> seen;
  std::size_t errors = 0;
  const auto work = [](std::size_t row, auto&) -> Result<int> {
    if (row % 10 == 0) return fail(ErrorCode::busy, "it is busy");
    return 0;
  };
  run(100, work, {.on_progress = [&](const BatchProgress& progress) {
        seen.push_back(progress.done);
        errors = progress.errors;
        EXPECT_EQ(progress.total, 100);
      }});
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), 100);
  EXPECT_EQ(errors, 10);
}

TEST_F(RunBatchTest, AProgressCallbackThatThrowsIsNotCalledAgain) {
  std::atomic<int> calls{0};
  const auto progress = [&](const BatchProgress&) {
    ++calls;
    throw 1;
  };
  EXPECT_THAT(run(20, [](std::size_t, auto&) { return Result<int>(1); }, {.on_progress = progress}), Each("1"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace petri
