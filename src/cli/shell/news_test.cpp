#include "cli/shell/news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShellNews, ComesInTheOrderItHappened) {
  ShellNews news;
  news.add_log({.text = "first"});
  news.answer_call({.number = news.begin_call(), .result = Outcome{}});
  const auto items = news.take();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(std::get<LogNews>(items[0]).text, "first");
  EXPECT_EQ(std::get<CallNews>(items[1]).number, 1U);
  EXPECT_THAT(news.take(), IsEmpty());
}

TEST(ShellNews, LosesLogLinesWhenFullAndCountsThemButNoAnswer) {
  ShellNews news;
  for (std::size_t i = 0; i < kShellNewsMax + 3; ++i) news.add_log({.text = "again"});
  news.answer_call({.number = news.begin_call(), .result = Outcome{}});
  EXPECT_EQ(news.take().size(), kShellNewsMax + 1);
  EXPECT_EQ(news.take_lost(), 3U);
  EXPECT_EQ(news.take_lost(), 0U);
}

TEST(ShellNews, WaitsForTheCallThatIsMeant) {
  ShellNews news;
  const std::uint64_t first = news.begin_call();
  const std::uint64_t second = news.begin_call();
  EXPECT_THAT(news.calls_under_way(), ElementsAre(first, second));
  std::jthread answering([&] { news.answer_call({.number = second, .result = Outcome{}}); });
  EXPECT_TRUE(news.wait_for_calls(second, std::nullopt, {}));
  EXPECT_FALSE(news.wait_for_calls(std::nullopt, ShellNews::TimePoint::min(), {}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(news.wait_for_calls(first, std::nullopt, stop.get_token()));
  news.forget_call(first);
  EXPECT_TRUE(news.wait_for_calls(std::nullopt, std::nullopt, {}));
}

}  // namespace
}  // namespace petri::cli
