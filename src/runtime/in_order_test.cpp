#include "runtime/in_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace petri {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class InOrderTest : public testing::Test {
 protected:
  std::vector<int> numbers(const std::vector<const int*>& things) {
    std::vector<int> found;
    for (const int* thing : things) found.push_back(*thing);
    return found;
  }
  std::array<int, 8> values_{0, 1, 2, 3, 4, 5, 6, 7};
  InOrder<const int*> order_;
};

TEST_F(InOrderTest, KeepsTheOrderWhoeverGoes) {
  std::vector<std::uint64_t> added;
  for (const int& value : values_) added.push_back(order_.add(&value));
  for (const int gone : {0, 3, 7}) order_.remove(added[static_cast<std::size_t>(gone)]);
  EXPECT_EQ(order_.size(), 5U);
  EXPECT_THAT(numbers(order_.all()), ElementsAre(1, 2, 4, 5, 6));
  order_.add(&values_[3]);
  EXPECT_THAT(numbers(order_.all()), ElementsAre(1, 2, 4, 5, 6, 3));
}

TEST_F(InOrderTest, CountsPlacesWithoutThoseWhoWent) {
  std::vector<std::uint64_t> added;
  for (const int& value : values_) added.push_back(order_.add(&value));
  order_.remove(added[1]);
  order_.remove(added[2]);
  EXPECT_THAT(numbers(order_.page(1, 2)), ElementsAre(3, 4));
  EXPECT_THAT(numbers(order_.page(4, 100)), ElementsAre(6, 7));
  EXPECT_THAT(order_.page(6, 1), IsEmpty());
  EXPECT_THAT(order_.page(100, 1), IsEmpty());
}

TEST_F(InOrderTest, ForgetsOneOnlyOnce) {
  const std::uint64_t first = order_.add(&values_[0]);
  order_.add(&values_[1]);
  order_.remove(first);
  order_.remove(first);
  order_.remove(99);
  EXPECT_EQ(order_.size(), 1U);
  for (int round = 0; round < 1'000; ++round) order_.remove(order_.add(&values_[2]));
  EXPECT_THAT(numbers(order_.all()), ElementsAre(1));
}

}  // namespace
}  // namespace petri
