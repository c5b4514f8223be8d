// Modules that import one another's functions: those that are switched together, long chains, and needs that are
// declared.
#include "dependencies_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace petri
