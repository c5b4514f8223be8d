#include <gtest/gtest.h>

#include <set>

#include "petri/events.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

TEST(EventKind, IsFoundByItsName) {
  std::set<std::string_view> names;
  for (const EventKind kind : all_event_kinds()) {
    EXPECT_EQ(event_kind_named(name_of(kind)), kind);
    names.insert(name_of(kind));
  }
  EXPECT_EQ(names.size(), all_event_kinds().size());
  EXPECT_EQ(name_of(EventKind::killed_resource_limit), "killed.resource_limit");
  EXPECT_EQ(event_kind_named("sandbox_created"), std::nullopt);
}

TEST(EventKinds, HoldWhatTheyWereGiven) {
  const EventKinds kinds{EventKind::run_start, EventKind::run_stop};
  for (const EventKind kind : all_event_kinds()) {
    EXPECT_EQ(kinds.has(kind), kind == EventKind::run_start || kind == EventKind::run_stop) << name_of(kind);
    EXPECT_TRUE(EventKinds::all().has(kind)) << name_of(kind);
    EXPECT_FALSE(EventKinds().has(kind)) << name_of(kind);
  }
  EXPECT_TRUE(EventKinds().empty());
  EXPECT_EQ(EventKinds{EventKind::run_start}.with({EventKind::run_stop}), kinds);
}

TEST(Event, KeepsDetailsWithTheirTypes) {
  Event event;
  event.add("cause", "deadline").add("exit_code", -3).add("bytes", 7U).add("percent", 0.5F).add("duration_ns", 2us);
  EXPECT_EQ(*event.detail("cause"), EventValue("deadline"));
  EXPECT_EQ(*event.detail("exit_code"), EventValue(std::int64_t{-3}));
  EXPECT_EQ(*event.detail("bytes"), EventValue(std::uint64_t{7}));
  EXPECT_EQ(*event.detail("percent"), EventValue(0.5));
  EXPECT_EQ(*event.detail("duration_ns"), EventValue(std::int64_t{2'000}));
  EXPECT_EQ(event.detail("missing"), nullptr);
}

TEST(Event, AnswersTextsAndCountsWithoutFuss) {
  Event event;
  event.add("cause", "deadline").add("exit_code", -3).add("bytes", 7U).add("restarts", 2);
  EXPECT_EQ(event.text("cause"), "deadline");
  EXPECT_EQ(event.text("bytes"), "");
  EXPECT_EQ(event.text("missing"), "");
  EXPECT_EQ(event.count("bytes"), 7U);
  EXPECT_EQ(event.count("restarts"), 2U);
  EXPECT_EQ(event.count("exit_code"), 0U);
  EXPECT_EQ(event.count("cause"), 0U);
  EXPECT_EQ(event.count("missing"), 0U);
}

TEST(Event, CutsLongTextBetweenTwoCharacters) {
  Event event;
  std::string longest(kEventTextBytesMax, 'a');
  std::string umlauts;
  while (umlauts.size() <= kEventTextBytesMax) umlauts += "ä";
  event.add("longest", longest).add("longer", longest + "a").add("umlauts", umlauts);
  EXPECT_EQ(event.text("longest"), longest);
  EXPECT_EQ(event.text("longer"), std::string(kEventTextBytesMax - 3, 'a') + "…");
  EXPECT_EQ(event.text("umlauts"), umlauts.substr(0, 1'020) + "…");
}

}  // namespace
}  // namespace petri
