#include "sandbox/under_way.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <optional>

namespace petri {
namespace {

TEST(UnderWay, IsWaitedForUntilTheLastVerbHasReturned) {
  const auto all = std::make_shared<UnderWay>();
  all->wait_until_none();
  std::optional<UnderWay::Verb> first(std::in_place, all), second(std::in_place, all);
  std::atomic<bool> returned{false};
  const auto waiting = std::async(std::launch::async, [&] {
    all->wait_until_none();
    EXPECT_TRUE(returned);
  });
  first.reset();
  returned = true;
  second.reset();
  waiting.wait();
}

}  // namespace
}  // namespace petri
