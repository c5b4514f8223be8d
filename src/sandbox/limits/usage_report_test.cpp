#include "sandbox/limits/usage_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/parts_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class UsageReportTest : public PartsFixture {
 protected:
  TreeAccount& account() { return owner_.account(); }
  std::vector<std::string> warnings() {
    std::vector<std::string> all = events();
    std::erase_if(all, [](const std::string& kind) { return kind != "limit.warning"; });
    return all;
  }

  GuestThreads::Share share_;
  UsageReport usage_{{.standing = standing_,
                      .processes = processes_,
                      .account = owner_.account(),
                      .threads = guest_threads_,
                      .share = share_,
                      .clock = clock_,
                      .journal = journal_},
                     3};
};

TEST_F(UsageReportTest, HasWhatIsOnTheAccount) {
  ASSERT_TRUE(account().try_take(1'000));
  ASSERT_TRUE(account().try_hold(200));
  account().add_work(7, 9);
  const Usage now = usage_.now();
  EXPECT_EQ(now.memory_bytes, 1'000U);
  EXPECT_EQ(now.host_bytes, 200U);
  EXPECT_EQ(now.fuel_used, 7U);
  EXPECT_EQ(now.cpu_time, 9ns);
  EXPECT_EQ(now.cpu_percent, 0.0) << "there is no sample to compare with";
}

TEST_F(UsageReportTest, CountsTheTimeSinceItRuns) {
  clock_.advance(1s);
  EXPECT_EQ(usage_.now().uptime, 0ns);
  set_running();
  clock_.advance(2s);
  EXPECT_EQ(usage_.now().uptime, 2s);
}

TEST_F(UsageReportTest, ComparesWithTheLastSampleOnceThatIsOldEnough) {
  usage_.sample();
  account().add_work(0, std::uint64_t{250'000'000});
  clock_.advance(400ms);
  EXPECT_EQ(usage_.now().cpu_percent, 0.0) << "what the sample saw";
  clock_.advance(100ms);
  EXPECT_EQ(usage_.now().cpu_percent, 50.0);
}

TEST_F(UsageReportTest, KeepsAsManySamplesAsAskedFor) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    account().add_work(i + 1, 0);
    clock_.advance(1s);
    usage_.sample();
  }
  EXPECT_THAT(usage_.history(), SizeIs(3));
  EXPECT_EQ(usage_.history().back().usage.fuel_used, 15U);
}

TEST_F(UsageReportTest, WarnsOnceOfALimitOfWhichFourFifthsAreUsed) {
  const std::uint64_t near = limits().memory_bytes_max / 5 * 4;
  ASSERT_TRUE(account().try_take(near + 5));
  usage_.sample();
  usage_.sample();
  EXPECT_THAT(warnings(), ElementsAre("limit.warning"));
  account().give_back(near);
  usage_.sample();
  EXPECT_THAT(warnings(), IsEmpty());
  ASSERT_TRUE(account().try_take(near));
  usage_.sample();
  EXPECT_THAT(warnings(), ElementsAre("limit.warning")) << "it has been below meanwhile";
  account().give_back(near + 5);
}

TEST_F(UsageReportTest, AsksNothingOfTheRuntimeOnceItIsDestroyed) {
  set_running();
  clock_.advance(1s);
  standing_.set_destroyed();
  EXPECT_EQ(usage_.now().uptime, 0ns);
}

}  // namespace
}  // namespace petri
