// Area T of docs/behaviours.md: what a process knows, and how it crosses from version to version.
#include "state_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Tiers, StateInBothTiersTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

TEST_P(StateInBothTiersTest, IsReadWithoutRunningTheGuest) {  // T01
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32", "7")), GetParam()));
  const std::uint64_t fuel = sandbox.usage().fuel_used;
  EXPECT_EQ(json(sandbox), R"({"fields":[{"name":"count","type":"i32","value":7}]})");
  EXPECT_EQ(sandbox.usage().fuel_used, fuel);
  ASSERT_TRUE(sandbox.stop_child("service"));
  EXPECT_EQ(code_of(sandbox.state("service")), ErrorCode::not_found);
  EXPECT_EQ(code_of(sandbox.state("nobody")), ErrorCode::not_found);
}

TEST_P(StateInBothTiersTest, InATableIsReadAndWrittenByName) {  // T02
  const std::string table = state_table({row("hits", StateType::u32, 0),
                                         {"scores", code_of_type(StateType::f64), 16, 3, 16},
                                         row("label", StateType::text, 100, 8),
                                         row("on", StateType::boolean, 110)});
  Sandbox sandbox = create(made_of(guest(1, table + data_at(100, "ab") + R"(
      (func (export "hits") (result i32) (i32.load (i32.const 0)))
      (func (export "second") (result i32) (i32.trunc_f64_s (f64.load (i32.const 32)))))"),
                                   GetParam()));
  const std::uint64_t fuel = sandbox.usage().fuel_used;
  ASSERT_TRUE(sandbox.update_state({{"hits", std::uint64_t{9}}, {"scores", 2.5, 0}, {"scores", 42.0, 1}}));
  EXPECT_EQ(
      json(sandbox),
      R"({"fields":[{"name":"hits","type":"u32","value":9},{"name":"label","type":"text","count":8,"value":"ab"},)"
      R"({"name":"on","type":"boolean","value":false},)"
      R"({"name":"scores","type":"f64","count":3,"value":[2.5,42,0]}]})");
  EXPECT_EQ(sandbox.usage().fuel_used, fuel);
  EXPECT_EQ(ask(sandbox, "hits"), 9);
  EXPECT_EQ(ask(sandbox, "second"), 42);
}

TEST_F(StateTest, IsUpdatedWholeOrNotAtAll) {  // T02
  Sandbox sandbox = create(made_of(guest(1, field("a", "i32", "1") + field("b", "i32", "2"))));
  const std::string before = json(sandbox);
  const std::int64_t too_large = std::int64_t{1} << 40;
  EXPECT_EQ(code_of(sandbox.update_state({{"a", std::int64_t{5}}, {"b", too_large}})), ErrorCode::validation_failed);
  EXPECT_EQ(code_of(sandbox.update_state({{"a", std::int64_t{5}}, {"c", std::int64_t{1}}})), ErrorCode::not_found);
  EXPECT_EQ(code_of(sandbox.update_state({{"a", std::int64_t{5}, 1}})), ErrorCode::not_found);
  EXPECT_EQ(json(sandbox), before);
}

TEST_F(StateTest, OfAllProcessesCrossesAndOfOtherSandboxesDoesNot) {  // T03
  Sandbox sandbox = create(with_children({"x", "y", "z"}));
  Sandbox other = create(spec("other"));
  for (int i = 0; i < 3; ++i) ask(sandbox, "next", "x");
  for (int i = 0; i < 5; ++i) ask(sandbox, "next", "y");
  ask(other, "next");
  const auto report = sandbox.reload("service", code(2));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->processes.size(), 3U);
  EXPECT_EQ(ask(sandbox, "next", "x"), 4);
  EXPECT_EQ(ask(sandbox, "next", "y"), 6);
  EXPECT_EQ(ask(sandbox, "next", "z"), 1);
  EXPECT_EQ(ask(other, "version"), 1);
  EXPECT_EQ(ask(other, "next"), 2);
}

TEST_F(StateTest, OfNobodyIsNoHindrance) {  // T04
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.load("tools", code(1)));
  const auto report = sandbox.reload("tools", code(2));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->processes.empty());
  ASSERT_TRUE(sandbox.start_child({ChildSpec{.id = "t", .module = "tools"}}));
  EXPECT_EQ(ask(sandbox, "version", "t"), 2);
}

TEST_P(StateInBothTiersTest, LeavesItsProcessWhereItIs) {  // T05
  SandboxSpec wanted = with_children({"x", "y"});
  wanted.tier = GetParam();
  Sandbox sandbox = create(wanted);
  call_kind(sandbox, "crash", "x");
  expect_soon([&] { return sandbox.info().supervisor_restarts == 1 ? "" : "not restarted"; });
  for (int i = 0; i < 41; ++i) ask(sandbox, "next", "x");
  std::vector<std::string> before, after;
  for (const ChildInfo& child : sandbox.children()) before.push_back(child.address + " " + child.status);
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  for (const ChildInfo& child : sandbox.children()) after.push_back(child.address + " " + child.status);
  EXPECT_EQ(ask(sandbox, "next", "x"), 42);
  EXPECT_EQ(after, before);
  EXPECT_EQ(sandbox.info().supervisor_restarts, 1U);
  EXPECT_EQ(sandbox.children()[0].tier, GetParam());
}

TEST_F(StateTest, ThatIsNewHasTheNewVersionsOwnValue) {  // T06
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32"))));
  set(sandbox, "count", std::int64_t{41});
  const auto report = sandbox.reload("service", guest(2, field("count", "i32") + field("extra", "f64", "2.5")));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(actions(report->plan), ElementsAre("count keep", "extra default"));
  EXPECT_EQ(json(sandbox),
            R"({"fields":[{"name":"count","type":"i32","value":41},{"name":"extra","type":"f64","value":2.5}]})");
}

TEST_F(StateTest, ThatHasNoPlaceIsLostOnlyWithPermission) {  // T07
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32") + field("old", "i32", "3"))));
  const Source next = guest(2, field("count", "i32"));
  const auto refused = sandbox.reload("service", next);
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message, HasSubstr("old"));
  EXPECT_EQ(ask(sandbox, "version"), 1);
  const auto dropped = sandbox.reload("service", next, dropping());
  ASSERT_TRUE(dropped) << dropped.error().message;
  EXPECT_THAT(actions(dropped->plan), ElementsAre("count keep", "old drop"));
  EXPECT_EQ(ask(sandbox, "version"), 2);
}

TEST_F(StateTest, MayBeLeftOutByAHandler) {  // T07
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32", "8") + field("old", "i32", "3"))));
  ReloadPolicy policy;
  policy.migrate.described = [](const Migration&, const StateDocument& state) {
    const StateEntry count{.field = {.name = "count", .type = StateType::i32}, .values = {*state.get("count")}};
    return StateDocument::create(std::span(&count, 1));
  };
  EXPECT_EQ(expect_reloaded(sandbox, guest(2, field("count", "i32")), with(policy)), "");
  EXPECT_EQ(integer(sandbox, "count"), 8);
}

TEST_P(StateInBothTiersTest, CrossesToOtherTypesExactlyOrNotAtAll) {  // T08
  const std::string narrow = field("a", "i32", "-7") + field("b", "i32", "3") + field("c", "i64", "9007199254740993");
  Sandbox sandbox = create(made_of(guest(1, narrow), GetParam()));
  const std::string wide = field("a", "i64") + field("b", "f64") + field("c", "f64");
  const auto refused = sandbox.reload("service", guest(2, wide));
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message, HasSubstr("c"));
  EXPECT_EQ(ask(sandbox, "version"), 1);
  set(sandbox, "c", std::int64_t{9007199254740992});
  EXPECT_EQ(expect_reloaded(sandbox, guest(2, wide)), "");
  EXPECT_EQ(integer(sandbox, "a"), -7);
  EXPECT_EQ(std::get<double>(*sandbox.state()->get("b")), 3.0);
  EXPECT_EQ(std::get<double>(*sandbox.state()->get("c")), 9007199254740992.0);
}

TEST_F(StateTest, ContinuesUnderAnotherNameByHint) {  // T09
  Sandbox sandbox = create(made_of(guest(1, field("hits", "i32", "5"))));
  const Source next = guest(2, field("count", "i32", "1"));
  EXPECT_EQ(code_of(sandbox.reload("service", next)), ErrorCode::state_incompatible);
  const auto renamed = sandbox.reload("service", next, {.renames = {{"hits", "count"}}});
  ASSERT_TRUE(renamed) << renamed.error().message;
  EXPECT_THAT(actions(renamed->plan), ElementsAre("count rename"));
  EXPECT_EQ(integer(sandbox, "count"), 5);
}

TEST_F(StateTest, WithoutAHintIsDroppedAndDefaulted) {  // T09
  Sandbox sandbox = create(made_of(guest(1, field("hits", "i32", "5"))));
  const auto dropped = sandbox.reload("service", guest(2, field("count", "i32", "1")), dropping());
  ASSERT_TRUE(dropped) << dropped.error().message;
  EXPECT_THAT(actions(dropped->plan), ElementsAre("count default", "hits drop"));
  EXPECT_EQ(integer(sandbox, "count"), 1);
}

TEST_F(StateTest, HintsMustBeAboutFieldsThereAre) {
  Sandbox sandbox = create(made_of(guest(1, field("hits", "i32", "5"))));
  const auto unknown = sandbox.reload("service", guest(2, field("count", "i32")), {.renames = {{"hit", "count"}}});
  EXPECT_EQ(code_of(unknown), ErrorCode::validation_failed);
  EXPECT_THAT(unknown.error().message, HasSubstr("hit"));
  EXPECT_EQ(ask(sandbox, "version"), 1);
}

TEST_P(StateInBothTiersTest, InListsGrowsAndShrinksByElements) {  // T10
  const auto list = [](int version, std::uint32_t count) {
    return guest(version, state_table({row("list", StateType::i32, 0, count)}) +
                              data_at(0, std::string(4 * count, version == 1 ? '\1' : '\0')));
  };
  Sandbox sandbox = create(made_of(list(1, 3), GetParam()));
  set(sandbox, "list", std::int64_t{7}, 2);
  const auto grown = sandbox.reload("service", list(2, 5));
  ASSERT_TRUE(grown) << grown.error().message;
  EXPECT_EQ(json(sandbox), R"({"fields":[{"name":"list","type":"i32","count":5,"value":[16843009,16843009,7,0,0]}]})");
  EXPECT_EQ(code_of(sandbox.reload("service", list(3, 2))), ErrorCode::state_incompatible);
  const auto shrunk = sandbox.reload("service", list(3, 2), dropping());
  ASSERT_TRUE(shrunk) << shrunk.error().message;
  EXPECT_THAT(actions(shrunk->plan), ElementsAre("list drop"));
  EXPECT_EQ(json(sandbox), R"({"fields":[{"name":"list","type":"i32","count":2,"value":[16843009,16843009]}]})");
}

TEST_F(StateTest, ReportsEveryRefusedFieldAtOnce) {  // T11
  const std::vector<TableRow> old{row("one", StateType::i64, 0), row("two", StateType::i32, 16, 3),
                                  row("three", StateType::u8, 32)};
  Sandbox sandbox = create(made_of(guest(1, state_table(old))));
  const auto refused = sandbox.reload(
      "service", guest(2, state_table({row("one", StateType::text, 0, 8), row("two", StateType::i32, 16, 2)})));
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("one"), HasSubstr("two"), HasSubstr("three")));
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("i64"), HasSubstr("text[8]"), HasSubstr("i32[3]"), HasSubstr("u8")));
  EXPECT_EQ(ask(sandbox, "version"), 1);
}

TEST_F(StateTest, ReportsEveryValueThatWouldNotSurviveAtOnce) {  // T11
  Sandbox sandbox = create(made_of(guest(1, field("one", "i64", "1099511627776") + field("two", "f64", "0.5"))));
  const auto refused = sandbox.reload("service", guest(2, field("one", "i32") + field("two", "i32")));
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("one"), HasSubstr("1099511627776"), HasSubstr("two")));
}

TEST_F(StateTest, ReportsWhatThePlanRefusesAndWhatTheValuesDoAtOnce) {  // T11
  Sandbox sandbox = create(made_of(guest(1, field("one", "i64", "1099511627776") + field("two", "i32", "2"))));
  const auto refused = sandbox.reload("service", guest(2, field("one", "i32")));
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("\"two\" (i32, gone)"), HasSubstr("\"one\" holds 1099511627776")));
  EXPECT_EQ(std::ranges::count(refused.error().details, "field", &ErrorDetail::key), 2);
  EXPECT_EQ(std::ranges::count(refused.error().details, "reason", &ErrorDetail::key), 2);
  EXPECT_EQ(ask(sandbox, "version"), 1);
}

TEST_F(StateTest, IsPlannedBeforeAndCrossesAsPlanned) {  // T12
  Sandbox sandbox = create(made_of(guest(1, field("a", "i32", "4") + field("b", "i32", "5") + field("gone", "i32") +
                                                field("hits", "i32", "6") + field("d", "i32", "2"))));
  const std::string before = json(sandbox);
  ReloadOptions options = dropping();
  options.renames = {{"hits", "count"}};
  const Source next = guest(
      2, field("a", "i32") + field("b", "i64") + field("count", "i32") + field("d", "f32") + field("new", "i32", "1"));
  const auto plan = sandbox.plan("service", next, options);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->state, StateWay::described);
  EXPECT_EQ(plan->from, 1U);
  EXPECT_EQ(plan->to, 2U);
  EXPECT_FALSE(plan->refusal);
  EXPECT_THAT(actions(plan->plan),
              ElementsAre("a keep", "b widen", "count rename", "d convert", "new default", "gone drop"));
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  EXPECT_EQ(ask(sandbox, "version"), 1);
  EXPECT_EQ(json(sandbox), before);

  const auto strict = sandbox.plan("service", next);
  ASSERT_TRUE(strict);
  ASSERT_TRUE(strict->refusal);
  EXPECT_EQ(strict->refusal->code, ErrorCode::state_incompatible);
  EXPECT_THAT(actions(strict->plan), ::testing::Contains("gone refuse"));

  const auto report = sandbox.reload("service", next, options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(actions(report->plan), actions(plan->plan));
  EXPECT_EQ(integer(sandbox, "count"), 6);
}

TEST_F(StateTest, IsPlannedAlsoWhereCodeWouldBeRefused) {  // T12
  Sandbox sandbox = create(spec());
  const auto poor = sandbox.plan("service", guest(2, field("count", "i32")));
  ASSERT_TRUE(poor) << poor.error().message;
  ASSERT_TRUE(poor->refusal);
  EXPECT_EQ(poor->refusal->code, ErrorCode::rejected);
  EXPECT_TRUE(sandbox.plan("service", code(1))->no_change);
  EXPECT_EQ(code_of(sandbox.plan("nobody", code(2))), ErrorCode::not_found);
  EXPECT_EQ(code_of(sandbox.plan("service", Source::wat("(module"))), ErrorCode::parse_failed);
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
}

}  // namespace
}  // namespace petri
