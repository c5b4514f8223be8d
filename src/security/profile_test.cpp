#include "petri/policy.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(Profile, SetsLimits) {  // Q01
  EXPECT_EQ(SandboxLimits::of(Profile::strict).memory_bytes_max, 64U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::strict).processes_max, 50U);
  EXPECT_EQ(SandboxLimits::of(Profile::strict).execution_time_max, std::chrono::seconds(60));
  EXPECT_EQ(SandboxLimits::of(Profile::strict).module_bytes_max, 1U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::standard).memory_bytes_max, 128U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::standard).processes_max, 100U);
  EXPECT_EQ(SandboxLimits::of(Profile::standard).execution_time_max, std::chrono::seconds(300));
  EXPECT_EQ(SandboxLimits::of(Profile::standard).module_bytes_max, 5U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::trusted).memory_bytes_max, 256U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::trusted).processes_max, 200U);
  EXPECT_EQ(SandboxLimits::of(Profile::trusted).execution_time_max, std::chrono::seconds(600));
  EXPECT_EQ(SandboxLimits::of(Profile::trusted).module_bytes_max, kProgramBytesMax);
}

TEST(Profile, KeepsTheLimitsAChangeDoesNotName) {  // Q01
  const auto limits = with_changes(SandboxLimits::of(Profile::strict), {.processes_max = 7});
  SandboxLimits expected = SandboxLimits::of(Profile::strict);
  expected.processes_max = 7;
  EXPECT_EQ(*limits, expected);
}

TEST(Profile, LeavesAllOtherLimitsAsTheyAre) {  // Q02
  for (const Profile profile : {Profile::strict, Profile::standard, Profile::trusted}) {
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
    SandboxLimits same = SandboxLimits::of(Profile::standard);
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
  EXPECT_EQ(rule_of(Profile::strict).permissions.to_text(), "messages timers spawn");
  EXPECT_EQ(rule_of(Profile::standard).permissions.to_text(), "messages timers spawn log clock random file_read");
  EXPECT_EQ(rule_of(Profile::trusted).permissions.to_text(),
            "messages timers spawn log clock random file_read file_write");
  EXPECT_EQ(rule_of(Profile::strict).audit, AuditLevel::full);
  EXPECT_EQ(rule_of(Profile::standard).audit, AuditLevel::basic);
  EXPECT_EQ(rule_of(Profile::trusted).audit, AuditLevel::basic);
  EXPECT_EQ(Permissions::standard(), rule_of(Profile::standard).permissions);
  for (const ProfileRule& rule : profile_rules()) EXPECT_EQ(profile_named(name_of(rule.profile)), rule.profile);
}

TEST(Profile, IsAlsoFoundByTheNameItHadBefore) {
  EXPECT_EQ(profile_named("high"), Profile::strict);
  EXPECT_EQ(profile_named("medium"), Profile::standard);
  EXPECT_EQ(profile_named("low"), Profile::trusted);
  EXPECT_EQ(profile_named("paranoid"), std::nullopt);
}

TEST(ProfileSpec, HasTheNameOfItsBaseUnlessItHasItsOwn) {
  EXPECT_EQ(ProfileSpec(Profile::trusted).title(), "trusted");
  ProfileSpec own(Profile::trusted);
  own.name = "workshop";
  EXPECT_EQ(own.title(), "workshop");
  EXPECT_EQ(ProfileSpec().title(), "");
}

}  // namespace
}  // namespace petri
