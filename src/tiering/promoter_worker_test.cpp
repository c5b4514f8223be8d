// The promoter with the real engines, whose compilations run in a worker that can be killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"
#include "engine/engine.h"
#include "tiering/hot_code.h"
#include "tiering/promoter.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class PromoterWorkerTest : public testing::Test {
 protected:
  ~PromoterWorkerTest() override { inject_compile_fault(CompileFault::none, 0); }

  void make(std::chrono::nanoseconds time_max, MachineCodeOptions compile = {}) {
    promoter_.emplace(
        PromoterOptions{.time_max = time_max,
                        .compile = std::move(compile),
                        .on_unavailable = [this](const Error& error) { unavailable_.push_back(error.message); }},
        clock_, modules_);
  }
  void settle(std::uint64_t count = 1) const {
    while (promoter_->promotions() + promoter_->given_up() < count) std::this_thread::yield();
  }
  static ArtifactPtr artifact(int number) {
    const std::string text = "(module (func (export \"f\") (result i32) (i32.const " + std::to_string(number) + ")))";
    return *wasm_engine().prepare_wat(text, 1 << 20);
  }

  SystemClock clock_;
  CompiledModules modules_{10};
  std::vector<std::string> unavailable_;
  std::optional<Promoter> promoter_;
};

TEST_F(PromoterWorkerTest, CompilesInAWorker) {
  make(seconds(60));
  const PromotionPtr promotion = promoter_->promote(artifact(1), {});
  settle();
  ASSERT_NE(promotion->code(), nullptr);
  EXPECT_EQ(promotion->code()->tier(), Tier::compiled);
}

// Behind one that never ends, more wait than a client may have waiting.
TEST_F(PromoterWorkerTest, CodeThatTooManyWaitedForIsAskedForAgain) {
  make(milliseconds(500));
  const int client = 0;
  std::vector<ArtifactPtr> kept;
  std::vector<PromotionPtr> waiting;
  const auto promote = [&](int number) {
    kept.push_back(artifact(number));
    waiting.push_back(promoter_->promote(kept.back(), {}, &client));
    return waiting.back() != nullptr;
  };
  inject_compile_fault(CompileFault::never_ends);
  EXPECT_TRUE(promote(100));
  while (compile_faults_left() > 0) std::this_thread::yield();
  int room = 0;
  while (promote(101 + room)) ++room;
  EXPECT_EQ(room, 128);
  const ArtifactPtr another = artifact(1'000);
  HotCode hot(*promoter_, another, {}, 1);
  hot.add_instance(&client);
  EXPECT_EQ(hot.compiled(), nullptr);
  waiting.clear();  // nobody wants them any more
  kept.clear();
  const auto patience = std::chrono::steady_clock::now() + seconds(30);
  while (hot.compiled() == nullptr && std::chrono::steady_clock::now() < patience) {
    hot.add_instance(&client);
    std::this_thread::yield();
  }
  EXPECT_NE(hot.compiled(), nullptr);
}

TEST_F(PromoterWorkerTest, AWorkerThatWasKilledIsReplacedAndTheCompilationTriedAgain) {
  make(seconds(60));
  inject_compile_fault(CompileFault::kills_itself, 1);
  const PromotionPtr promotion = promoter_->promote(artifact(2), {});
  settle();
  EXPECT_NE(promotion->code(), nullptr);
  EXPECT_EQ(promoter_->given_up(), 0U);
}

TEST_F(PromoterWorkerTest, OneThatIsKilledTwiceIsGivenUp) {
  make(seconds(60));
  inject_compile_fault(CompileFault::kills_itself, 2);
  promoter_->promote(artifact(3), {});
  settle();
  EXPECT_EQ(promoter_->given_up(), 1U);
  EXPECT_EQ(promoter_->promote(artifact(3), {}), nullptr);
}

TEST_F(PromoterWorkerTest, GivesUpWhatTakesTooLongOrTooMuchAndContinuesWithOthers) {
  make(milliseconds(200), {.memory_bytes_max = 64 << 20});
  inject_compile_fault(CompileFault::never_ends, 1);
  promoter_->promote(artifact(4), {});
  settle();
  EXPECT_EQ(promoter_->given_up(), 1U);
  make(seconds(60), {.memory_bytes_max = 64 << 20});
  inject_compile_fault(CompileFault::eats_memory, 1);
  promoter_->promote(artifact(5), {});
  promoter_->promote(artifact(6), {});
  settle(2);
  EXPECT_EQ(promoter_->given_up(), 1U);
  EXPECT_EQ(promoter_->promotions(), 1U);
}

// The command had its answer, and waited 40 seconds for a compilation that nobody needed any more.
TEST_F(PromoterWorkerTest, EndsWithoutWaitingForACompilation) {
  make(seconds(100));
  inject_compile_fault(CompileFault::never_ends, 1);
  promoter_->promote(artifact(7), {});
  while (compile_faults_left() > 0) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  promoter_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_TRUE(settle_compile_workers(seconds(10)));
}

TEST_F(PromoterWorkerTest, SaysOnceThatThereIsNoWorkerAndTriesNoMore) {
  make(seconds(60), {.worker = "/nowhere/worker"});
  promoter_->promote(artifact(8), {});
  settle();
  EXPECT_TRUE(promoter_->is_unavailable());
  EXPECT_EQ(promoter_->promote(artifact(9), {}), nullptr);
  promoter_.reset();
  ASSERT_EQ(unavailable_.size(), 1U);
  EXPECT_THAT(unavailable_.front(), HasSubstr("/nowhere/worker"));
}

TEST_F(PromoterWorkerTest, CompilesInThisProcessOnlyWhenAsked) {
  make(seconds(60), {.worker = "/nowhere/worker", .in_process = true});
  promoter_->promote(artifact(10), {});
  settle();
  EXPECT_EQ(promoter_->promotions(), 1U);
}

}  // namespace
}  // namespace petri
