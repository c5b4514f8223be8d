// Area T of docs/behaviours.md: what a process knows, and how it crosses from version to version.
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "state_guests.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class StateTest : public VersionsFixture {
 protected:
  static SandboxSpec made_of(Source source, Tier tier = Tier::interpreted) {
    SandboxSpec made{.id = "a", .modules = {{"service", std::move(source)}}};
    made.tier = tier;
    return made;
  }
  static std::string json(Sandbox& sandbox, std::string_view process = {}) {
    const auto state = sandbox.state(process);
    return state ? to_json(*state) : state.error().message;
  }
  static std::int64_t integer(Sandbox& sandbox, std::string_view name, std::uint32_t index = 0) {
    const auto state = sandbox.state();
    const auto value = state ? state->get(name, index) : fail(state.error());
    EXPECT_TRUE(value) << value.error().message;
    return value && std::holds_alternative<std::int64_t>(*value) ? std::get<std::int64_t>(*value) : -1;
  }
  static void set(Sandbox& sandbox, std::string name, StateValue value, std::uint32_t index = 0) {
    const auto updated = sandbox.update_state({{std::move(name), std::move(value), index}});
    EXPECT_TRUE(updated) << updated.error().message;
  }
  static ReloadOptions with(ReloadPolicy policy) { return {.policy = std::move(policy)}; }
  static ReloadOptions dropping() { return with({.drop = true}); }
  // "count keep", "old drop", ...
  static std::vector<std::string> actions(const std::optional<StatePlan>& plan) {
    std::vector<std::string> all;
    if (!plan) return all;
    for (const StateStep& step : plan->steps()) {
      all.push_back(fmt::format("{} {}", step.to ? step.to->name : step.from->name, name_of(step.action)));
    }
    return all;
  }
  static std::string expect_reloaded(Sandbox& sandbox, const Source& source, const ReloadOptions& options = {}) {
    const auto report = sandbox.reload("service", source, options);
    return report ? "" : report.error().message;
  }
};

class StateInBothTiersTest : public StateTest, public ::testing::WithParamInterface<Tier> {};
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

// ---- hooks ----------------------------------------------------------------------------------------------------

// Keeps 300 bytes at 256, the first of which is a counter; `more` has what is new.
Source hooked(int version, std::string_view more = "") {
  return guest(version, fmt::format(R"({} {} {}
    (memory (export "memory") 1)
    (data (i32.const 300) "\00\ff\0apattern\00")
    (func (export "next") (result i32)
      (i32.store (i32.const 256) (i32.add (i32.load (i32.const 256)) (i32.const 1))) (i32.load (i32.const 256)))
    (func (export "look") (drop (call $write (i32.const 256) (i32.const 300))))
    (func (export "petri_save") (result i32)
      (drop (call $write (i32.const 256) (i32.const 300)))
      (i32.store (i32.const 256) (i32.const 999)) (i32.const 0)) {})",
                                    kInput, kOutput, version == 1 ? "" : "(global i32 (i32.const 5))", more));
}
constexpr std::string_view kLoad = R"((func (export "petri_load") (result i32)
  (drop (call $read (i32.const 256) (i32.const 0) (call $size))) (i32.const 0)))";

std::string look(Sandbox& sandbox) {
  const auto outcome = sandbox.call("look");
  return outcome ? outcome->output : outcome.error().message;
}

// A hook runs beside its process: whatever it asks of its sandbox would be done twice, or for nobody.
TEST_P(StateInBothTiersTest, IsSavedByHooksThatAskTheirSandboxForNothing) {
  const auto asking = [](int version) {
    return guest(version, fmt::format(R"({} {}
      (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
      (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
      (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
      (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
      (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
      (memory (export "memory") 1)
      (data (i32.const 0) "service") (data (i32.const 32) "{{\"id\":\"kid\",\"module\":\"service\"}}")
      (func (export "look") (drop (call $write (i32.const 256) (i32.const 20))))
      (func (export "petri_handle") (result i32) (i32.const 0))
      (func (export "petri_save") (result i32)
        (i32.store (i32.const 256) (call $send (i32.const 0) (i32.const 7) (i32.const 0) (i32.const 1)))
        (i32.store (i32.const 260) (call $call (i32.const 0) (i32.const 7) (i32.const 0) (i32.const 1) (i32.const 0)))
        (i32.store (i32.const 264) (call $spawn (i32.const 32) (i32.const 31)))
        (i32.store (i32.const 268) (call $stop (i32.const 0) (i32.const 7)))
        (i32.store (i32.const 272) (call $timer (i32.const 1) (i64.const 1)))
        (drop (call $write (i32.const 256) (i32.const 20))) (i32.const 0))
      (func (export "petri_load") (result i32)
        (drop (call $read (i32.const 256) (i32.const 0) (call $size))) (i32.const 0)))",
                                      kInput, kOutput));
  };
  Sandbox sandbox = create(made_of(asking(1), GetParam()));
  const auto report = sandbox.reload("service", asking(2), {.policy = ReloadPolicy{.state = StateWay::hooks}});
  ASSERT_TRUE(report) << report.error().message;
  const std::string seen = look(sandbox);
  std::array<GuestError, 5> answers{};
  ASSERT_EQ(seen.size(), sizeof(answers));
  std::memcpy(answers.data(), seen.data(), sizeof(answers));
  EXPECT_THAT(answers, ::testing::Each(GuestError::not_now)) << "send, call, spawn, stop, timer";
  EXPECT_EQ(sandbox.usage().processes, 1U);
  EXPECT_EQ(sandbox.snapshot()->info().timers, 0U);
}

TEST_P(StateInBothTiersTest, SavedByHooksIsLoadedByteForByte) {  // T13
  Sandbox sandbox = create(made_of(hooked(1), GetParam()));
  for (int i = 0; i < 7; ++i) ask(sandbox, "next");
  const std::string before = look(sandbox);
  ASSERT_EQ(before.size(), 300U);
  const auto report = sandbox.reload("service", hooked(2, kLoad));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->state, StateWay::hooks);
  EXPECT_EQ(look(sandbox), before);
  EXPECT_EQ(ask(sandbox, "next"), 8);
  EXPECT_EQ(ask(sandbox, "version"), 2);
}

TEST_F(StateTest, IsChangedByPetriMigrateOnItsWay) {  // T13 T14
  Sandbox sandbox = create(made_of(hooked(1)));
  for (int i = 0; i < 7; ++i) ask(sandbox, "next");
  // Adds a hundred times the version it comes from, which is the tag of its message.
  const std::string migrate = std::string(kLoad) + R"((func (export "petri_migrate") (result i32)
      (drop (call $read (i32.const 0) (i32.const 0) (call $size)))
      (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.mul (i32.const 100) (i32.wrap_i64 (call $tag)))))
      (drop (call $write (i32.const 0) (call $size))) (i32.const 0)))";
  const Source next = hooked(2, migrate);
  const std::string& text = next.text();
  const std::string import = R"((module (import "petri" "message_tag" (func $tag (result i64))))";
  EXPECT_EQ(expect_reloaded(sandbox, Source::wat(import + text.substr(text.find("(module") + 7))), "");
  EXPECT_EQ(ask(sandbox, "next"), 108);
}

TEST_F(StateTest, OfHooksIsChangedByTheCallersHandlerInPlaceOfPetriMigrate) {  // T14
  Sandbox sandbox = create(made_of(hooked(1)));
  const std::string never = std::string(kLoad) + "(func (export \"petri_migrate\") (result i32) unreachable)";
  ReloadPolicy policy;
  policy.migrate.hooks = [](const Migration&, std::string_view bytes) -> Result<std::string> {
    std::string changed(bytes);
    changed[0] = 60;
    return changed;
  };
  EXPECT_EQ(expect_reloaded(sandbox, hooked(2, never), with(policy)), "");
  EXPECT_EQ(ask(sandbox, "next"), 61);
}

TEST_F(StateTest, IsGivenToTheHandlerOnceForEachProcessWithTheTrueNumbers) {  // T14
  Sandbox sandbox = create(with_children({"x", "y", "z"}));
  ask(sandbox, "next", "y");
  std::vector<std::string> seen;
  ReloadPolicy policy;
  policy.migrate.described = [&](const Migration& migration, const StateDocument& state) -> Result<StateDocument> {
    seen.push_back(fmt::format("{} {} {}-{} {}", migration.module, migration.process, migration.from, migration.to,
                               std::get<std::int64_t>(*state.get("count"))));
    StateDocument changed = state;
    EXPECT_TRUE(changed.set("count", std::get<std::int64_t>(*state.get("count")) + 10));
    return changed;
  };
  EXPECT_EQ(expect_reloaded(sandbox, code(2), with(policy)), "");
  EXPECT_THAT(seen, UnorderedElementsAre("service x 1-2 0", "service y 1-2 1", "service z 1-2 0"));
  EXPECT_EQ(ask(sandbox, "next", "y"), 12);
  seen.clear();
  ASSERT_TRUE(sandbox.rollback("service", 1, {.policy = policy}));
  EXPECT_THAT(seen, UnorderedElementsAre("service x 2-1 10", "service y 2-1 12", "service z 2-1 10"));
  EXPECT_EQ(ask(sandbox, "next", "x"), 21);
}

TEST_F(StateTest, StaysWhereAHandlerFails) {  // T15
  Sandbox sandbox = create(with_children({"x", "y", "z"}));
  for (const char* name : {"x", "y", "z"}) ask(sandbox, "next", name);
  using Answer = Result<StateDocument>;
  const std::vector<std::pair<std::string, std::function<Answer(const StateDocument&)>>> handlers{
      {"out of words", [](const StateDocument&) -> Answer { throw std::runtime_error("out of words"); }},
      {"threw", [](const StateDocument&) -> Answer { throw 7; }},
      {"not today", [](const StateDocument&) -> Answer { return fail(ErrorCode::not_now, "not today"); }},
      {"count",
       [](const StateDocument&) -> Answer {
         const StateEntry entry{.field = {.name = "count", .type = StateType::f64}, .values = {0.5}};
         return StateDocument::create(std::span(&entry, 1));
       }},
      {"nonsense", [](const StateDocument&) -> Answer {
         const StateEntry entry{.field = {.name = "nonsense", .type = StateType::i32}, .values = {std::int64_t{1}}};
         return StateDocument::create(std::span(&entry, 1));
       }}};
  for (const auto& [why, handler] : handlers) {
    ReloadPolicy policy;
    policy.migrate.described = [&](const Migration& migration, const StateDocument& state) -> Answer {
      return migration.process == "z" ? handler(state) : Answer(state);
    };
    const auto failed = sandbox.reload("service", code(2), with(policy));
    EXPECT_EQ(code_of(failed), ErrorCode::migration_failed) << why;
    EXPECT_THAT(failed.error().message, AllOf(HasSubstr("z"), HasSubstr(why)));
    EXPECT_EQ(failed.error().detail("process"), "z");
    EXPECT_THAT(numbers(sandbox), ElementsAre(1));
    for (const char* name : {"x", "y", "z"}) EXPECT_EQ(ask(sandbox, "version", name), 1);
  }
  for (const char* name : {"x", "y", "z"}) EXPECT_EQ(ask(sandbox, "next", name), 2);
}

TEST_F(StateTest, StaysWhereAHandlerAnswersWhatTheHintsAreNotAbout) {  // T15
  Sandbox sandbox = create(made_of(guest(1, field("hits", "i32", "5"))));
  ReloadPolicy policy;
  policy.migrate.described = [](const Migration&, const StateDocument&) -> Result<StateDocument> {
    return StateDocument();
  };
  const auto failed =
      sandbox.reload("service", guest(2, field("count", "i32")), {.policy = policy, .renames = {{"hits", "count"}}});
  EXPECT_EQ(code_of(failed), ErrorCode::migration_failed);
  EXPECT_EQ(integer(sandbox, "hits"), 5);
}

TEST_F(StateTest, IsNeverEmptyBecauseAHookFailed) {  // T16 hostile G01 hostile G02
  using std::chrono::milliseconds;
  const std::string trap = "unreachable";
  const std::string spin = "(loop $again (br $again)) (i32.const 0)";
  const std::string refusal = "(i32.const 3)";
  for (const std::string& bad : {trap, spin, refusal}) {
    const std::string cause = bad == trap ? "trapped" : (bad == spin ? "deadline" : "exited with code 3");
    const ReloadOptions options = with({.quiet_wait_max = milliseconds(bad == spin ? 50 : 5'000)});
    const auto hook = [&](std::string_view name) {
      return fmt::format("(func (export \"{}\") (result i32) {})", name, bad);
    };
    const auto expect_failed = [&](Sandbox& sandbox, const Source& next, std::string_view name) {
      const auto failed = sandbox.reload("service", next, options);
      EXPECT_EQ(code_of(failed), ErrorCode::migration_failed) << name << bad;
      EXPECT_THAT(failed.error().message, AllOf(HasSubstr(std::string(name)), HasSubstr(cause)));
      EXPECT_THAT(numbers(sandbox), ElementsAre(1));
      EXPECT_EQ(ask(sandbox, "version"), 1);
      EXPECT_EQ(ask(sandbox, "next"), 2);
    };
    {
      Sandbox sandbox = create(made_of(hooked(1)));
      ask(sandbox, "next");
      expect_failed(sandbox, hooked(2, hook("petri_load")), "petri_load");
      ASSERT_TRUE(runtime_->destroy("a"));
    }
    {
      Sandbox sandbox = create(made_of(hooked(1)));
      ask(sandbox, "next");
      expect_failed(sandbox, hooked(2, std::string(kLoad) + hook("petri_migrate")), "petri_migrate");
      ASSERT_TRUE(runtime_->destroy("a"));
    }
    const std::string own = R"((global $count (mut i32) (i32.const 0))
      (func (export "next") (result i32)
        (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count)))";
    Sandbox sandbox = create(made_of(guest(1, own + hook("petri_save"))));
    ask(sandbox, "next");
    const std::string load = "(func (export \"petri_load\") (result i32) (i32.const 0))";
    expect_failed(sandbox, guest(2, own + load), "petri_save");
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// ---- memory, none ---------------------------------------------------------------------------------------------

// A counter that nothing describes; `step` is what a patch changes.
std::string patch(int step, std::string_view memory = "(memory 1)") {
  return fmt::format(R"({1} (global $count (mut i32) (i32.const 0)) (data (i32.const 8) "abc")
    (func (export "next") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const {0})))
      (i32.store (i32.const 4000) (global.get $count))
      (i32.load (i32.const 4000))))",
                     step, memory);
}

TEST_P(StateInBothTiersTest, OfAnEqualLayoutIsCarriedWhole) {  // T17
  Sandbox sandbox = create(made_of(guest(1, patch(1)), GetParam()));
  for (int i = 0; i < 5; ++i) ask(sandbox, "next");
  const auto report = sandbox.reload("service", guest(2, patch(100)));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->state, StateWay::memory);
  EXPECT_EQ(ask(sandbox, "next"), 105);
  EXPECT_EQ(json(sandbox), R"({"fields":[]})");
}

TEST_F(StateTest, WithoutAWayIsLostOnlyWhenNoneIsAskedFor) {  // T18
  Sandbox sandbox = create(made_of(guest(1, patch(1))));
  for (int i = 0; i < 5; ++i) ask(sandbox, "next");
  const Source other = guest(2, patch(1, "(memory 2)"));
  const auto refused = sandbox.reload("service", other);
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message, HasSubstr("none"));
  EXPECT_EQ(code_of(sandbox.reload("service", other, with({.state = StateWay::described}))),
            ErrorCode::state_incompatible);
  EXPECT_EQ(code_of(sandbox.reload("service", other, with({.state = StateWay::hooks}))), ErrorCode::state_incompatible);
  EXPECT_EQ(ask(sandbox, "next"), 6);
  const auto fresh = sandbox.reload("service", other, with({.state = StateWay::none}));
  ASSERT_TRUE(fresh) << fresh.error().message;
  EXPECT_EQ(fresh->state, StateWay::none);
  EXPECT_EQ(ask(sandbox, "next"), 1);
}

TEST_F(StateTest, IsNotForcedIntoMemoryItDoesNotFit) {  // T17 T18
  Sandbox sandbox = create(made_of(guest(1, patch(1))));
  ask(sandbox, "next");
  const ReloadOptions memory = with({.state = StateWay::memory});
  const std::string more = "(global $more (mut i64) (i64.const 0))";
  EXPECT_EQ(code_of(sandbox.reload("service", guest(2, more + patch(1)), memory)), ErrorCode::state_incompatible);
  const std::string without = R"((global $count (mut i32) (i32.const 0))
    (func (export "next") (result i32) (global.get $count)))";
  EXPECT_EQ(code_of(sandbox.reload("service", guest(2, without), memory)), ErrorCode::state_incompatible);
  EXPECT_EQ(ask(sandbox, "version"), 1);
  EXPECT_EQ(ask(sandbox, "next"), 2);
}

// ---- the way back ---------------------------------------------------------------------------------------------

TEST_P(StateInBothTiersTest, GoesBackByTheSameRules) {  // T19
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32")), GetParam()));
  EXPECT_EQ(expect_reloaded(sandbox, guest(2, field("count", "i64"))), "");
  set(sandbox, "count", std::int64_t{1} << 40);
  const auto refused = sandbox.rollback("service", 1);
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_EQ(active(sandbox), 2U);
  EXPECT_EQ(integer(sandbox, "count"), std::int64_t{1} << 40);
  set(sandbox, "count", std::int64_t{5});
  ASSERT_TRUE(sandbox.rollback("service", 1));
  EXPECT_EQ(json(sandbox), R"({"fields":[{"name":"count","type":"i32","value":5}]})");
}

TEST_P(StateInBothTiersTest, GoesBackPastAnAddedFieldOnlyByDroppingIt) {  // T20
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32", "3")), GetParam()));
  const Source next = guest(2, field("count", "i32") + field("extra", "i32"));
  EXPECT_EQ(expect_reloaded(sandbox, next), "");
  set(sandbox, "count", std::int64_t{9});
  EXPECT_EQ(code_of(sandbox.rollback("service", 1)), ErrorCode::state_incompatible);
  EXPECT_EQ(ask(sandbox, "version"), 2);
  ASSERT_TRUE(sandbox.rollback("service", 1, {.policy = ReloadPolicy{.drop = true}}));
  EXPECT_EQ(integer(sandbox, "count"), 9);

  EXPECT_EQ(expect_reloaded(sandbox, next), "");
  set(sandbox, "count", std::int64_t{77});
  ASSERT_TRUE(sandbox.rollback("service", 1, {.snapshot = true}));
  EXPECT_EQ(integer(sandbox, "count"), 9);
  EXPECT_EQ(code_of(sandbox.rollback("service", 2, {.snapshot = true})), ErrorCode::not_found);
}

TEST_F(StateTest, OfTheSwitchIsGivenBackAlsoToWhatIsNotMovable) {  // T20
  // A module that writes a table cannot be copied whole; the state it describes can.
  const auto fixed = [](int version) {
    return guest(version, field("count", "i32") + R"((table 1 funcref)
      (func $f) (elem declare func $f)
      (func (export "fill") (table.set (i32.const 0) (ref.func $f))))");
  };
  Sandbox sandbox = create(made_of(fixed(1)));
  set(sandbox, "count", std::int64_t{3});
  EXPECT_EQ(expect_reloaded(sandbox, fixed(2)), "");
  set(sandbox, "count", std::int64_t{50});
  ASSERT_TRUE(sandbox.rollback("service", 1, {.snapshot = true}));
  EXPECT_EQ(integer(sandbox, "count"), 3);
}

TEST_F(StateTest, ComesBackFromThereAndBackAgain) {  // T21 hostile G12
  constexpr std::uint64_t kSeed = 21;
  std::mt19937_64 random(kSeed);
  const std::array<std::pair<std::string, std::string>, 4> ways{
      {{"i32", "i64"}, {"f32", "f64"}, {"i32", "f64"}, {"i64", "i64"}}};
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    std::string from, to;
    ReloadOptions options;
    for (int i = 0; i < 4; ++i) {
      const auto& [old_type, new_type] = ways[random() % ways.size()];
      const std::string name = fmt::format("f{}", i);
      const std::string renamed = random() % 2 == 0 ? name : fmt::format("g{}", 3 - i);
      if (renamed != name) options.renames.push_back({name, renamed});
      from += field(name, old_type, std::to_string(static_cast<std::int32_t>(random() % 100'000) - 50'000));
      to += field(renamed, random() % 3 == 0 ? old_type : new_type);
    }
    Sandbox sandbox = create(made_of(guest(1, from)));
    const std::string before = json(sandbox);
    EXPECT_EQ(expect_reloaded(sandbox, guest(2, to), options), "");
    const auto back = sandbox.rollback("service", 1);
    EXPECT_TRUE(back) << back.error().message;
    EXPECT_EQ(json(sandbox), before);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

TEST_F(StateTest, FollowsAllRenamesBackAtOnce) {  // T22
  Sandbox sandbox = create(made_of(guest(1, field("a", "i32", "5") + field("stays", "i32", "6"))));
  const std::vector<std::string> names{"a", "b", "c", "d"};
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(expect_reloaded(sandbox, guest(i + 1, field(names[i], "i32") + field("stays", "i32")),
                              {.renames = {{names[i - 1], names[i]}}}),
              "");
  }
  EXPECT_EQ(integer(sandbox, "d"), 5);
  set(sandbox, "d", std::int64_t{8});
  const auto back = sandbox.rollback("service", 1);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->from, 4U);
  EXPECT_EQ(integer(sandbox, "a"), 8);
  EXPECT_EQ(integer(sandbox, "stays"), 6);
  // And forward again, without saying so a second time.
  ASSERT_TRUE(sandbox.activate("service", 4));
  EXPECT_EQ(integer(sandbox, "d"), 8);
}

TEST_F(StateTest, RemembersTheRenamesOfAVersionThatWasStaged) {  // T22
  Sandbox sandbox = create(made_of(guest(1, field("a", "i32", "5"))));
  ASSERT_TRUE(sandbox.stage("service", guest(2, field("b", "i32"))));
  ASSERT_TRUE(sandbox.stage("service", guest(3, field("c", "i32"))));
  ASSERT_TRUE(sandbox.activate("service", 2, {.renames = {{"a", "b"}}}));
  // Staged bytes may come by a reload, too.
  ASSERT_TRUE(sandbox.reload("service", guest(3, field("c", "i32")), {.renames = {{"b", "c"}}}));
  EXPECT_EQ(active(sandbox), 3U);
  set(sandbox, "c", std::int64_t{8});
  const auto back = sandbox.rollback("service", 1);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(integer(sandbox, "a"), 8);
  ASSERT_TRUE(sandbox.activate("service", 2));
  EXPECT_EQ(integer(sandbox, "b"), 8);
}

TEST_F(StateTest, RemembersNoRenamesOfASwitchThatFailed) {
  Sandbox sandbox = create(made_of(guest(1, field("a", "i32", "5"))));
  ASSERT_TRUE(sandbox.stage(
      "service", guest(2, field("b", "i32") + "(func (export \"petri_ready\") (result i32) (i32.const 1))")));
  EXPECT_EQ(code_of(sandbox.activate("service", 2, {.renames = {{"a", "b"}}})), ErrorCode::start_failed);
  EXPECT_EQ(code_of(sandbox.activate("service", 2)), ErrorCode::state_incompatible);
  EXPECT_EQ(integer(sandbox, "a"), 5);
}

TEST_F(StateTest, DescribedByATableThatLiesIsRefused) {  // T23
  Sandbox sandbox = create(made_of(guest(1, state_table({row("count", StateType::i32, 0)}))));
  set(sandbox, "count", std::int64_t{4});
  const std::vector<std::vector<TableRow>> lies{{row("count", StateType::i32, 65'534)},
                                                {row("count", StateType::i32, 0), row("count", StateType::i32, 8)},
                                                {row("count", StateType::i32, 0), row("\xff\xfe", StateType::i32, 8)}};
  int version = 2;
  for (const auto& rows : lies) {
    const auto refused = sandbox.reload("service", guest(version++, state_table(rows)));
    EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
    EXPECT_EQ(ask(sandbox, "version"), 1);
    EXPECT_EQ(integer(sandbox, "count"), 4);
  }
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
}

TEST_P(StateInBothTiersTest, OfAReferenceOrOfOneGlobalTwiceIsRefusedByName) {  // T23
  SandboxSpec spec = made_of(guest(1, field("a", "i32", "5") + field("b", "i32", "6")));
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  const std::string reference = "(global (export \"state.c\") (mut funcref) (ref.null func))";
  const std::string twice =
      "(global $x (mut i32) (i32.const 0)) (export \"state.a\" (global $x)) (export \"state.b\" (global $x))";
  const std::vector<std::pair<std::string, std::string>> refused{
      {reference + field("a", "i32") + field("b", "i32"),
       "\"c\" is a global of type funcref, and state is made of numbers"},
      {twice, "\"a\" and \"b\" are one global"}};
  int version = 2;
  for (const auto& [fields, why] : refused) {
    const std::string message = "the state the module describes cannot be used: " + why;
    const auto reload = sandbox.reload("service", guest(version, fields));
    ASSERT_FALSE(reload);
    EXPECT_EQ(reload.error().code, ErrorCode::state_incompatible);
    EXPECT_EQ(reload.error().message, "the process service: " + message);
    EXPECT_EQ(ask(sandbox, "version"), 1);
    EXPECT_EQ(integer(sandbox, "a"), 5);
    EXPECT_EQ(integer(sandbox, "b"), 6);

    SandboxSpec other = made_of(guest(version++, fields));
    other.id = "b";
    other.tier = GetParam();
    const auto state = create(other).state();
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().code, ErrorCode::state_incompatible);
    EXPECT_EQ(state.error().message, message);
    ASSERT_TRUE(runtime_->destroy("b"));
  }
}

}  // namespace
}  // namespace petri
