#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "petri/state.h"
#include "state/state_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using enum StateType;
using Fields = std::vector<StateField>;

constexpr StatePolicy kDropAllowed{.drop = true};

StatePlan plan_of(const Fields& from, const Fields& to, const StateHints& hints = {}, StatePolicy policy = {}) {
  return StatePlan::create(schema_of(from), schema_of(to), hints, policy).value();
}

// "keep a, default b, drop c"
std::string actions_of(const StatePlan& plan) {
  std::string text;
  for (const StateStep& step : plan.steps()) {
    text.append(text.empty() ? "" : ", ").append(name_of(step.action)).append(" ");
    text += step.to ? step.to->name : step.from->name;
  }
  return text;
}

StateDocument planned_document(std::vector<StateEntry> entries) { return StateDocument::create(entries).value(); }

// A document of one scalar.
StateDocument holding(StateType type, StateValue value) {
  return planned_document({{.field = {.name = "count", .type = type}, .values = {std::move(value)}}});
}

Result<StateDocument> moved(const StateDocument& document, const Fields& to, const StateHints& hints = {},
                            StatePolicy policy = {}) {
  const auto plan = StatePlan::create(document.shared_schema(), schema_of(to), hints, policy);
  return plan->apply(document, StateDocument(schema_of(to)));
}

TEST(StatePlan, KeepsWhatIsTheSame) {  // T05
  const auto plan = plan_of({{.name = "a"}, {.name = "b", .type = f64}}, {{.name = "b", .type = f64}, {.name = "a"}});
  EXPECT_EQ(actions_of(plan), "keep a, keep b");
  EXPECT_TRUE(plan.lossless());
  EXPECT_EQ(moved(holding(i32, 41), {{.name = "count"}})->get("count").value(), StateValue(std::int64_t{41}));
}

TEST(StatePlan, GivesANewFieldTheNewVersionsOwnValue) {  // T06
  const auto plan = plan_of({{.name = "a"}}, {{.name = "a"}, {.name = "b"}});
  EXPECT_EQ(actions_of(plan), "keep a, default b");
  StateDocument old_state(schema_of({{.name = "a"}}));
  StateDocument initial(schema_of({{.name = "a"}, {.name = "b"}}));
  ASSERT_TRUE(old_state.set("a", 7));
  ASSERT_TRUE(initial.set("a", 1));
  ASSERT_TRUE(initial.set("b", 99));
  const auto state = plan.apply(old_state, initial);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->get("a").value(), StateValue(std::int64_t{7}));
  EXPECT_EQ(state->get("b").value(), StateValue(std::int64_t{99}));
}

TEST(StatePlan, DropsAFieldOnlyWithPermission) {  // T07
  const Fields both{{.name = "a"}, {.name = "b"}};
  const auto refused = plan_of(both, {{.name = "a"}});
  EXPECT_EQ(actions_of(refused), "keep a, refuse b");
  EXPECT_TRUE(refused.steps()[1].droppable);
  ASSERT_FALSE(refused.check());
  EXPECT_EQ(refused.check().error().code, ErrorCode::state_incompatible);
  EXPECT_EQ(refused.check().error().detail("field"), "b");
  EXPECT_FALSE(refused.apply(StateDocument(schema_of(both)), StateDocument(schema_of({{.name = "a"}}))));

  const auto permitted = plan_of(both, {{.name = "a"}}, {}, kDropAllowed);
  EXPECT_EQ(actions_of(permitted), "keep a, drop b");
  EXPECT_FALSE(permitted.lossless());
  EXPECT_TRUE(permitted.apply(StateDocument(schema_of(both)), StateDocument(schema_of({{.name = "a"}}))));
}

TEST(StatePlan, CarriesAValueThatSurvives) {  // T08
  EXPECT_EQ(moved(holding(i32, -3), {{.name = "count", .type = i64}})->get("count").value(),
            StateValue(std::int64_t{-3}));
  EXPECT_EQ(moved(holding(i32, 3), {{.name = "count", .type = f64}})->get("count").value(), StateValue(3.0));
  EXPECT_EQ(moved(holding(f64, 3.0), {{.name = "count", .type = u8}})->get("count").value(),
            StateValue(std::uint64_t{3}));
}

TEST(StatePlan, RefusesAValueThatWouldNotSurviveByItsFieldsName) {  // T08
  const auto lost = moved(holding(i64, (std::int64_t{1} << 53) + 1), {{.name = "count", .type = f64}});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::state_incompatible);
  EXPECT_THAT(lost.error().message, HasSubstr("\"count\" holds 9007199254740993, which f64 cannot hold exactly"));
  EXPECT_EQ(lost.error().detail("old_type"), "i64");
  EXPECT_EQ(lost.error().detail("new_type"), "f64");
}

TEST(StatePlan, NamesTheElementThatWouldNotSurvive) {
  const auto lost =
      moved(planned_document({{.field = {.name = "list", .type = i32, .count = 3}, .values = {1, 2, 300}}}),
            {{.name = "list", .type = u8, .count = 3}});
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().message, HasSubstr("element 2 of \"list\" holds 300"));
}

TEST(StatePlan, RenamesByHintOnly) {  // T09
  const Fields from{{.name = "hits"}};
  const Fields to{{.name = "count"}};
  EXPECT_EQ(actions_of(plan_of(from, to, {{"hits", "count"}})), "rename count");
  EXPECT_EQ(actions_of(plan_of(from, to)), "default count, refuse hits");
  EXPECT_EQ(actions_of(plan_of(from, to, {}, kDropAllowed)), "default count, drop hits");
  const auto state = moved(planned_document({{.field = {.name = "hits"}, .values = {12}}}), to, {{"hits", "count"}});
  EXPECT_EQ(state->get("count").value(), StateValue(std::int64_t{12}));
}

TEST(StatePlan, GrowsAListAndShrinksItWithPermission) {  // T10
  const Fields three{{.name = "list", .count = 3}};
  const Fields five{{.name = "list", .count = 5}};
  EXPECT_EQ(actions_of(plan_of(three, five)), "default list");
  EXPECT_EQ(actions_of(plan_of(five, three)), "refuse list");
  EXPECT_EQ(actions_of(plan_of(five, three, {}, kDropAllowed)), "drop list");

  StateDocument old_state(schema_of(three));
  StateDocument initial(schema_of(five));
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(old_state.set("list", i + std::int64_t{1}, i));
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(initial.set("list", 70, i));
  const StatePlan plan = plan_of(three, five);
  const auto grown = plan.apply(old_state, initial);
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->entries()[0].values, (std::vector<StateValue>{1, 2, 3, 70, 70}));
  EXPECT_EQ(plan.reversed(kDropAllowed).apply(*grown, StateDocument(schema_of(three))).value(), old_state);
}

TEST(StatePlan, ReportsEveryRefusedFieldAtOnce) {  // T11
  const auto plan = plan_of({{.name = "a", .type = text, .count = 8}, {.name = "b"}, {.name = "c", .count = 4}},
                            {{.name = "a"}, {.name = "c", .count = 2}});
  const auto check = plan.check();
  ASSERT_FALSE(check);
  EXPECT_THAT(check.error().message, AllOf(HasSubstr("\"a\" (text[8] to i32): text is never i32"),
                                           HasSubstr("\"b\" (i32, gone)"), HasSubstr("\"c\" (i32[4] to i32[2])")));
  std::vector<std::string> keys;
  for (const ErrorDetail& detail : check.error().details) keys.push_back(detail.key);
  EXPECT_EQ(keys.size(), 12U);
  EXPECT_THAT(std::vector(keys.begin(), keys.begin() + 4),
              ::testing::ElementsAre("field", "old_type", "new_type", "reason"));
}

TEST(StatePlan, IsShownBeforehandAsJson) {  // T12
  EXPECT_EQ(
      to_json(plan_of({{.name = "a"}}, {{.name = "a", .type = i64}})),
      R"({"lossless":true,"refused":false,"steps":[{"action":"widen","from":"a","old_type":"i32","to":"a",)"
      R"("new_type":"i64","elements_kept":1,"by_value":false,"droppable":false,"reason":"i64 holds every i32"}]})");
  EXPECT_THAT(to_json(plan_of({{.name = "a"}}, {})), HasSubstr(R"("refused":true)"));
}

TEST(StatePlan, RunsBackwardsByTheSameRules) {  // T19
  const StatePlan forward = plan_of({{.name = "count"}}, {{.name = "count", .type = i64}});
  const StatePlan back = forward.reversed();
  EXPECT_EQ(actions_of(back), "convert count");
  const StateDocument initial(schema_of({{.name = "count"}}));
  EXPECT_EQ(back.apply(holding(i64, 5), initial).value(), holding(i32, 5));
  const auto refused = back.apply(holding(i64, std::int64_t{1} << 40), initial);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::state_incompatible);
}

TEST(StatePlan, DropsOnTheWayBackWhatWasAdded) {  // T20
  const StatePlan forward = plan_of({{.name = "a"}}, {{.name = "a"}, {.name = "b"}});
  EXPECT_EQ(actions_of(forward.reversed()), "keep a, refuse b");
  EXPECT_EQ(actions_of(forward.reversed(kDropAllowed)), "keep a, drop b");
}

TEST(StatePlan, FollowsTheHintsOfAWholeChainBothWays) {  // T22
  const std::vector<StatePlan> plans{plan_of({{.name = "a"}}, {{.name = "b"}}, {{"a", "b"}}),
                                     plan_of({{.name = "b"}}, {{.name = "c"}}, {{"b", "c"}}),
                                     plan_of({{.name = "c"}}, {{.name = "d", .type = i64}}, {{"c", "d"}})};
  const auto chain = StatePlan::chain(plans);
  ASSERT_TRUE(chain);
  EXPECT_EQ(actions_of(*chain), "rename d");
  const StatePlan back = chain->reversed();
  EXPECT_EQ(actions_of(back), "rename a");
  const auto state = back.apply(planned_document({{.field = {.name = "d", .type = i64}, .values = {77}}}),
                                StateDocument(schema_of({{.name = "a"}})));
  EXPECT_EQ(state->get("a").value(), StateValue(std::int64_t{77}));
}

TEST(StatePlan, DoesNotMistakeANewFieldForTheOneThatHadItsName) {
  const std::vector<StatePlan> plans{plan_of({{.name = "a"}}, {{.name = "b"}}, {{"a", "b"}}),
                                     plan_of({{.name = "b"}}, {{.name = "a"}, {.name = "b"}})};
  const auto chain = StatePlan::chain(plans);
  EXPECT_EQ(actions_of(*chain), "default a, rename b");
  EXPECT_EQ(actions_of(chain->reversed(kDropAllowed)), "rename a, drop a");
}

TEST(StatePlan, ChainsOnlyWhatJoins) {
  EXPECT_EQ(StatePlan::chain({}).error().code, ErrorCode::validation_failed);
  const std::vector<StatePlan> plans{plan_of({{.name = "a"}}, {{.name = "b"}}), plan_of({{.name = "c"}}, {})};
  const auto chain = StatePlan::chain(plans);
  ASSERT_FALSE(chain);
  EXPECT_THAT(chain.error().message, HasSubstr("plan 2"));
}

TEST(StatePlan, ReportsAllHintsThatMakeNoSense) {
  const auto plan = StatePlan::create(schema_of({{.name = "a"}, {.name = "b"}}), schema_of({{.name = "c"}}),
                                      {{"a", "c"}, {"b", "c"}, {"a", "x"}, {"y", "c"}});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(plan.error().message,
              AllOf(HasSubstr("two hints make \"c\""), HasSubstr("two hints rename \"a\""),
                    HasSubstr("the new version has no field \"x\""), HasSubstr("the old version has no field \"y\"")));
}

TEST(StatePlan, TakesOnlyDocumentsOfItsOwnVersions) {
  const StatePlan plan = plan_of({{.name = "a"}}, {{.name = "a", .type = i64}});
  const StateDocument other(schema_of({{.name = "b"}}));
  const StateDocument old_state(schema_of({{.name = "a"}}));
  const StateDocument initial(schema_of({{.name = "a", .type = i64}}));
  EXPECT_EQ(plan.apply(other, initial).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(plan.apply(old_state, other).error().code, ErrorCode::validation_failed);
  EXPECT_TRUE(plan.apply(old_state, initial));
}

TEST(StatePlan, CutsNoText) {
  const auto with_text = [](std::uint32_t room, std::string value) {
    return planned_document({{.field = {.name = "t", .type = text, .count = room}, .values = {std::move(value)}}});
  };
  const Fields small{{.name = "t", .type = text, .count = 4}};
  EXPECT_EQ(moved(with_text(16, "abcd"), small).value(), with_text(4, "abcd"));
  const auto cut = moved(with_text(16, "abcde"), small);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("\"t\" holds a text of 5 bytes, and text[4] has room for 4"));
  EXPECT_EQ(moved(with_text(4, "ab"), {{.name = "t", .type = text, .count = 16}}).value(), with_text(16, "ab"));
}

TEST(StatePlan, MakesTextOfBytesOnlyWhereTheyAreText) {
  const auto with_bytes = [](std::string value) {
    return planned_document({{.field = {.name = "t", .type = bytes, .count = 4}, .values = {std::move(value)}}});
  };
  const Fields to{{.name = "t", .type = text, .count = 4}};
  EXPECT_EQ(moved(with_bytes(std::string("ab\0\0", 4)), to)->get("t").value(), StateValue("ab"));
  EXPECT_FALSE(moved(with_bytes(std::string("a\0b\0", 4)), to));
  EXPECT_THAT(moved(with_bytes("a\xffzz"), to).error().message, HasSubstr("\"t\" is not UTF-8"));
}

}  // namespace
}  // namespace petri
