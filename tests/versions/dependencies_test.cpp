// Modules of one sandbox that import one another's functions.
#include "dependencies_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- who needs whom

TEST_F(DependenciesTest, AreTheModulesOfTheSandboxThatOneImportsFrom) {  // M24
  Sandbox sandbox = create(
      made_of({{"a", empty_module(R"((import "math2" "f" (func)) (import "math" "sin" (func (param f64) (result f64)))
      (import "petri" "clock_ms" (func (result i64)))
      (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))) (import "b" "f" (func))
      (import "b" "g" (func)))")},
               {"b", empty_module(R"((func (export "f")) (func (export "g")))")},
               {"math2", empty_module(R"((func (export "f")))")}}));
  EXPECT_THAT(*sandbox.dependencies("a"), ElementsAre("b", "math2"));
  EXPECT_THAT(*sandbox.dependencies("b"), IsEmpty());
  EXPECT_EQ(code_of(sandbox.dependencies("nobody")), ErrorCode::not_found);
}

TEST_F(DependenciesTest, ComeFirstInTheOrderOfReloading) {  // M25
  Sandbox sandbox = create(made_of({{"a", empty_module(imports_from("b"))},
                                    {"b", empty_module(imports_from("c"))},
                                    {"c", empty_module(R"((func (export "f")))")},
                                    {"apart", empty_module()}}));
  EXPECT_THAT(*sandbox.reload_order(), ElementsAre("c", "b", "a", "apart"));
}

TEST_F(DependenciesTest, InARingAreRefusedByName) {  // M26 E11
  const auto code_and_ring = [&](SandboxSpec spec) {
    const Error error = refused(std::move(spec));
    return std::pair(error.code, std::string(error.detail("ring")));
  };
  EXPECT_EQ(code_and_ring(made_of({{"a", empty_module(imports_from("a"))}})),
            std::pair(ErrorCode::circular_dependency, std::string("a -> a")));
  EXPECT_EQ(code_and_ring(made_of({{"a", empty_module(imports_from("b"))}, {"b", empty_module(imports_from("a"))}})),
            std::pair(ErrorCode::circular_dependency, std::string("a -> b -> a")));
  EXPECT_EQ(code_and_ring(made_of({{"a", empty_module(imports_from("b"))},
                                   {"b", empty_module(imports_from("c"))},
                                   {"c", empty_module(imports_from("a"))}})),
            std::pair(ErrorCode::circular_dependency, std::string("a -> b -> c -> a")));
}

TEST_F(DependenciesTest, ARecursionInsideAModuleIsNoRing) {  // M26
  Sandbox sandbox = create(made_of({{"a", R"((module (func $f (export "f") (param i32) (result i32)
      (if (result i32) (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 7))))))"}}));
  EXPECT_EQ(sandbox.call("f", {Value(9)})->values[0].i32(), 7);
}

TEST_F(DependenciesTest, ARingThatAReloadWouldMakeIsRefusedAndTheOldCodeAnswers) {  // M26
  Sandbox sandbox = create(shop());
  const auto reloaded =
      sandbox.reload("tariff", Source::wat(tariff(3, R"((import "till" "version" (func (result i32))))")));
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::circular_dependency);
  EXPECT_THAT(reloaded.error().message, HasSubstr("tariff -> till -> tariff"));
  EXPECT_EQ(sell(sandbox, 10), 20);
  EXPECT_EQ(active(sandbox, "tariff"), 1U);
}

TEST_F(DependenciesTest, ThatAreMissingOrOfAnotherTypeAreReportedByName) {  // E11
  const Error no_module = refused(made_of({{"a", empty_module(imports_from("geometry"))}}));
  EXPECT_EQ(no_module.code, ErrorCode::link_error);
  EXPECT_THAT(no_module.message, HasSubstr("the sandbox has no module geometry"));
  const Error no_function =
      refused(made_of({{"a", empty_module(imports_from("b", "g"))}, {"b", empty_module(R"((func (export "f")))")}}));
  EXPECT_EQ(no_function.code, ErrorCode::link_error);
  EXPECT_THAT(no_function.message, HasSubstr("the module b exports no such function"));
  const Error other_type = refused(
      made_of({{"a", empty_module(imports_from("b"))}, {"b", empty_module(R"((func (export "f") (param i32)))")}}));
  EXPECT_EQ(other_type.code, ErrorCode::link_error);
  EXPECT_THAT(other_type.message, HasSubstr("type"));
  const Error memory = refused(
      made_of({{"a", empty_module(R"((import "b" "m" (memory 1)))")}, {"b", R"((module (memory (export "m") 1)))"}}));
  EXPECT_EQ(memory.code, ErrorCode::link_error);
}

// ---- how they run

TEST_P(DependenciesTest, AreCalledInTheProcessThatNeedsThem) {  // M28
  Sandbox sandbox = create(shop(GetParam()));
  EXPECT_EQ(sell(sandbox, 10), 20);
  EXPECT_EQ(sell(sandbox, 1), 22);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
}

TEST_F(DependenciesTest, HaveNoChildOfTheirOwnUnlessATreeSaysSo) {
  Sandbox sandbox = create(shop());
  ASSERT_EQ(sandbox.children().size(), 1U);
  EXPECT_EQ(sandbox.children()[0].address, "till");
}

TEST_F(DependenciesTest, KnowNothingOfWhatOtherProcessesDid) {
  SandboxSpec spec = shop();
  spec.tree = SupervisorSpec{};
  for (const char* name : {"one", "two"}) spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "till"});
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.call("sell", {Value(1)}, {.process = "one"}));
  EXPECT_EQ(ask(sandbox, "asked", "one"), 1);
  EXPECT_EQ(ask(sandbox, "asked", "two"), 0);
}

TEST_P(DependenciesTest, SpendTheFuelOfTheCallThatNeedsThemExactly) {  // M28
  SandboxSpec spec = shop(GetParam());
  spec.modules[0].source = Source::wat(till(1, R"((func (export "sell_many") (param i32)
      (loop $again (drop (call $price (i32.const 1)))
        (br_if $again (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))"));
  Sandbox sandbox = create(spec);
  // sell: i32.add, global.get, call, local.get, global.set, global.get. price: 4 + 3 operators. The call between
  // them: 16.
  EXPECT_EQ(sandbox.call("sell", {Value(1)})->fuel_used, 6U + 7U + 16U);
  // The loop is entered once and turns 5,000 times: i32.const, call, drop, four operators and br_if.
  const auto spent = sandbox.call("sell_many", {Value(5'000)});
  ASSERT_TRUE(spent);
  EXPECT_EQ(spent->fuel_used, 1U + 5'000U * (8U + 7U + 16U));
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = spent->fuel_used}));
  EXPECT_EQ(sandbox.call("sell_many", {Value(5'000)})->kind, OutcomeKind::ok);
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = spent->fuel_used - 1}));
  const auto short_of = sandbox.call("sell_many", {Value(5'000)});
  EXPECT_EQ(short_of->kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(short_of->fuel_used, spent->fuel_used - 1);
}

// down recurses n deep in its own module, and then calls the other, which recurses m deep.
TEST_P(DependenciesTest, StandOnOneStack) {  // M28
  const std::string lower = R"((module (func $down (export "down") (param i32)
      (if (local.get 0) (then (call $down (i32.sub (local.get 0) (i32.const 1))))))))";
  const std::string upper = R"((module (import "lower" "down" (func $lower (param i32)))
    (func $down (export "down") (param i32 i32)
      (if (local.get 0) (then (call $down (i32.sub (local.get 0) (i32.const 1)) (local.get 1)))
                        (else (call $lower (local.get 1)))))))";
  SandboxSpec spec = made_of({{"lower", lower}, {"upper", upper}});
  spec.limits = {.call_depth_max = 100};
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  const auto kind = [&](int above, int below) {
    const auto outcome = sandbox.call("down", {Value(above), Value(below)});
    EXPECT_TRUE(outcome);
    return outcome ? outcome->kind : OutcomeKind::ok;
  };
  EXPECT_EQ(kind(49, 49), OutcomeKind::ok);
  EXPECT_EQ(kind(59, 39), OutcomeKind::ok);
  EXPECT_EQ(kind(49, 50), OutcomeKind::stack_overflow);
}

TEST_P(DependenciesTest, ThatTrapEndTheProcessAndAreNamedInTheTrace) {
  SandboxSpec spec =
      made_of({{"a", R"((module (import "b" "broken" (func $b)) (func $outer (export "go") (call $b))))"},
               {"b", R"((module (func $inner unreachable) (func (export "broken") (call $inner))))"}});
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  const auto outcome = sandbox.call("go");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::trapped);
  EXPECT_EQ(outcome->trap, TrapCode::unreachable);
  const auto run = sandbox.run("a", "go");
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->backtrace.size(), 3U);
  EXPECT_EQ(run->backtrace[0].name, "b.inner");
  EXPECT_EQ(run->backtrace[1].name, "b.broken");
  EXPECT_EQ(run->backtrace[2].name, "outer");
}

TEST_P(DependenciesTest, ShareTheMemoryLimitOfTheirProcess) {
  const std::string grower = R"((module (memory 1) (func (export "grow") (result i32) (memory.grow (i32.const 1)))))";
  SandboxSpec spec = made_of({{"b", grower}, {"a", R"((module (import "b" "grow" (func $b (result i32))) (memory 1)
      (func (export "other") (result i32) (call $b))
      (func (export "own") (result i32) (memory.grow (i32.const 1)))))"}});
  spec.limits = {.memory_bytes_max = 4 * 65'536};
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  EXPECT_EQ(sandbox.usage().memory_bytes, 2U * 65'536);
  EXPECT_EQ(ask(sandbox, "other"), 1);
  EXPECT_EQ(ask(sandbox, "own"), 1);
  EXPECT_EQ(sandbox.usage().memory_bytes, 4U * 65'536);
  EXPECT_EQ(ask(sandbox, "other"), -1);
  EXPECT_EQ(ask(sandbox, "own"), -1);
  EXPECT_EQ(sandbox.info().limits_met.at("memory_bytes_max"), 2U);
}

TEST_F(DependenciesTest, StartBeforeThoseThatNeedThem) {
  Sandbox sandbox = create(made_of(
      {{"b", R"((module (global $g (mut i32) (i32.const 0)) (func $start (global.set $g (i32.const 5))) (start $start)
          (func (export "get") (result i32) (global.get $g))))"},
       {"a", R"((module (import "b" "get" (func $get (result i32))) (global $seen (mut i32) (i32.const 0))
          (func $start (global.set $seen (call $get))) (start $start)
          (func (export "seen") (result i32) (global.get $seen))))"}}));
  EXPECT_EQ(ask(sandbox, "seen"), 5);
}

TEST_P(DependenciesTest, OfADiamondAreThereOnce) {
  SandboxSpec spec = made_of(
      {{"base", R"((module (global $n (mut i32) (i32.const 0)) (func (export "next") (result i32)
          (global.set $n (i32.add (global.get $n) (i32.const 1))) (global.get $n))))"},
       {"left", R"((module (import "base" "next" (func $n (result i32))) (func (export "l") (result i32) (call $n))))"},
       {"right",
        R"((module (import "base" "next" (func $n (result i32))) (func (export "r") (result i32) (call $n))))"},
       {"top", R"((module (import "left" "l" (func $l (result i32))) (import "right" "r" (func $r (result i32)))
          (func (export "both") (result i32) (i32.add (i32.mul (call $l) (i32.const 10)) (call $r)))))"}});
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  EXPECT_EQ(ask(sandbox, "both"), 12);
  EXPECT_EQ(ask(sandbox, "both"), 34);
}

TEST_F(DependenciesTest, BecomeCompiledTogetherWhenTheyAreHot) {
  SandboxSpec spec = shop(Tier::automatic);
  spec.modules[0].source = Source::wat(till(1, R"((func (export "burn") (local i32)
      (loop $again (br_if $again (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 2000000))))))"));
  Sandbox sandbox = create(spec);
  sell(sandbox, 1);
  expect_soon([&]() -> std::string {
    const auto outcome = sandbox.call("burn");
    return outcome && outcome->tier == Tier::compiled ? "" : "it is not compiled yet";
  });
  EXPECT_EQ(sell(sandbox, 1), 4);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
}

TEST_F(DependenciesTest, AreThereForRunsOfAModuleAndOfOtherCode) {
  Sandbox sandbox = create(shop());
  EXPECT_EQ(sandbox.run("till", "sell", {Value(4)})->values[0].i32(), 8);
  const auto other = sandbox.run(Source::wat(R"((module (import "tariff" "price" (func $p (param i32) (result i32)))
      (func (export "f") (result i32) (call $p (i32.const 21)))))"),
                                 "f");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->values[0].i32(), 42);
}

INSTANTIATE_TEST_SUITE_P(InBothTiers, DependenciesTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
