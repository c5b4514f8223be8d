// Modules of one sandbox that import one another's functions.
#include "versions_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Counts how often it was asked; its answer has the version.
std::string tariff(int price, std::string_view more = "") {
  return fmt::format(R"((module $tariff
  {}
  (global $asked (export "state.asked") (mut i32) (i32.const 0))
  (func (export "price") (param i32) (result i32)
    (global.set $asked (i32.add (global.get $asked) (i32.const 1)))
    (i32.mul (local.get 0) (i32.const {})))
  (func (export "asked") (result i32) (global.get $asked))))",
                     more, price);
}

std::string till(int version = 1, std::string_view more = "") {
  return fmt::format(R"((module $till
  (import "tariff" "price" (func $price (param i32) (result i32)))
  (import "tariff" "asked" (func $asked (result i32)))
  {}
  (global $sum (export "state.sum") (mut i32) (i32.const 0))
  (func (export "sell") (param i32) (result i32)
    (global.set $sum (i32.add (global.get $sum) (call $price (local.get 0)))) (global.get $sum))
  (func (export "asked") (result i32) (call $asked))
  (func (export "version") (result i32) (i32.const {}))))",
                     more, version);
}

std::string empty_module(std::string_view imports = "") { return fmt::format("(module {})", imports); }

class DependenciesTest : public VersionsFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  static SandboxSpec shop(Tier tier = Tier::interpreted) {
    return {.id = "shop", .modules = {{"till", Source::wat(till())}, {"tariff", Source::wat(tariff(2))}}, .tier = tier};
  }
  static std::int64_t sell(Sandbox& sandbox, int count) {
    const auto outcome = sandbox.call("sell", {Value(count)});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -1;
  }
  SandboxSpec made_of(const std::vector<std::pair<std::string, std::string>>& modules) {
    SandboxSpec spec{.id = "made"};
    for (const auto& [name, text] : modules) spec.modules.push_back({name, Source::wat(text)});
    return spec;
  }
  Error refused(SandboxSpec spec) {
    const auto made = runtime_->create_sandbox(std::move(spec));
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
  }
};

std::string imports_from(std::string_view module, std::string_view name = "f") {
  return fmt::format(R"((import "{}" "{}" (func)) (func (export "f")))", module, name);
}

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

// ---- how they change

TEST_P(DependenciesTest, AreSwitchedUnderThoseThatNeedThemAndKeepBothStates) {  // M27
  Sandbox sandbox = create(shop(GetParam()));
  sell(sandbox, 10);
  const auto report = sandbox.reload("tariff", Source::wat(tariff(3)));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->to, 2U);
  ASSERT_EQ(report->processes.size(), 1U);
  EXPECT_EQ(report->processes[0].process, "till");
  EXPECT_TRUE(report->plan.has_value());
  EXPECT_EQ(sell(sandbox, 10), 20 + 30);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
  EXPECT_EQ(active(sandbox, "till"), 1U);
}

TEST_P(DependenciesTest, StayAsTheyAreWhenThoseThatNeedThemChange) {  // M27
  Sandbox sandbox = create(shop(GetParam()));
  sell(sandbox, 10);
  ASSERT_TRUE(sandbox.reload("till", Source::wat(till(2))));
  EXPECT_EQ(ask(sandbox, "version"), 2);
  EXPECT_EQ(sell(sandbox, 1), 22);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
}

TEST_F(DependenciesTest, AndThoseThatNeedThemChangeInOneReload) {  // M27
  Sandbox sandbox = create(shop());
  sell(sandbox, 10);
  std::string grown =
      till(2, R"((import "tariff" "tip" (func $tip (result i32))) (func (export "tip") (result i32) (call $tip)))");
  const auto alone = sandbox.reload("till", Source::wat(grown));
  EXPECT_EQ(code_of(alone), ErrorCode::link_error);
  EXPECT_EQ(code_of(sandbox.stage("till", Source::wat(grown))), ErrorCode::link_error);  // M32
  const auto reports =
      sandbox.reload_all({{"till", Source::wat(grown)},
                          {"tariff", Source::wat(tariff(3, R"((func (export "tip") (result i32) (i32.const 1)))"))}});
  ASSERT_TRUE(reports) << reports.error().message;
  ASSERT_EQ(reports->size(), 2U);
  EXPECT_EQ((*reports)[0].module, "tariff");  // first, for the other needs it
  EXPECT_EQ((*reports)[1].module, "till");
  EXPECT_EQ(ask(sandbox, "tip"), 1);
  EXPECT_EQ(sell(sandbox, 10), 50);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
}

TEST_F(DependenciesTest, ThatLackWhatIsNeededAreRefused) {  // M27
  Sandbox sandbox = create(shop());
  const auto reloaded = sandbox.reload("tariff", Source::wat(R"((module
      (func (export "price") (param i32) (result i32) (local.get 0))))"),
                                       {.policy = ReloadPolicy{.state = StateWay::none, .drop_exports = true}});
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::link_error);
  EXPECT_THAT(reloaded.error().message, HasSubstr("the module till"));
  EXPECT_EQ(sell(sandbox, 10), 20);
  EXPECT_EQ(active(sandbox, "tariff"), 1U);
}

TEST_F(DependenciesTest, ThatFailToStartChangeNothing) {
  Sandbox sandbox = create(shop());
  sell(sandbox, 10);
  const auto reloaded = sandbox.reload("tariff", Source::wat(tariff(3, "(func $start unreachable) (start $start)")));
  EXPECT_EQ(code_of(reloaded), ErrorCode::start_failed);
  EXPECT_EQ(sell(sandbox, 10), 40);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
}

TEST_F(DependenciesTest, GoBackToTheVersionBefore) {
  Sandbox sandbox = create(shop());
  sell(sandbox, 10);
  ASSERT_TRUE(sandbox.reload("tariff", Source::wat(tariff(3))));
  sell(sandbox, 10);
  const auto back = sandbox.rollback("tariff");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(sell(sandbox, 10), 20 + 30 + 20);
  EXPECT_EQ(ask(sandbox, "asked"), 3);
  ASSERT_TRUE(sandbox.activate("tariff", 2));
  EXPECT_EQ(sell(sandbox, 10), 100);
}

TEST_F(DependenciesTest, CrossByTheirHooks) {
  const auto keeper = [](int version) {
    return fmt::format(R"((module (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
      (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
      (memory 1)
      (func (export "add") (result i32) (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const {})))
        (i32.load (i32.const 0)))
      (func (export "petri_save") (result i32) (drop (call $write (i32.const 0) (i32.const 4))) (i32.const 0))
      (func (export "petri_load") (result i32) (drop (call $read (i32.const 0) (i32.const 0) (i32.const 4))) (i32.const 0))))",
                       version);
  };
  Sandbox sandbox = create(made_of(
      {{"keeper", keeper(1)},
       {"top",
        R"((module (import "keeper" "add" (func $add (result i32))) (func (export "add") (result i32) (call $add))))"}}));
  EXPECT_EQ(ask(sandbox, "add"), 1);
  const auto report = sandbox.reload("keeper", Source::wat(keeper(10)));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->state, StateWay::hooks);
  EXPECT_EQ(ask(sandbox, "add"), 11);
}

TEST_F(DependenciesTest, ThatCrashInTheirTrialAreRolledBackWithTheStateOfAll) {
  Sandbox sandbox = create(shop());
  sell(sandbox, 10);
  ASSERT_TRUE(
      sandbox.reload("tariff", Source::wat(R"((module (global $asked (export "state.asked") (mut i32) (i32.const 0))
      (func (export "price") (param i32) (result i32) unreachable) (func (export "asked") (result i32) (global.get $asked))))")));
  EXPECT_EQ(sandbox.call("sell", {Value(1)})->kind, OutcomeKind::trapped);
  expect_soon([&] { return active(sandbox, "tariff") == 1U ? "" : "it was not taken back"; });
  EXPECT_EQ(sell(sandbox, 1), 22);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

TEST_F(DependenciesTest, ThatWereSwitchedTogetherAreRolledBackTogether) {
  Sandbox sandbox = create(shop());
  sell(sandbox, 10);
  ASSERT_TRUE(
      sandbox.reload_all({{"till", Source::wat(till(2, R"((import "tariff" "tip" (func $tip (result i32)))
                                       (func (export "tip") (result i32) (call $tip)))"))},
                          {"tariff", Source::wat(tariff(3, R"((func (export "tip") (result i32) unreachable))"))}}));
  EXPECT_EQ(sandbox.call("tip")->kind, OutcomeKind::trapped);
  expect_soon([&] { return active(sandbox, "tariff") == 1U && active(sandbox, "till") == 1U ? "" : "not both"; });
  EXPECT_EQ(sell(sandbox, 1), 22);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
}

TEST_F(DependenciesTest, MayComeAndGoWithTheVersionsThatNeedThem) {
  SandboxSpec spec = made_of({{"a", R"((module (memory 1) (func (export "f") (result i32) (i32.load (i32.const 0)))
      (func (export "set") (i32.store (i32.const 0) (i32.const 9)))))"},
                              {"b", R"((module (func (export "one") (result i32) (i32.const 1))))"}});
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "a", .module = "a"}}};
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.call("set"));
  const std::string with = R"((module (import "b" "one" (func $one (result i32))) (memory 1)
      (func (export "f") (result i32) (i32.add (i32.load (i32.const 0)) (call $one)))
      (func (export "set") (i32.store (i32.const 0) (i32.const 9)))))";
  const auto come = sandbox.reload("a", Source::wat(with));
  ASSERT_TRUE(come) << come.error().message;
  EXPECT_EQ(come->state, StateWay::memory);
  EXPECT_EQ(ask(sandbox, "f"), 10);
  ASSERT_TRUE(sandbox.rollback("a"));
  EXPECT_EQ(ask(sandbox, "f"), 9);
  EXPECT_THAT(*sandbox.dependencies("a"), IsEmpty());
}

TEST_F(DependenciesTest, SwitchOneProcessAfterAnotherToo) {
  SandboxSpec spec = shop();
  spec.tree = SupervisorSpec{};
  for (const char* name : {"one", "two", "three"}) {
    spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "till"});
  }
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.reload("tariff", Source::wat(tariff(3)), {.policy = ReloadPolicy{.rolling = true}}));
  for (const char* name : {"one", "two", "three"}) {
    EXPECT_EQ(sandbox.call("sell", {Value(1)}, {.process = name})->values[0].i32(), 3);
  }
}

TEST_F(DependenciesTest, AreWithTheProcessInSnapshotForkAndRestart) {
  Sandbox sandbox = create(shop());
  sell(sandbox, 10);
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  sell(sandbox, 10);
  auto fork = runtime_->fork("shop", "fork");
  ASSERT_TRUE(fork) << fork.error().message;
  EXPECT_EQ(sell(*fork, 1), 42);
  EXPECT_EQ(ask(*fork, "asked"), 3);
  const auto restored = sandbox.restore(*snapshot);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(sell(sandbox, 1), 22);
  EXPECT_EQ(ask(sandbox, "asked"), 2);
  ASSERT_TRUE(sandbox.reload("tariff", Source::wat(tariff(3))));
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sell(sandbox, 1), 3);
}

TEST_F(DependenciesTest, ThatAreNotMovableAreNamedWhereMemoryWouldHaveToCross) {
  const std::string fixed =
      R"((module (table 2 funcref) (func (export "f") (table.set (i32.const 0) (ref.null func)))))";
  Sandbox sandbox = create(made_of({{"fixed", fixed}, {"top", empty_module(imports_from("fixed"))}}));
  const auto snapshot = sandbox.snapshot();
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, ErrorCode::state_incompatible);
  EXPECT_THAT(snapshot.error().message, HasSubstr("the module fixed is not movable"));
}

// Two modules that count, and one that shows both counters.
std::string counting(int step) {
  return fmt::format(R"((module (global $n (export "state.n") (mut i32) (i32.const 0))
      (func (export "next") (result i32) (global.set $n (i32.add (global.get $n) (i32.const {}))) (global.get $n))
      (func (export "n") (result i32) (global.get $n))))",
                     step);
}
constexpr const char* kBoth =
    R"((module (import "left" "next" (func $l (result i32))) (import "right" "next" (func $r (result i32)))
    (import "right" "n" (func $n (result i32))) (global $own (export "state.own") (mut i32) (i32.const 0))
    (func (export "left") (result i32) (call $l)) (func (export "right") (result i32) (call $r))
    (func (export "now") (result i32) (call $n))))";

TEST_F(DependenciesTest, ThatStayAsTheyAreMayBeNamedBesideThoseThatChange) {
  Sandbox sandbox = create(made_of({{"left", counting(1)}, {"right", counting(1)}, {"top", kBoth}}));
  ask(sandbox, "left");
  const auto reports = sandbox.reload_all({{"left", Source::wat(counting(1))}, {"right", Source::wat(counting(10))}});
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_TRUE((*reports)[0].no_change);
  EXPECT_EQ(ask(sandbox, "right"), 10);
  EXPECT_EQ(ask(sandbox, "left"), 2);
}

TEST_F(DependenciesTest, DoNotLoseTheirStateToASnapshotThatDoesNotKnowIt) {
  Sandbox sandbox = create(made_of({{"left", counting(1)}, {"right", counting(1)}, {"top", kBoth}}));
  ask(sandbox, "right");
  ASSERT_TRUE(sandbox.reload_all({{"left", Source::wat(counting(5))}, {"right", Source::wat(counting(5))}}));
  EXPECT_EQ(ask(sandbox, "now"), 1);
  // One that came after the switch keeps what it has when another takes the switch back.
  ASSERT_TRUE(sandbox.rollback("right"));
  ASSERT_TRUE(sandbox.rollback("left"));
  ASSERT_TRUE(sandbox.reload("right", Source::wat(counting(7))));
  ASSERT_TRUE(sandbox.start_child({ChildSpec{.id = "late", .module = "top"}}));
  EXPECT_EQ(ask(sandbox, "right", "late"), 7);
  ASSERT_TRUE(sandbox.rollback("right", 1, {.snapshot = true}));
  EXPECT_EQ(ask(sandbox, "now", "late"), 7);
  EXPECT_EQ(ask(sandbox, "right", "late"), 8);
}

// Both go back to their state at the switch, whichever of them is named.
TEST_F(DependenciesTest, ThatWereSwitchedTogetherGoBackTogetherWithTheSnapshot) {
  for (const char* module : {"left", "right"}) {
    Sandbox sandbox = create(made_of({{"left", counting(1)}, {"right", counting(1)}, {"top", kBoth}}));
    ask(sandbox, "left");
    ask(sandbox, "right");
    ASSERT_TRUE(sandbox.reload_all({{"left", Source::wat(counting(5))}, {"right", Source::wat(counting(5))}}));
    EXPECT_EQ(ask(sandbox, "left"), 6);
    EXPECT_EQ(ask(sandbox, "right"), 6);
    const auto back = sandbox.rollback(module, 1, {.snapshot = true});
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->module, module);
    EXPECT_TRUE(back->snapshot);
    EXPECT_EQ(ask(sandbox, "left"), 2);
    EXPECT_EQ(ask(sandbox, "right"), 2);
    for (const char* each : {"left", "right"}) EXPECT_EQ(sandbox.history(each)->active, 1U) << each;
    ASSERT_TRUE(runtime_->destroy("made"));
  }
}

TEST_F(DependenciesTest, HaveNoCommonSnapshotOnceOneOfThemWasSwitchedAgain) {
  Sandbox sandbox = create(made_of({{"left", counting(1)}, {"right", counting(1)}, {"top", kBoth}}));
  ASSERT_TRUE(sandbox.reload_all({{"left", Source::wat(counting(5))}, {"right", Source::wat(counting(5))}}));
  ASSERT_TRUE(sandbox.reload("left", Source::wat(counting(7))));
  const auto refused = sandbox.rollback("right", 1, {.snapshot = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
  EXPECT_EQ(refused.error().message,
            "there is no snapshot of a switch of right from version 1 to 2: only the last switch of a module has one, "
            "and one without a trial has none; roll back without it");
}

TEST_F(DependenciesTest, HaveNoSnapshotOfASwitchWithoutATrial) {
  Sandbox sandbox = create(made_of({{"left", counting(1)}, {"right", counting(1)}, {"top", kBoth}}));
  ASSERT_TRUE(sandbox.reload_all({{"left", Source::wat(counting(5))}, {"right", Source::wat(counting(5))}},
                                 {.policy = ReloadPolicy{.trial = {.calls = 0}}}));
  EXPECT_EQ(testing::not_error(sandbox.rollback("right", 1, {.snapshot = true}), ErrorCode::not_found), "");
  EXPECT_TRUE(sandbox.rollback("right", 1));
}

TEST_F(DependenciesTest, ShowTheirFieldsInTheStateOfTheProcess) {
  Sandbox sandbox = create(made_of({{"left", counting(1)}, {"right", counting(10)}, {"top", kBoth}}));
  ask(sandbox, "left");
  ask(sandbox, "right");
  const auto state = sandbox.state();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(to_json(*state),
            R"({"fields":[{"name":"left.n","type":"i32","value":1},{"name":"own","type":"i32","value":0},)"
            R"({"name":"right.n","type":"i32","value":10}]})");
  ASSERT_TRUE(sandbox.update_state(
      {{.name = "right.n", .value = std::int64_t{40}}, {.name = "own", .value = std::int64_t{3}}}));
  EXPECT_EQ(ask(sandbox, "right"), 50);
  EXPECT_EQ(ask(sandbox, "left"), 2);
  EXPECT_EQ(std::get<std::int64_t>(*sandbox.state()->get("own")), 3);
}

// Linked with all before it, each of a chain of two thousand would be two million parts.
TEST_F(DependenciesTest, OfALongChainAreLinkedOnlyWhereAProcessStarts) {
  constexpr int kLength = 2'000;
  SandboxSpec spec{.id = "chain"};
  spec.modules.push_back({"m0", Source::wat("(module (func (export \"f\") (result i32) (i32.const 7)))")});
  for (int i = 1; i < kLength; ++i) {
    spec.modules.push_back({fmt::format("m{}", i), Source::wat(fmt::format(R"((module
        (import "m{}" "f" (func $f (result i32))) (func (export "f") (result i32) (i32.const {}))))",
                                                                           i - 1, i))});
  }
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "few", .module = "m9"}}};
  Sandbox sandbox = create(std::move(spec));
  EXPECT_EQ(testing::not_value(sandbox.call("f"), 9), "");
  EXPECT_EQ(sandbox.usage().processes, 1U);
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "more", .module = "m19"}));
  EXPECT_EQ(testing::not_value(sandbox.call("f", {}, {.process = "more"}), 19), "");
}

// Each would be linked, and started, with all before it: those that nobody runs are linked for the first who does.
TEST_F(DependenciesTest, OfALongChainAreReloadedWithoutLinkingEach) {
  constexpr int kLength = 1'000;
  SandboxSpec spec{.id = "chain"};
  const auto first = [](int value) {
    return Source::wat(fmt::format("(module (func (export \"f\") (result i32) (i32.const {})))", value));
  };
  spec.modules.push_back({"m0", first(0)});
  for (int i = 1; i < kLength; ++i) {
    spec.modules.push_back({fmt::format("m{}", i), Source::wat(fmt::format(R"((module
        (import "m{}" "f" (func $f (result i32)))
        (func (export "f") (result i32) (i32.add (call $f) (i32.const 1)))))",
                                                                           i - 1))});
  }
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "few", .module = "m9"}}};
  spec.tier = Tier::interpreted;
  Sandbox sandbox = create(std::move(spec));
  EXPECT_EQ(testing::not_value(sandbox.call("f"), 9), "");
  ASSERT_TRUE(sandbox.reload("m0", first(100)));
  EXPECT_EQ(testing::not_value(sandbox.call("f"), 109), "");
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "more", .module = "m19"}));
  EXPECT_EQ(testing::not_value(sandbox.call("f", {}, {.process = "more"}), 119), "") << "linked with the new version";
  ASSERT_TRUE(sandbox.rollback("m0"));
  EXPECT_EQ(testing::not_value(sandbox.call("f", {}, {.process = "more"}), 19), "");
}

TEST_F(DependenciesTest, MayBeConstrainedWhenTheSandboxIsCreated) {
  SandboxSpec spec = shop();
  spec.modules[0].needs = {{"tariff", {.min = 2}}};
  EXPECT_EQ(refused(spec).message, "the module till needs version 2 or later of tariff, and 1 is active");
  spec.modules[0].needs = {{"tariff", {.min = 1, .max = 1}}};
  Sandbox sandbox = create(spec);
  const auto newer = sandbox.reload("tariff", Source::wat(tariff(3)));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::link_error);
  EXPECT_EQ(newer.error().message, "the module till needs version 1 to 1 of tariff, and 2 would be active");
  EXPECT_EQ(sell(sandbox, 3), 6);
}

// A module that only sends messages to another may say that it needs it.
TEST_F(DependenciesTest, MayBeDeclaredWithoutAnImport) {
  SandboxSpec spec = made_of({{"client", "(module (func (export \"f\")))"}, {"server", counting(1)}});
  spec.modules[0].needs = {{"server", {.min = 1, .max = 2}}, {"clock", {}}};
  EXPECT_EQ(refused(spec).message, "the module client needs version 1 or later of clock, and there is no such module");
  spec.modules[0].needs.erase("clock");
  Sandbox sandbox = create(spec);
  EXPECT_THAT(sandbox.versions("client")->front().imports,
              ElementsAre(ModuleDependency{"server", {.min = 1, .max = 2}, DependencyKind::declared}));
  ASSERT_TRUE(sandbox.reload("server", Source::wat(counting(2))));
  EXPECT_EQ(sandbox.reload("server", Source::wat(counting(3))).error().message,
            "the module client needs version 1 to 2 of server, and 3 would be active");
  EXPECT_EQ(sandbox.history("server")->active, 2U);
  EXPECT_THAT(*sandbox.dependencies("client"), IsEmpty()) << "nothing is imported";
}

TEST_F(DependenciesTest, AreReadFromJsonWithTheirConstraints) {
  const auto spec = SandboxSpec::from_json(R"json({"id": "a", "modules": {"m": {"wat": "(module)",
      "needs": {"store": {"min": 2, "max": 3}, "clock": {}}}}})json");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->modules[0].needs, (VersionNeeds{{"store", {.min = 2, .max = 3}}, {"clock", {}}}));
  EXPECT_EQ(SandboxSpec::from_json(R"json({"modules": {"m": {"wat": "(module)", "needs": {"store": {"min": 3, "max": 2},
      "clock": {"least": 1}}}}})json")
                .error()
                .message,
            "modules.m.needs.clock.least is no field here (there are max, min); "
            "modules.m.needs.store has no version between its min and its max");
}

TEST_F(DependenciesTest, DoNotGetTheMemoryOfOtherVersions) {
  Sandbox sandbox = create(made_of({{"left", counting(1)}, {"right", counting(1)}, {"top", kBoth}}));
  ask(sandbox, "right");
  ASSERT_TRUE(sandbox.reload("right", Source::wat(counting(5))));
  std::string other = kBoth;
  other.replace(other.find("(i32.const 0))"), 14, "(i32.const 1))");
  ASSERT_TRUE(sandbox.reload("top", Source::wat(other)));
  EXPECT_EQ(code_of(sandbox.rollback("right", 1, {.snapshot = true})), ErrorCode::state_incompatible);
  EXPECT_EQ(ask(sandbox, "right"), 6);
}

TEST_F(DependenciesTest, ThatCannotBeKeptDoNotKeepAProcessFromBeingRevived) {
  Sandbox sandbox = create(made_of(
      {{"b", R"((module (func (export "f"))))"},
       {"top",
        R"((module (import "b" "f" (func $f)) (elem $e func 0) (func (export "go") (elem.drop $e) (call $f))))"}}));
  ASSERT_TRUE(sandbox.reload("b", Source::wat(R"((module (func (export "f") unreachable)))")));
  EXPECT_EQ(sandbox.call("go")->kind, OutcomeKind::trapped);
  expect_soon([&] { return sandbox.call("go")->kind == OutcomeKind::ok ? "" : "it does not answer"; });
}

TEST_F(DependenciesTest, OfARollingReloadThatFailsStayTogether) {
  SandboxSpec spec = made_of({{"left", counting(1)}, {"right", counting(1)}, {"top", kBoth}});
  spec.tree = SupervisorSpec{};
  for (const char* name : {"one", "two"}) spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "top"});
  Sandbox sandbox = create(spec);
  for (const char* name : {"one", "two"}) ask(sandbox, "right", name);
  std::string sulking = counting(10);
  sulking.insert(sulking.rfind(')'), R"((func (export "petri_ready") (result i32) (i32.const 1)))");
  const ReloadOptions rolling{.policy = ReloadPolicy{.rolling = true}};
  EXPECT_EQ(code_of(sandbox.reload("right", Source::wat(sulking), rolling)), ErrorCode::start_failed);
  EXPECT_EQ(active(sandbox, "right"), 1U);
  EXPECT_EQ(ask(sandbox, "right", "one"), 2);
  const auto report = sandbox.reload("right", Source::wat(counting(10)), rolling);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->processes.size(), 2U);
  EXPECT_EQ(ask(sandbox, "right", "two"), 11);
}

TEST_F(DependenciesTest, OfARollingReloadAreOnTrial) {
  Sandbox sandbox = create(shop());
  sell(sandbox, 10);
  ASSERT_TRUE(sandbox.reload("tariff",
                             Source::wat(R"((module (global $asked (export "state.asked") (mut i32) (i32.const 0))
      (func (export "price") (param i32) (result i32) unreachable) (func (export "asked") (result i32) (global.get $asked))))"),
                             {.policy = ReloadPolicy{.rolling = true}}));
  EXPECT_EQ(sandbox.call("sell", {Value(1)})->kind, OutcomeKind::trapped);
  expect_soon([&] { return active(sandbox, "tariff") == 1U ? "" : "it was not taken back"; });
  EXPECT_EQ(sell(sandbox, 1), 22);
}

TEST_F(DependenciesTest, KeepTheProcessesTheyHadWhenTheyBeginToBeImported) {
  Sandbox sandbox = create(made_of({{"a", R"((module (func (export "f"))))"}, {"b", counting(1)}}));
  EXPECT_EQ(ask(sandbox, "next", "b"), 1);
  ASSERT_TRUE(sandbox.reload("a", Source::wat(R"((module (import "b" "n" (func $n (result i32)))
      (func (export "f") (drop (call $n)))))")));
  ASSERT_TRUE(sandbox.restart({.keep_state = true}));
  EXPECT_EQ(ask(sandbox, "next", "b"), 2);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(ask(sandbox, "next", "b"), 1);
}

TEST_P(DependenciesTest, PayForWhatTheyBurnUntilTimeEndsThem) {  // M28
  SandboxSpec spec = made_of({{"b", R"((module (func (export "spin") (loop $again (br $again)))))"},
                              {"a", R"((module (import "b" "spin" (func $spin)) (func (export "go") (call $spin))))"}});
  spec.limits = {.execution_time_max = std::chrono::milliseconds(20)};
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  const auto outcome = sandbox.call("go");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::deadline);
  EXPECT_GT(outcome->fuel_used, 10'000U);
  EXPECT_GE(sandbox.usage().fuel_used, outcome->fuel_used);
}

TEST_F(DependenciesTest, MayBeNeededInCertainVersions) {
  Sandbox sandbox = create(shop());
  EXPECT_EQ(code_of(sandbox.reload("till", Source::wat(till(2)), {.needs = {{"tariff", {.min = 2}}}})),
            ErrorCode::link_error);
  EXPECT_EQ(code_of(sandbox.stage("till", Source::wat(till(2)), {.needs = {{"tariff", {.min = 2}}}})),
            ErrorCode::link_error);
  EXPECT_EQ(code_of(sandbox.reload("till", Source::wat(till(2)), {.needs = {{"nobody", {}}}})), ErrorCode::link_error);
  ASSERT_TRUE(sandbox.reload("tariff", Source::wat(tariff(3))));
  ASSERT_TRUE(sandbox.reload("till", Source::wat(till(2)), {.needs = {{"tariff", {.min = 2, .max = 3}}}}));
  EXPECT_THAT(sandbox.versions("till")->front().imports, ElementsAre(ModuleDependency{"tariff", {2, 3}}));
  const auto back = sandbox.rollback("tariff");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, ErrorCode::link_error);
  EXPECT_THAT(back.error().message, HasSubstr("the module till needs version 2 to 3 of tariff, and 1 would be active"));
  EXPECT_EQ(sell(sandbox, 1), 3);
  const auto read = Snapshot::from_bytes(sandbox.snapshot()->to_bytes());
  ASSERT_TRUE(read);
  auto twin = runtime_->create_sandbox({.id = "twin"}, *read);
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_EQ(code_of(twin->rollback("tariff")), ErrorCode::link_error);
}

TEST_F(DependenciesTest, OfAHundredModulesInARowAnswer) {
  std::vector<std::pair<std::string, std::string>> modules;
  modules.emplace_back("m0", R"((module (func (export "f") (result i32) (i32.const 1))))");
  for (int index = 1; index < 100; ++index) {
    modules.emplace_back(fmt::format("m{}", index), fmt::format(R"((module (import "m{}" "f" (func $f (result i32)))
      (func (export "f") (result i32) (i32.add (call $f) (i32.const 1)))))",
                                                                index - 1));
  }
  Sandbox sandbox = create(made_of(modules));
  EXPECT_EQ(ask(sandbox, "f"), 100);
}

INSTANTIATE_TEST_SUITE_P(InBothTiers, DependenciesTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
