#include "sandbox/structural_control.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace petri {
namespace {

class StructuralControlTest : public ::testing::Test {
 protected:
  std::unique_ptr<Workers> workers_ = std::move(*Workers::create({.workers = 1}));
  Workers::Client client_;
  StructuralControl control_{*workers_, client_, Tier::compiled};
};

TEST_F(StructuralControlTest, GivesOneTurnAtATime) {
  {
    const auto turn = control_.take();
    EXPECT_FALSE(control_.try_take());
  }
  EXPECT_TRUE(control_.try_take());
}

TEST_F(StructuralControlTest, AsksNobodyToStopWhenTheTurnIsFree) {
  const std::stop_token loading = control_.loading();
  const auto turn = control_.take_to_end([] { ADD_FAILURE() << "nothing has to make way"; });
  EXPECT_FALSE(loading.stop_requested());
  EXPECT_FALSE(control_.is_to_end());
}

TEST_F(StructuralControlTest, WhoeverEndsTheSandboxStopsWhatAnotherIsDoing) {
  std::optional<StructuralControl::Turn> turn = control_.take();
  ASSERT_TRUE(control_.begin_runs(*turn));
  const std::stop_token loading = control_.loading(), ending = control_.ending();
  std::promise<void> asked;
  std::thread ender([&] {
    const auto to_end = control_.take_to_end([&] {
      control_.end_runs();
      asked.set_value();
    });
    EXPECT_FALSE(control_.is_to_end()) << "it has its turn";
    EXPECT_TRUE(control_.begin_runs(to_end));
  });
  asked.get_future().wait();
  EXPECT_TRUE(loading.stop_requested());
  EXPECT_TRUE(ending.stop_requested());
  EXPECT_TRUE(control_.is_to_end());
  EXPECT_FALSE(control_.begin_runs(*turn)) << "nothing is started for somebody who ends it";
  EXPECT_TRUE(control_.loading().stop_requested()) << "nor compiled";
  turn.reset();
  ender.join();
  EXPECT_FALSE(control_.loading().stop_requested()) << "a restart may compile again";
  EXPECT_FALSE(control_.ending().stop_requested());
}

TEST_F(StructuralControlTest, WhatWasAskedToEndStaysSoUntilSomethingIsStarted) {
  const auto turn = control_.take();
  control_.end_runs();
  EXPECT_TRUE(control_.ending().stop_requested());
  ASSERT_TRUE(control_.begin_runs(turn));
  EXPECT_FALSE(control_.ending().stop_requested());
}

TEST_F(StructuralControlTest, HasNoCompilationToStopInOtherTiers) {
  StructuralControl interpreted{*workers_, client_, Tier::interpreted};
  interpreted.stop_loading();
  EXPECT_FALSE(interpreted.loading().stop_possible());
}

}  // namespace
}  // namespace petri
