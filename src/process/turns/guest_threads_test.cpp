#include "process/turns/guest_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <vector>

namespace petri {
namespace {

// Tasks that hold their thread, as guests that wait do, until they are let go.
class Holders {
 public:
  Holders(Workers& workers, GuestThreads& threads) : workers_(workers), threads_(threads) {}
  ~Holders() { go(); }

  void submit(GuestThreads::Share& share, std::size_t share_max) {
    threads_.submit(share, share_max, [this] {
      ++started_;
      started_.notify_all();
      const Workers::Pause pause(workers_);
      gate_.wait();
    });
  }
  void wait_for(int started) {
    for (int now = started_; now < started; now = started_) started_.wait(now);
  }
  int started() const { return started_; }
  void go() {
    if (!std::exchange(gone_, true)) open_.set_value();
  }

 private:
  Workers& workers_;
  GuestThreads& threads_;
  std::atomic<int> started_{0};
  std::promise<void> open_;
  std::shared_future<void> gate_ = open_.get_future().share();
  bool gone_ = false;
};

class GuestThreadsTest : public ::testing::Test {
 protected:
  explicit GuestThreadsTest(std::size_t threads_max = 20, std::size_t reserve = 8)
      : workers_(std::move(*Workers::create({.workers = 2, .threads_max = threads_max}))),
        threads_(*workers_, threads_max, reserve),
        holders_(std::make_unique<Holders>(*workers_, threads_)) {}
  ~GuestThreadsTest() override {
    holders_->go();
    workers_.reset();
  }

  std::unique_ptr<Workers> workers_;
  GuestThreads threads_;
  std::unique_ptr<Holders> holders_;
  GuestThreads::Share greedy_, modest_, late_;
};

TEST_F(GuestThreadsTest, GiveASandboxNoMoreThanItsLimitAndTheRestLater) {
  for (int i = 0; i < 10; ++i) holders_->submit(greedy_, 3);
  holders_->wait_for(3);
  EXPECT_EQ(threads_.running(greedy_), 3U);
  EXPECT_EQ(holders_->started(), 3);
  holders_->go();
  holders_->wait_for(10);
}

// A hundred guests that wait leave a thread for whoever has none.
TEST_F(GuestThreadsTest, KeepTheReserveForThoseWhoHaveNone) {
  std::vector<GuestThreads::Share> many(6);
  for (GuestThreads::Share& one : many) {
    for (int i = 0; i < 10; ++i) holders_->submit(one, 1'000);
  }
  std::size_t running = 0;
  for (const GuestThreads::Share& one : many) running += threads_.running(one);
  EXPECT_EQ(running, 12U);
  std::latch answered(1);
  threads_.submit(modest_, 1'000, [&] { answered.count_down(); });
  answered.wait();
  // Work of the runtime itself asks nobody.
  std::latch stopped(1);
  workers_->submit([&] { stopped.count_down(); });
  stopped.wait();
  holders_->go();
  workers_.reset();
}

class ManyGuestThreadsTest : public GuestThreadsTest {
 protected:
  ManyGuestThreadsTest() : GuestThreadsTest(60, 8) {}
};

// Sandboxes of guests that sleep took all threads, and a hundred others shared half of the reserve.
TEST_F(ManyGuestThreadsTest, LeaveSomeHoweverManySandboxesWantAll) {
  std::vector<GuestThreads::Share> hostile(8), honest(10);
  for (GuestThreads::Share& one : hostile) {
    for (int i = 0; i < 30; ++i) holders_->submit(one, 1'000);
  }
  for (GuestThreads::Share& one : honest) {
    holders_->submit(one, 1'000);
    EXPECT_EQ(threads_.running(one), 1U);
  }
  for (GuestThreads::Share& one : hostile) EXPECT_GE(threads_.running(one), 2U);
  holders_->go();
  workers_.reset();
  EXPECT_EQ(holders_->started(), 8 * 30 + 10);
}

TEST_F(ManyGuestThreadsTest, GiveASandboxAloneAFifth) {
  for (int i = 0; i < 30; ++i) holders_->submit(greedy_, 1'000);
  EXPECT_EQ(threads_.running(greedy_), 11U) << "41 of 52 are left";
  holders_->go();
  holders_->wait_for(30);
}

TEST_F(GuestThreadsTest, HurryWhatAnEndWaitsFor) {
  holders_->submit(greedy_, 1);
  holders_->wait_for(1);
  std::latch ended(1);
  std::atomic<int> later{0};
  const std::uint64_t number = threads_.submit(greedy_, 1, [&] { ended.count_down(); });
  threads_.submit(greedy_, 1, [&] { ++later; });
  threads_.hurry(greedy_, 1, number);
  ended.wait();
  EXPECT_EQ(later, 0);
  threads_.hurry(greedy_, 1, number);  // it waits no more
  holders_->go();
  workers_.reset();
  EXPECT_EQ(later, 1);
  EXPECT_EQ(threads_.running(greedy_), 0U);
}

TEST_F(GuestThreadsTest, HurryTheLastOfASandboxThatWaitsForOthers) {
  for (GuestThreads::Share* one : {&modest_, &late_, &greedy_}) {
    for (int i = 0; i < 2; ++i) holders_->submit(*one, 1'000);
  }
  holders_->submit(greedy_, 1'000);
  std::latch ended(1);
  const std::uint64_t number = threads_.submit(greedy_, 1'000, [&] { ended.count_down(); });
  threads_.hurry(greedy_, 1'000, number);
  ended.wait();
  holders_->go();
  workers_.reset();
  EXPECT_EQ(threads_.running(greedy_), 0U);
}

// A hundred guests that slept took a hundred mebibytes that were on nobody's account.
TEST_F(ManyGuestThreadsTest, GiveASandboxNoMoreThanItsMemoryPaysFor) {
  SandboxLimits limits;
  limits.memory_bytes_max = 8 << 20;
  TreeAccount account(std::make_shared<SandboxLimits>(limits));
  GuestThreads::Share pays(&account);
  for (int i = 0; i < 20; ++i) holders_->submit(pays, 1'000);
  holders_->wait_for(6);
  EXPECT_EQ(threads_.running(pays), 6U) << "two that are free, and four mebibytes of eight";
  EXPECT_EQ(account.taken(), 4U << 20);
  holders_->go();
  workers_.reset();
  EXPECT_EQ(threads_.running(pays), 0U);
  EXPECT_EQ(account.taken(), 0U);
}

TEST_F(GuestThreadsTest, RunWhatWaitsBeforeTheWorkersEnd) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 300; ++i) {
    GuestThreads::Share& share = i % 3 == 0 ? greedy_ : i % 3 == 1 ? modest_ : late_;
    threads_.submit(share, 2, [&] { ++ran; });
  }
  workers_.reset();
  EXPECT_EQ(ran, 300);
  EXPECT_EQ(threads_.running(greedy_) + threads_.running(modest_) + threads_.running(late_), 0U);
}

}  // namespace
}  // namespace petri
