#include "telemetry/usage/usage_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/event_rules_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

// O10, as far as the event goes
TEST(UsageEvent, HasAllOfTheUsageByTheRules) {
  Event event{.kind = EventKind::usage_sampled};
  add_usage(event, {.memory_bytes = 1,
                    .host_bytes = 8,
                    .processes = 2,
                    .messages = 3,
                    .descriptors = 9,
                    .threads = 10,
                    .fuel_used = 4,
                    .cpu_time = 5ns,
                    .cpu_percent = 6.5,
                    .uptime = 7ns});
  EXPECT_THAT(faults_of(event), ::testing::IsEmpty());
  EXPECT_EQ(event.count("memory_bytes"), 1U);
  EXPECT_EQ(event.count("host_bytes"), 8U);
  EXPECT_EQ(event.count("descriptors"), 9U);
  EXPECT_EQ(event.count("threads"), 10U);
  EXPECT_EQ(event.count("processes"), 2U);
  EXPECT_EQ(event.count("messages"), 3U);
  EXPECT_EQ(event.count("fuel_used"), 4U);
  EXPECT_EQ(event.count("cpu_time_ns"), 5U);
  EXPECT_EQ(*event.detail("cpu_percent"), EventValue(6.5));
  EXPECT_EQ(event.count("uptime_ns"), 7U);
}

}  // namespace
}  // namespace petri
