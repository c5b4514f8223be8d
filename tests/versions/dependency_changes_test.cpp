// Modules that import one another's functions, as they are reloaded, rolled back and restored.
#include "dependencies_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace petri
