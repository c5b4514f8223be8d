#include "process/turns/fair_line.h"

#include <gtest/gtest.h>

#include <array>

namespace petri {
namespace {

TEST(FairLine, ServesWhoHasUsedLeast) {
  FairLine line;
  FairLine::Member much, little;
  FairLine::Place place_of_much, place_of_little;
  much.add_used(10);
  line.add(much, place_of_much);
  line.add(little, place_of_little);
  EXPECT_EQ(line.first(), &little);
  little.add_used(20);  // while it stands there
  EXPECT_EQ(line.first(), &much);
  line.remove(much, place_of_much);
  EXPECT_EQ(line.first(), &little);
  line.remove(little, place_of_little);
  EXPECT_EQ(line.first(), nullptr);
}

TEST(FairLine, ServesEqualsInTheOrderInWhichTheyCame) {
  FairLine line;
  std::array<FairLine::Member, 3> members;
  std::array<FairLine::Place, 3> places;
  for (std::size_t i = 0; i < members.size(); ++i) line.add(members.at(i), places.at(i));
  for (std::size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ(line.first(), &members.at(i));
    line.remove(members.at(i), places.at(i));
  }
}

TEST(FairLine, NeitherSavesNorOwesMoreThanACredit) {
  constexpr std::uint64_t kFloor = 100 * FairLine::kCredit;
  FairLine::Member idle, busy, usual;
  idle.come_back(kFloor, 0);
  EXPECT_EQ(idle.rank(), kFloor - FairLine::kCredit);
  busy.add_used(2 * kFloor);
  busy.come_back(kFloor, 0);
  EXPECT_EQ(busy.rank(), kFloor + FairLine::kCredit);
  busy.add_used(5);
  EXPECT_EQ(busy.rank(), kFloor + FairLine::kCredit + 5);
  usual.add_used(kFloor + 7);
  usual.come_back(kFloor, 0);
  EXPECT_EQ(usual.rank(), kFloor + 7);
}

// Where many burn who all had nothing when they came, a favour that ranked it with them would put it behind them.
TEST(FairLine, RanksAFavouredOneBeforeThoseWhoUsedNothingUntilItHasUsedACredit) {
  constexpr std::uint64_t kFloor = 100 * FairLine::kCredit;
  FairLine::Member idle, favoured;
  idle.come_back(kFloor, 0);
  favoured.add_used(kFloor);
  favoured.favour(kFloor);
  EXPECT_EQ(favoured.rank(), kFloor - 2 * FairLine::kCredit);
  favoured.favour(kFloor + FairLine::kCredit);
  EXPECT_EQ(favoured.rank(), kFloor - 2 * FairLine::kCredit) << "it is there already";
  favoured.add_used(5);
  favoured.come_back(kFloor, 0);
  EXPECT_EQ(favoured.rank(), kFloor - 2 * FairLine::kCredit + 5);
  EXPECT_LT(favoured.rank(), idle.rank());
  favoured.add_used(FairLine::kCredit);
  favoured.come_back(kFloor, 0);
  EXPECT_GT(favoured.rank(), idle.rank());
  favoured.come_back(2 * kFloor, 0);
  EXPECT_EQ(favoured.rank(), 2 * kFloor - FairLine::kCredit) << "and then it is one of them";
}

// A short call now and then is served before those who use all they get, however slowly these advance.
TEST(FairLine, ForgivesAPartOfTheTimeInWhichNothingWasUsed) {
  constexpr std::uint64_t kFloor = 100 * FairLine::kCredit;
  FairLine::Member member;
  member.add_used(kFloor, 1'000);
  member.come_back(kFloor, 1'000);
  EXPECT_EQ(member.rank(), kFloor);
  member.come_back(kFloor, 1'000 + FairLine::kPartForgiven * 7);
  EXPECT_EQ(member.rank(), kFloor - 7);
  member.come_back(kFloor, 1'000 * FairLine::kCredit);
  EXPECT_EQ(member.rank(), kFloor - FairLine::kCredit) << "and no more than the credit";
}

}  // namespace
}  // namespace petri
