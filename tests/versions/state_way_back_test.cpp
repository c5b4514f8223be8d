// Area T of docs/behaviours.md: state on its way back to the version before.
#include <random>

#include "state_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

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
