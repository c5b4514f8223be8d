#include "petri/profile.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(Profile, SetsLimits) {  // Q01
  EXPECT_EQ(SandboxLimits::of(Profile::high).memory_bytes_max, 64U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::high).processes_max, 50U);
  EXPECT_EQ(SandboxLimits::of(Profile::high).execution_time_max, std::chrono::seconds(60));
  EXPECT_EQ(SandboxLimits::of(Profile::high).module_bytes_max, 1U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::medium).memory_bytes_max, 128U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::medium).processes_max, 100U);
  EXPECT_EQ(SandboxLimits::of(Profile::medium).execution_time_max, std::chrono::seconds(300));
  EXPECT_EQ(SandboxLimits::of(Profile::medium).module_bytes_max, 5U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::low).memory_bytes_max, 256U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::low).processes_max, 200U);
  EXPECT_EQ(SandboxLimits::of(Profile::low).execution_time_max, std::chrono::seconds(600));
  EXPECT_EQ(SandboxLimits::of(Profile::low).module_bytes_max, 10U << 20);
}

TEST(Profile, KeepsTheLimitsAChangeDoesNotName) {  // Q01
  const auto limits = with_changes(SandboxLimits::of(Profile::high), {{"processes_max", 7}});
  SandboxLimits expected = SandboxLimits::of(Profile::high);
  expected.processes_max = 7;
  EXPECT_EQ(*limits, expected);
}

TEST(Profile, LeavesAllOtherLimitsAsTheyAre) {  // Q02
  for (const Profile profile : {Profile::high, Profile::medium, Profile::low}) {
    const SandboxLimits limits = SandboxLimits::of(profile);
    EXPECT_EQ(limits.message_queue_max, 10'000U);
    EXPECT_EQ(limits.message_bytes_max, 65'536U);
    EXPECT_EQ(limits.timers_max, 1'000U);
    EXPECT_EQ(limits.file_bytes_max, 10U << 20);
    EXPECT_EQ(limits.output_bytes_max, 1U << 20);
    EXPECT_EQ(limits.log_bytes_per_second_max, 64U << 10);
    EXPECT_EQ(limits.call_depth_max, 1'024U);
    EXPECT_EQ(limits.state_bytes_max, 16U << 20);
    EXPECT_EQ(limits.versions_max, 10U);
    EXPECT_EQ(limits.fuel_max, 1'000'000'000U);
    EXPECT_EQ(limits.call_fuel_max, std::nullopt);
    // Nothing differs from profile to profile but what a profile sets.
    SandboxLimits same = SandboxLimits::of(Profile::medium);
    same.cpu_percent_max = limits.cpu_percent_max;
    same.memory_bytes_max = limits.memory_bytes_max;
    same.process_memory_bytes_max = limits.memory_bytes_max;
    same.processes_max = limits.processes_max;
    same.execution_time_max = limits.execution_time_max;
    same.module_bytes_max = limits.module_bytes_max;
    EXPECT_EQ(limits, same) << name_of(profile);
  }
}

TEST(Profile, GrantsPermissionsAndKeepsAnAudit) {  // P01
  EXPECT_EQ(rule_of(Profile::high).permissions.to_text(), "messages timers spawn");
  EXPECT_EQ(rule_of(Profile::medium).permissions.to_text(), "messages timers spawn log clock random file_read");
  EXPECT_EQ(rule_of(Profile::low).permissions.to_text(), "messages timers spawn log clock random file_read file_write");
  EXPECT_EQ(rule_of(Profile::high).audit, AuditLevel::full);
  EXPECT_EQ(rule_of(Profile::medium).audit, AuditLevel::basic);
  EXPECT_EQ(rule_of(Profile::low).audit, AuditLevel::basic);
  EXPECT_EQ(Permissions::medium(), rule_of(Profile::medium).permissions);
  for (const ProfileRule& rule : profile_rules()) EXPECT_EQ(profile_named(name_of(rule.profile)), rule.profile);
}

TEST(ProfileSpec, HasTheNameOfItsBaseUnlessItHasItsOwn) {
  EXPECT_EQ(ProfileSpec(Profile::low).title(), "low");
  ProfileSpec own(Profile::low);
  own.name = "workshop";
  EXPECT_EQ(own.title(), "workshop");
  EXPECT_EQ(ProfileSpec().title(), "");
}

}  // namespace
}  // namespace petri
