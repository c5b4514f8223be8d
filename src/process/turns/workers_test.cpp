#include "process/turns/workers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <functional>
#include <future>
#include <latch>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace petri {
namespace {

std::unique_ptr<Workers> make(std::size_t workers, std::size_t threads_max = 100) {
  return std::move(*Workers::create({.workers = workers, .threads_max = threads_max}));
}

TEST(Workers, RunEveryTaskBeforeTheyEnd) {
  std::atomic<int> ran{0};
  {
    const auto workers = make(2);
    for (int i = 0; i < 1'000; ++i) workers->submit([&] { ++ran; });
  }
  EXPECT_EQ(ran, 1'000);
}

// Tasks meet two by two, so that two do run at once, and take a while, so that a third would be seen.
TEST(Workers, RunNoMoreTasksAtOnceThanThereAre) {
  std::atomic<int> running{0}, most{0};
  std::barrier pair(2);
  {
    const auto workers = make(2);
    for (int i = 0; i < 40; ++i) {
      workers->submit([&] {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        pair.arrive_and_wait();
        const std::uint64_t until = kernel_ns(CLOCK_MONOTONIC) + 200'000;
        while (kernel_ns(CLOCK_MONOTONIC) < until) std::this_thread::yield();
        --running;
      });
    }
  }
  EXPECT_EQ(most, 2);
}

TEST(Workers, LetAnotherRunWhileOneWaits) {  // R18
  const auto workers = make(1);
  std::promise<void> promise;
  std::latch done(1);
  workers->submit([&] {
    const Workers::Pause pause(*workers);
    promise.get_future().wait();
    done.count_down();
  });
  workers->submit([&] { promise.set_value(); });
  done.wait();
}

TEST(Workers, LetNewWorkGoBeforeWhatHasHadItsTurn) {  // X06
  const auto workers = make(1);
  std::atomic<bool> answered{false};
  std::latch started(1), done(1);
  workers->submit([&] {
    started.count_down();
    while (!answered) static_cast<void>(workers->take_turn(0));
    done.count_down();
  });
  started.wait();
  workers->submit([&] { answered = true; });
  done.wait();
}

TEST(Workers, TakeTurnsWithAThreadOfTheCallers) {
  const auto workers = make(1);
  std::atomic<int> tasks{0};
  std::promise<void> promise;
  {
    const Workers::Visit visit(*workers);
    workers->submit([&] {
      ++tasks;
      promise.set_value();
    });
    promise.get_future().wait();  // the visitor holds no permit in its first turn
    static_cast<void>(workers->take_turn(0));
    workers->submit([&] { ++tasks; });
    while (tasks < 2) static_cast<void>(workers->take_turn(0));
  }
  EXPECT_EQ(tasks, 2);
}

// Spends what a turn allows, in the eyes of the workers.
void spend_a_turn() {
  const std::uint64_t until = kernel_ns(CLOCK_MONOTONIC) + 2'000'000;
  while (kernel_ns(CLOCK_MONOTONIC) < until) continue;
}

// Guests that nap and resume came before every new task, for ever.
TEST(Workers, AnswerANewTaskBesideThoseWhoNapAndResume) {
  std::atomic<bool> answered{false};
  std::array<Workers::Client, 8> nappers;
  Workers::Client neighbour;
  std::latch all_nap(nappers.size()), done(1);
  const auto workers = make(1);
  for (Workers::Client& napper : nappers) {
    workers->submit(
        [&] {
          for (bool first = true; !answered; first = false) {
            spend_a_turn();
            {
              const Workers::Pause pause(*workers);
            }
            if (first) all_nap.count_down();
          }
        },
        &napper);
  }
  all_nap.wait();
  workers->submit(
      [&] {
        answered = true;
        done.count_down();
      },
      &neighbour);
  done.wait();
}

// A client that submits itself again is not new.
TEST(Workers, ServeWhoHasUsedLittleBeforeThoseWhoSubmitThemselvesAgain) {
  constexpr int kMany = 20;
  std::atomic<int> turns{0};
  std::atomic<bool> ends{false};
  std::array<Workers::Client, kMany> busy;
  Workers::Client neighbour;
  Workers* same = nullptr;
  const std::function<void(std::size_t)> again = [&](std::size_t which) {
    spend_a_turn();
    ++turns;
    if (!ends) same->submit([&, which] { again(which); }, &busy.at(which));
  };
  int waited = 0;
  std::latch done(1);
  const auto workers = make(1);
  same = workers.get();
  for (std::size_t i = 0; i < busy.size(); ++i) workers->submit([&, i] { again(i); }, &busy.at(i));
  while (turns < 3 * kMany) std::this_thread::yield();
  const int before = turns;
  workers->submit(
      [&] {
        waited = turns - before;
        ends = true;
        done.count_down();
      },
      &neighbour);
  done.wait();
  EXPECT_LT(waited, kMany / 4) << "turns of others that it had to wait for";
}

// All of them had used nothing when they came, beside one that had used more, as the one that is to be ended had. An
// end is a few pieces of work one after the other.
TEST(Workers, ServeAnEndBeforeThoseThatBurn) {
  constexpr int kMany = 20, kPieces = 5;
  std::atomic<int> turns{0}, alone{0};
  std::atomic<bool> ends{false};
  std::array<Workers::Client, kMany> busy;
  Workers::Client first;
  Workers* same = nullptr;
  std::latch was_alone(1), done(1);
  const std::function<void()> burn_alone = [&] {
    spend_a_turn();
    if (++alone < 15) return same->submit(burn_alone, &first);
    was_alone.count_down();
  };
  const std::function<void(std::size_t)> again = [&](std::size_t which) {
    spend_a_turn();
    ++turns;
    if (!ends) same->submit([&, which] { again(which); }, &busy.at(which));
  };
  int before = 0, waited = 0;
  const std::function<void(int)> end = [&](int pieces) {
    if (pieces > 1) return same->submit([&, pieces] { end(pieces - 1); }, &busy.front());
    waited = turns - before;
    ends = true;
    done.count_down();
  };
  const auto workers = make(1);
  same = workers.get();
  workers->submit(burn_alone, &first);
  was_alone.wait();
  for (std::size_t i = 0; i < busy.size(); ++i) workers->submit([&, i] { again(i); }, &busy.at(i));
  while (turns < 3 * kMany) std::this_thread::yield();
  before = turns;
  workers->favour(busy.front());
  workers->submit([&] { end(kPieces); }, &busy.front());
  done.wait();
  EXPECT_LT(waited, kMany) << "turns of others, and of its own guest, that it had to wait for";
}

TEST(Workers, LetAGuestEndWithoutAPermitThatWasEndedWhileItWaited) {
  std::atomic<std::uint32_t> ended{0};
  Workers::Client client;
  std::latch holds(1), woken(1), done(1);
  const auto workers = make(1);
  workers->submit(
      [&] {
        {
          const Workers::Pause pause(*workers, Workers::seat_of_this_thread(), &ended);
          holds.wait();  // somebody else has the permit
        }
        EXPECT_FALSE(Workers::seat_of_this_thread().holds_permit);
        woken.count_down();
      },
      &client);
  workers->submit([&] {
    holds.count_down();
    ended = 1;
    workers->wake_ended(&client);
    woken.wait();
    done.count_down();
  });
  done.wait();
}

// A guest that was ended or is out of time is not to wait until others have had their turns.
TEST(Workers, WakeAGuestThatWasPutAsideWhenItIsEnded) {
  const auto workers = make(1);
  std::atomic<std::uint32_t> ended{0};
  std::latch holds(1), woken(1), done(1);
  workers->submit([&] {
    workers->submit([&] {
      holds.count_down();
      woken.wait();
      done.count_down();
    });
    while (ended == 0) static_cast<void>(workers->take_turn(0, Workers::seat_of_this_thread(), {.ended = &ended}));
    EXPECT_FALSE(Workers::seat_of_this_thread().holds_permit);
    woken.count_down();
  });
  holds.wait();
  ended = 1;
  workers->wake_ended();
  done.wait();
}

TEST(Workers, WakeAGuestThatWasPutAsideWhenItsTimeIsOver) {
  const auto workers = make(1);
  std::latch woken(1), done(1);
  workers->submit([&] {
    workers->submit([&] {
      woken.wait();
      done.count_down();
    });
    const std::uint64_t end = kernel_ns(CLOCK_MONOTONIC) + 1'000'000;
    while (kernel_ns(CLOCK_MONOTONIC) < end) {
      static_cast<void>(workers->take_turn(0, Workers::seat_of_this_thread(), {.deadline_ns = end}));
    }
    woken.count_down();
  });
  done.wait();
}

TEST(Workers, AreAtLeastOneAndNoMoreThanThreads) {
  EXPECT_EQ(Workers::create({.workers = 0}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(Workers::create({.workers = 3, .threads_max = 2}).error().code, ErrorCode::validation_failed);
}

TEST(Workers, WaitForAThreadWhenThereAreNoMore) {
  std::atomic<int> ran{0};
  {
    const auto workers = make(2, 2);
    for (int i = 0; i < 50; ++i) workers->submit([&] { ++ran; });
  }
  EXPECT_EQ(ran, 50);
}

}  // namespace
}  // namespace petri
