#include "sandbox/calls/completions.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace petri {
namespace {

TEST(Completions, GetTheAnswer) {
  Completions completions;
  ErrorCode code = ErrorCode::rejected;
  completions.complete([&](const Result<Outcome>& result) { code = result.error().code; },
                       fail(ErrorCode::cancelled, "it was"));
  EXPECT_EQ(code, ErrorCode::cancelled);
  EXPECT_EQ(completions.threw(), 0U);
}

TEST(Completions, AreCountedWhenTheyThrow) {
  Completions completions;
  completions.complete([](const Result<Outcome>&) { throw std::runtime_error("of the embedder"); }, Outcome{});
  completions.complete([](const Result<Outcome>&) { throw 1; }, Outcome{});
  EXPECT_EQ(completions.threw(), 2U);
}

TEST(Completions, NeedNotBeGiven) {
  Completions completions;
  completions.complete(nullptr, Outcome{});
  EXPECT_EQ(completions.threw(), 0U);
}

TEST(Completions, NumberCallsFromOne) {
  Completions completions;
  EXPECT_EQ(completions.next_number(), 1U);
  EXPECT_EQ(completions.next_number(), 2U);
}

TEST(Completions, CountLateAnswersBesideThoseThatThrew) {
  Completions completions;
  completions.add_late();
  EXPECT_EQ(completions.late(), 1U);
  EXPECT_EQ(completions.threw(), 0U);
}

}  // namespace
}  // namespace petri
