#include "sandbox/limits/live_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/turns/process_time.h"
#include "sandbox/parts_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// The fields that are refused.
std::vector<std::string> refused(const SandboxLimits& before, const SandboxLimits& after, const Occupied& used) {
  std::vector<std::string> fields;
  const auto fits = check_in_use(before, after, used);
  if (fits) return fields;
  for (const auto& detail : fits.error().details) fields.push_back(detail.key);
  return fields;
}

SandboxLimits with(const LimitChanges& changes) { return *with_changes(SandboxLimits::of(Profile::standard), changes); }

TEST(CheckInUse, RefusesWhatIsLoweredBelowWhatIsInUse) {
  const SandboxLimits before = with({.process_memory_bytes_max = 8 << 20});
  const Occupied used{
      .memory_bytes = 4 << 20, .processes = 3, .memory_by_process = {{"small", 1 << 20}, {"large", 3 << 20}}};
  const struct {
    LimitChanges changes;
    std::vector<std::string> refused;
  } rows[] = {
      {{}, {}},
      {{.memory_bytes_max = 4 << 20}, {}},
      {{.memory_bytes_max = (4 << 20) - 1}, {"limits.memory_bytes_max"}},
      {{.processes_max = 3}, {}},
      {{.processes_max = 2}, {"limits.processes_max"}},
      {{.process_memory_bytes_max = 3 << 20}, {}},
      {{.process_memory_bytes_max = 2 << 20}, {"limits.process_memory_bytes_max"}},
      {{.process_memory_bytes_max = 1 << 19}, {"limits.process_memory_bytes_max", "limits.process_memory_bytes_max"}},
      {{.memory_bytes_max = 1 << 20, .processes_max = 1}, {"limits.memory_bytes_max", "limits.processes_max"}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(refused(before, *with_changes(before, row.changes), used), row.refused) << &row - rows;
  }
}

TEST(CheckInUse, RefusesNothingThatStaysOrGrows) {
  const SandboxLimits limits = with({.process_memory_bytes_max = 1 << 20, .processes_max = 2});
  const Occupied used{.memory_bytes = UINT64_MAX, .processes = 9, .memory_by_process = {{"a", UINT64_MAX}}};
  EXPECT_THAT(refused(limits, limits, used), IsEmpty());
  EXPECT_THAT(refused(limits, *with_changes(limits, {.processes_max = 3}), used), IsEmpty());
}

TEST(CheckInUse, HoldsNoProcessToALimitThatWasNeverSet) {
  const SandboxLimits before = SandboxLimits::of(Profile::standard);
  const SandboxLimits after = with({.memory_bytes_max = 2 << 20});
  ASSERT_LT(after.process_memory_bytes_max, before.process_memory_bytes_max) << "it follows";
  EXPECT_THAT(refused(before, after, {.memory_bytes = 1 << 20, .memory_by_process = {{"a", 3 << 20}}}), IsEmpty());
}

class LiveLimitsTest : public PartsFixture {
 protected:
  std::atomic<Permissions> granted_{Permissions::standard()};
  const ProfileSpec profile_ = Profile::standard;
  LiveLimits live_{{.owner = owner_,
                    .timers = *timers_,
                    .journal = journal_,
                    .standing = standing_,
                    .processes = processes_,
                    .runs = run_table_,
                    .modules = modules_,
                    .folder = nullptr,
                    .granted = granted_,
                    .profile = profile_}};
};

TEST_F(LiveLimitsTest, HoldAtOnceAndAreReported) {
  clock_.advance(5s);
  ASSERT_TRUE(live_.update_limits({.processes_max = 7, .cpu_percent_max = 50}));
  EXPECT_EQ(limits().processes_max, 7U);
  EXPECT_EQ(standing_.facts().updated, clock_.wall_now());
  EXPECT_THAT(entries(), ElementsAre("limits_changed update_limits"));
}

TEST_F(LiveLimitsTest, StayAsTheyWereWhenOneOfThemIsRefused) {
  set_running();
  start("a");
  start("b");
  const auto refused = live_.update_limits({.processes_max = 1, .threads_max = 3});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(limits(), SandboxLimits::of(Profile::standard));
}

TEST_F(LiveLimitsTest, ArePartOfASandboxThatExists) {
  standing_.set_destroyed();
  EXPECT_EQ(live_.update_limits({}).error().code, ErrorCode::not_found);
  EXPECT_EQ(live_.update_permissions(Permissions::standard()).error().code, ErrorCode::not_found);
}

TEST_F(LiveLimitsTest, SetATimerForWorkThatIsUnderWay) {
  const auto run = std::make_shared<SandboxRun>();
  ASSERT_TRUE(run_table_.add(run, 1));
  ASSERT_TRUE(run_table_.begin(run, to_ns(clock_.now())));
  ASSERT_TRUE(
      live_.update_limits({.execution_time_max = std::chrono::nanoseconds(limits().execution_time_max.count() + 1)}));
  EXPECT_EQ(timers_->waiting(), 0U) << "nothing is shortened";
  ASSERT_TRUE(live_.update_limits({.execution_time_max = std::chrono::milliseconds(1)}));
  EXPECT_EQ(timers_->waiting(), 1U);
}

TEST_F(LiveLimitsTest, PermissionsHoldAtOnceAndAreReported) {
  ASSERT_TRUE(live_.update_permissions({}));
  EXPECT_EQ(granted_.load(), Permissions{});
  EXPECT_THAT(entries(), ElementsAre("permissions_changed update_permissions"));
}

}  // namespace
}  // namespace petri
