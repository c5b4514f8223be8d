#include "cli/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "cli/exit_code.h"

namespace petri::cli {
namespace {

void wait_for_stop(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, token, [] { return false; });
}

TEST(Interrupt, TurnsTheFirstSignalIntoARequestToStop) {  // HF12
  for (int signal : {SIGINT, SIGTERM}) {
    Interrupt interrupt;
    EXPECT_FALSE(interrupt.signalled());
    ::kill(::getpid(), signal);
    wait_for_stop(interrupt.token());
    EXPECT_TRUE(interrupt.signalled());
  }
}

TEST(Interrupt, CanBeAskedToStopWithoutASignal) {
  Interrupt interrupt;
  interrupt.stop();
  EXPECT_TRUE(interrupt.token().stop_requested());
  EXPECT_FALSE(interrupt.signalled());
}

TEST(InterruptDeathTest, EndsTheProcessAtTheSecondSignal) {  // HF12
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Interrupt interrupt;
        ::kill(::getpid(), SIGINT);
        wait_for_stop(interrupt.token());
        ::kill(::getpid(), SIGINT);
        ::pause();
      },
      ::testing::ExitedWithCode(static_cast<int>(ExitCode::interrupted)), "");
}

TEST(InterruptDeathTest, LeavesSignalsAsTheyWereAfterwards) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        {
          Interrupt interrupt;
        }
        ::kill(::getpid(), SIGINT);
        ::pause();
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace petri::cli
