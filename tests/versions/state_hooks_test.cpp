// Area T of docs/behaviours.md: state that hooks save and load, that memory carries, or that nothing does.
#include <stdexcept>

#include "state_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

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

}  // namespace
}  // namespace petri
