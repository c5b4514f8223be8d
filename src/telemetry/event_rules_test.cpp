#include "telemetry/event_rules_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EventRules, AreOneAKindInTheirOrder) {
  ASSERT_EQ(event_rules().size(), all_event_kinds().size());
  for (const EventKind kind : all_event_kinds()) EXPECT_EQ(rule_of(kind).kind, kind) << name_of(kind);
}

TEST(EventRules, NameEachDetailOnce) {
  for (const EventRule& rule : event_rules()) {
    std::set<std::string_view> keys;
    for (const DetailRule& detail : rule.details) {
      EXPECT_TRUE(keys.insert(detail.key).second) << name_of(rule.kind) << " " << detail.key;
      EXPECT_FALSE(detail.meaning.empty()) << name_of(rule.kind) << " " << detail.key;
    }
  }
}

// The details that the acceptance list asks of events.
TEST(EventRules, TellWhatIsAskedFor) {
  const auto always = [](EventKind kind, std::string_view key) {
    for (const DetailRule& detail : rule_of(kind).details) {
      if (detail.key == key) return detail.always;
    }
    return false;
  };
  for (const auto key : {"from", "to"}) EXPECT_TRUE(always(EventKind::sandbox_status, key)) << "O02 " << key;
  EXPECT_TRUE(always(EventKind::sandbox_failed, "cause")) << "O02";
  for (const auto key : {"outcome", "fuel_used", "duration_ns"}) {
    EXPECT_TRUE(always(EventKind::run_stop, key)) << "O03 " << key;
  }
  for (const auto key : {"limit", "allowed", "seen"}) {
    EXPECT_TRUE(always(EventKind::killed_resource_limit, key)) << "O05 " << key;
    EXPECT_TRUE(always(EventKind::limit_warning, key)) << "Q24 " << key;
  }
  EXPECT_TRUE(always(EventKind::process_exited, "reason")) << "O06";
}

TEST(FaultsOf, FindsNothingInAnEventByTheRules) {
  Event event{.kind = EventKind::limit_met};
  event.add("limit", "processes_max").add("allowed", 50).add("seen", 51U);
  EXPECT_THAT(faults_of(event), IsEmpty());
  EXPECT_THAT(faults_of(event.add("count", 3)), IsEmpty());
}

TEST(FaultsOf, ListsAllThatIsWrongAtOnce) {
  Event event{.kind = EventKind::limit_met};
  event.add("limit", 50).add("allowed", "50").add("alowed", 50).add("count", 1).add("count", 2);
  EXPECT_THAT(faults_of(event),
              ElementsAre("\"limit\" of limit.met is a text.", "\"allowed\" of limit.met is an integer.",
                          "limit.met has no detail \"alowed\".", "limit.met lacks \"seen\".",
                          "limit.met has \"count\" 2 times."));
}

}  // namespace
}  // namespace petri
