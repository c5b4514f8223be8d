// Area M of docs/behaviours.md: modules, versions, reload, rollback.
#include <set>

#include "engine/sha256.h"
#include "state_guests.h"
#include "watched_artifact.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using ModulesTest = VersionsFixture;

TEST_F(ModulesTest, AreAnsweredFromEachSandboxsOwnCode) {  // M01
  Sandbox one = create(spec("one"));
  SandboxSpec other = spec("two");
  other.modules[0].source = code(2);
  Sandbox two = create(other);
  EXPECT_EQ(ask(one, "version"), 1);
  EXPECT_EQ(ask(two, "version"), 2);
  EXPECT_EQ(one.info().modules[0].name, "service");
}

TEST_F(ModulesTest, BeginWithVersionOneAndItsRecord) {  // M02
  testing::ManualTime time;
  runtime_ = std::move(*Runtime::create(in_tier_under_test({.workers = 2, .clock = time.clock()})));
  Sandbox sandbox = create(spec());
  const std::string text = service(7, R"((global $count (export "state.count") (mut i32) (i32.const 0)))",
                                   R"((import "service" "version" (func (result i32))))");
  const auto artifact = *Artifact::from_wat(text, 1 << 20);
  time.advance(*runtime_, std::chrono::hours(3));
  const auto loaded = sandbox.load("tools", Source::wat(text), {.metadata = {{"by", "test"}}});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->number, 1U);
  EXPECT_EQ(loaded->artifact, artifact->id());
  EXPECT_EQ(loaded->bytes, artifact->bytes().size());
  EXPECT_EQ(loaded->source, sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  EXPECT_EQ(loaded->time, sandbox.info().created + std::chrono::hours(3));
  EXPECT_EQ(loaded->path, "");
  EXPECT_THAT(loaded->imports, ElementsAre(ModuleDependency{.module = "service"}));
  EXPECT_TRUE(loaded->active);
  EXPECT_EQ(loaded->language, "wat");
  EXPECT_EQ(loaded->text, text);
  EXPECT_EQ(loaded->origin, VersionOrigin::load);
  EXPECT_EQ(loaded->metadata.at("by"), "test");
  ASSERT_EQ(loaded->state.size(), 1U);
  EXPECT_EQ(loaded->state[0].name, "count");
  EXPECT_EQ(loaded->state[0].type, StateType::i32);
  ASSERT_TRUE(sandbox.start_child({ChildSpec{.id = "t", .module = "tools"}}));
  EXPECT_EQ(ask(sandbox, "version", "t"), 7);
  ASSERT_TRUE(sandbox.reload("tools", code(8)));
  ASSERT_TRUE(sandbox.reload("tools", code(9)));
  EXPECT_THAT(numbers(sandbox, "tools"), ElementsAre(3, 2, 1)) << "newest first";
  EXPECT_EQ(sandbox.versions("tools")->back().metadata.at("by"), "test");
  EXPECT_EQ(sandbox.versions("tools")->front().origin, VersionOrigin::reload);
  runtime_.reset();  // before its clock
}

TEST_F(ModulesTest, AreLoadedOnceUnderOneName) {  // M03
  Sandbox sandbox = create(spec());
  EXPECT_EQ(code_of(sandbox.load("service", code(2))), ErrorCode::already_exists);
  EXPECT_EQ(ask(sandbox, "version"), 1);
  std::vector<std::jthread> threads;
  std::atomic<int> loaded{0};
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&, i] { loaded += sandbox.load(fmt::format("a.b_{}", i), code(i)) ? 1 : 0; });
  }
  threads.clear();
  EXPECT_EQ(loaded, 10);
  EXPECT_EQ(sandbox.info().modules.size(), 11U);
}

TEST_F(ModulesTest, ThatAreUnknownAreNamed) {  // M04
  Sandbox sandbox = create(spec());
  const auto refusals = [&](std::string_view module) {
    const auto refusal = [](const auto& result) {
      return result ? "ok" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
    };
    return std::set<std::string>{refusal(sandbox.reload(module, code(2))), refusal(sandbox.stage(module, code(2))),
                                 refusal(sandbox.rollback(module, 1)),     refusal(sandbox.activate(module, 1)),
                                 refusal(sandbox.versions(module)),        refusal(sandbox.history(module)),
                                 refusal(sandbox.plan(module, code(2))),   refusal(sandbox.dependencies(module)),
                                 refusal(sandbox.export_module(module))};
  };
  EXPECT_THAT(refusals("nobody"), ElementsAre("not_found: the sandbox a has no module nobody"));
  ASSERT_TRUE(runtime_->destroy("a"));
  EXPECT_THAT(refusals("service"), ElementsAre("not_found: there is no sandbox a: it was destroyed"));
  EXPECT_THAT(refusals("nobody"), ElementsAre("not_found: there is no sandbox a: it was destroyed"));
}

TEST_F(ModulesTest, AnswerFromTheNewCodeAfterAReload) {  // M05 T05
  Sandbox sandbox = create(spec());
  for (int i = 0; i < 41; ++i) ask(sandbox, "next");
  const auto report = sandbox.reload("service", code(2));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->from, 1U);
  EXPECT_EQ(report->to, 2U);
  EXPECT_EQ(report->state, StateWay::described);
  EXPECT_EQ(report->processes.size(), 1U);
  EXPECT_EQ(ask(sandbox, "version"), 2);
  EXPECT_EQ(ask(sandbox, "next"), 42);
  EXPECT_EQ(active(sandbox), 2U);
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
}

TEST_F(ModulesTest, AreNotTouchedByTheirOwnCode) {  // M06
  runtime_ =
      std::move(*Runtime::create(in_tier_under_test({.workers = 2, .sampling_interval = std::chrono::nanoseconds(0)})));
  Sandbox sandbox = create(with_children({"x", "y"}));
  EXPECT_EQ(ask(sandbox, "next", "x"), 1);
  const std::uint64_t fuel = sandbox.usage().fuel_used;
  auto events = runtime_->subscribe();
  const auto report = sandbox.reload("service", code(1));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->no_change);
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  EXPECT_EQ(sandbox.history("service")->total, 1U);
  std::vector<std::string> seen;
  while (const EventPtr event = events->next()) {
    seen.push_back(fmt::format("{} {}{} {}", name_of(event->kind), event->text("module"), event->text("to"),
                               event->count("version")));
  }
  EXPECT_THAT(seen, ElementsAre("sandbox.status reloading 0", "module.no_change service 1", "sandbox.status running 0"))
      << "no process is touched";
  EXPECT_EQ(sandbox.usage().fuel_used, fuel);
  EXPECT_EQ(ask(sandbox, "next", "x"), 2);
}

TEST_F(ModulesTest, KeepTheNumberOfCodeTheyHaveSeen) {  // M07
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ASSERT_TRUE(sandbox.rollback("service", 1));
  const auto again = sandbox.reload("service", code(2));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->no_change);
  EXPECT_EQ(again->to, 2U);
  EXPECT_THAT(numbers(sandbox), ElementsAre(2, 1));
}

TEST_F(ModulesTest, NeverGiveANumberTwice) {  // M08
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ASSERT_TRUE(sandbox.reload("service", code(3)));
  ASSERT_TRUE(sandbox.rollback("service", 1));
  const auto report = sandbox.reload("service", code(4));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->to, 4U);
}

TEST_F(ModulesTest, KeepAsManyVersionsAsAllowed) {  // M09 hostile G11 Q20
  Sandbox sandbox = create(spec());
  for (int i = 2; i <= 16; ++i) ASSERT_TRUE(sandbox.reload("service", code(i)));
  EXPECT_THAT(numbers(sandbox), ElementsAre(16, 15, 14, 13, 12, 11, 10, 9, 8, 7));
  const auto back = sandbox.rollback("service", 6);
  EXPECT_EQ(code_of(back), ErrorCode::version_not_found);
  EXPECT_THAT(back.error().message, HasSubstr("7, 8, 9"));
  EXPECT_EQ(ask(sandbox, "version"), 16);
}

TEST_F(ModulesTest, NeverLoseTheActiveVersion) {  // M10
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ASSERT_TRUE(sandbox.reload("service", code(3)));
  ASSERT_TRUE(sandbox.rollback("service", 1));
  ASSERT_TRUE(sandbox.update_limits({.versions_max = 1}));
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  EXPECT_EQ(ask(sandbox, "version"), 1);
}

TEST_F(ModulesTest, GoBackWithAllTheirProcesses) {  // M11
  Sandbox sandbox = create(with_children({"x", "y"}));
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  const auto back = sandbox.rollback("service");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->to, 1U);
  EXPECT_EQ(back->processes.size(), 2U);
  EXPECT_EQ(ask(sandbox, "version", "x"), 1);
  EXPECT_EQ(ask(sandbox, "version", "y"), 1);
  EXPECT_TRUE(sandbox.rollback("service", 1)->no_change);
}

TEST_F(ModulesTest, RefuseBadCodeAndContinue) {  // M13
  Sandbox sandbox = create(spec());
  EXPECT_EQ(code_of(sandbox.reload("service", Source::wasm({0, 1, 2, 3}))), ErrorCode::rejected);
  EXPECT_EQ(code_of(sandbox.reload("service", Source::wat("(module"))), ErrorCode::parse_failed);
  EXPECT_EQ(code_of(sandbox.reload("service", Source::wat("(module (import \"petri\" \"nothing\" (func)))"))),
            ErrorCode::link_error);
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  EXPECT_EQ(ask(sandbox, "version"), 1);
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
}

TEST_F(ModulesTest, RefuseCodeThatLacksWhatCallersNeed) {  // hostile G05
  Sandbox sandbox = create(spec());
  const Source poor = Source::wat(R"((module (global (export "state.count") (mut i32) (i32.const 0))
                                            (func (export "version") (result i64) (i64.const 2))))");
  const auto report = sandbox.reload("service", poor);
  EXPECT_EQ(code_of(report), ErrorCode::rejected);
  EXPECT_THAT(report.error().message, HasSubstr("next"));
  EXPECT_THAT(report.error().message, HasSubstr("version"));
  EXPECT_TRUE(sandbox.reload("service", poor, {.policy = ReloadPolicy{.drop_exports = true}}));
  EXPECT_EQ(ask(sandbox, "version"), 2);
}

TEST_F(ModulesTest, AreBusyWhenAProcessDoesNotQuiesce) {  // M15
  Sandbox sandbox = create(with_children({"x", "y"}));
  std::stop_source stop;
  const auto before = sandbox.usage().cpu_time;
  auto spinning = std::async(std::launch::async,
                             [&] { return sandbox.call("spin", {}, {.process = "x", .stop = stop.get_token()}); });
  expect_soon([&] { return sandbox.usage().cpu_time > before ? "" : "does not spin yet"; });
  const auto report =
      sandbox.reload("service", code(2), {.policy = ReloadPolicy{.quiet_wait_max = std::chrono::milliseconds(20)}});
  EXPECT_EQ(code_of(report), ErrorCode::busy);
  EXPECT_EQ(ask(sandbox, "version", "y"), 1);
  EXPECT_EQ(active(sandbox), 1U);
  stop.request_stop();
  EXPECT_EQ(spinning.get()->kind, OutcomeKind::cancelled);
}

TEST_F(ModulesTest, StayWhereOneProcessIsNotReady) {  // M17
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back(fmt::format("c{}", i));
  SandboxSpec many = with_children(names);
  many.limits.processes_max = 60;
  Sandbox sandbox = create(many);
  ask(sandbox, "next", "c49");
  // Ready only where nobody has counted.
  const std::string picky = service(2, R"((global $count (export "state.count") (mut i32) (i32.const 0)))",
                                    R"((func (export "petri_ready") (result i32) (global.get $count)))");
  const auto report = sandbox.reload("service", Source::wat(picky));
  EXPECT_EQ(code_of(report), ErrorCode::start_failed);
  EXPECT_THAT(report.error().message, HasSubstr("c49"));
  for (const std::string& name : names) EXPECT_EQ(ask(sandbox, "version", name), 1);
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  EXPECT_EQ(ask(sandbox, "next", "c49"), 2);
}

TEST_F(ModulesTest, SwitchTogetherOrNotAtAll) {  // M18 M20 hostile G16
  SandboxSpec three = spec();
  three.modules = {{"a", code(1)}, {"b", code(1)}, {"c", code(1)}};
  Sandbox sandbox = create(three);
  const Source unlinked = Source::wat("(module (import \"petri\" \"nothing\" (func)))");
  const auto expect_untouched = [&](std::int64_t next) {
    for (const char* name : {"a", "b", "c"}) {
      EXPECT_THAT(numbers(sandbox, name), ElementsAre(1));
      EXPECT_EQ(ask(sandbox, "version", name), 1);
      EXPECT_EQ(ask(sandbox, "next", name), next) << "its state";
    }
  };
  expect_untouched(1);
  EXPECT_EQ(code_of(sandbox.reload_all({{"a", code(2)}, {"b", code(2)}, {"c", unlinked}})), ErrorCode::link_error);
  expect_untouched(2);
  const auto unknown = sandbox.reload_all({{"a", code(2)}, {"x", code(2)}, {"y", code(2)}});
  EXPECT_EQ(code_of(unknown), ErrorCode::not_found);
  EXPECT_EQ(unknown.error().message, "the sandbox a has no module x, y");
  expect_untouched(3);
  const auto all = sandbox.reload_all({{"a", code(2)}, {"b", code(3)}, {"c", code(4)}});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(ask(sandbox, "version", "a"), 2);
  EXPECT_EQ(ask(sandbox, "version", "b"), 3);
  EXPECT_EQ(ask(sandbox, "version", "c"), 4);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(ask(sandbox, "next", name), 4) << "state crosses";
}

TEST_F(ModulesTest, GoBackByThemselvesWhenNewCodeCrashesSoon) {  // M22 hostile G15
  SandboxSpec one_restart = with_children({"x", "y"});
  one_restart.tree->intensity = 1;
  Sandbox sandbox = create(one_restart);
  ask(sandbox, "next", "x");
  auto events = runtime_->subscribe({.kinds = {EventKind::module_rolled_back, EventKind::process_restarted}});
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  for (int i = 0; i < 4; ++i) ask(sandbox, "next", "x");
  EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
  expect_soon([&] { return active(sandbox) == 1 ? "" : "not yet back"; });
  EXPECT_EQ(ask(sandbox, "version", "x"), 1);
  EXPECT_EQ(ask(sandbox, "version", "y"), 1);
  EXPECT_EQ(ask(sandbox, "next", "x"), 2);
  const EventPtr event = events->wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(10));
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->kind, EventKind::module_rolled_back);
  EXPECT_EQ(event->text("module"), "service");
  EXPECT_EQ(event->count("from"), 2U);
  EXPECT_EQ(event->count("version"), 1U);
  EXPECT_EQ(event->text("cause"), "trial");
  EXPECT_EQ(event->count("processes"), 2U);
  EXPECT_EQ(event->text("trap"), "unreachable");
  EXPECT_EQ(event->text("reason"), "trapped");
  EXPECT_EQ(events->next(), nullptr) << "once, and no restart";
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
  // Once: the next crash is one like any other.
  EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
  expect_soon([&] { return sandbox.info().supervisor_restarts == 1 ? "" : "not restarted"; });
  EXPECT_EQ(active(sandbox), 1U);
  EXPECT_EQ(sandbox.status(), SandboxStatus::running) << "the intensity of 1 had that one left";
}

// A timer that has fired since the switch fires again, for the state of the switch knows nothing of that; timers that
// the new code asked for are forgotten with it. The process that crashed and the one that did not are treated alike.
TEST_F(ModulesTest, HaveTheTimersOfTheSwitchAgainWhenTheyGoBack) {  // M22
  constexpr std::string_view kTicker = R"((module
    (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (import "petri" "message_tag" (func $tag (result i64)))
    (global $seen (export "state.seen") (mut i64) (i64.const 0))
    (func (export "set") (param i32 i64) (result i32) (call $timer (local.get 0) (local.get 1)))
    (func (export "seen") (result i64) (global.get $seen))
    (func (export "petri_handle") (result i32)
      (global.set $seen (i64.add (i64.mul (global.get $seen) (i64.const 10)) (call $tag))) {} (i32.const 0))))";
  const auto ticker = [&](std::string_view then) { return Source::wat(fmt::format(fmt::runtime(kTicker), then)); };
  testing::ManualTime time;
  runtime_ = std::move(*Runtime::create(in_tier_under_test({.workers = 2, .clock = time.clock()})));
  for (const bool rolling : {false, true}) {
    SandboxSpec wanted = with_children({"x", "y"});
    wanted.modules[0].source = ticker("");
    wanted.reload = ReloadPolicy{.rolling = rolling, .trial = {.calls = 100, .time = std::chrono::hours(24)}};
    Sandbox sandbox = create(wanted);
    const auto set = [&](std::string process, std::int32_t seconds, std::int64_t tag) {
      const auto asked = sandbox.call("set", {seconds * 1'000, Value(tag)}, {.process = std::move(process)});
      EXPECT_EQ(testing::not_value(asked, 0), "");
    };
    const auto expect_seen = [&](std::string process, std::int64_t wanted_seen) {
      expect_soon([&] { return ask(sandbox, "seen", process) == wanted_seen ? "" : "not yet seen"; });
    };
    for (const char* process : {"x", "y"}) set(process, 10, 1);
    set("x", 1'000, 2);
    // It ticks, and falls over its tick.
    ASSERT_TRUE(sandbox.reload("service", ticker("unreachable")));
    set("y", 500, 9);
    time.advance(*runtime_, std::chrono::seconds(10));
    expect_soon([&] { return active(sandbox) == 1 ? "" : "not yet back"; });
    for (const char* process : {"x", "y"}) expect_seen(process, 1);
    EXPECT_EQ(sandbox.snapshot()->info().timers, 1U);
    time.advance(*runtime_, std::chrono::seconds(990));
    expect_seen("x", 12);
    EXPECT_EQ(ask(sandbox, "seen", "y"), 1);
    EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
  runtime_.reset();  // before its clock
}

// Issue 16: a timer that rings while its process goes back was in neither list for a moment, and rang twice.
TEST_F(ModulesTest, RingATimerOnceThoughItRingsWhileTheyGoBack) {
  constexpr std::string_view kBell = R"((module
    (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (import "petri" "message_tag" (func $tag (result i64)))
    (global $seen (export "state.seen") (mut i64) (i64.const 0))
    (func (export "set") (param i32 i64) (result i32) (call $timer (local.get 0) (local.get 1)))
    (func (export "seen") (result i64) (global.get $seen))
    (func (export "crash") unreachable)
    (func (export "petri_handle") (result i32)
      (if (i64.eq (call $tag) (i64.const {})) (then
        (global.set $seen (i64.add (global.get $seen) (call $tag))))) (i32.const 0))))";
  const auto bell = [&](int tag) { return Source::wat(fmt::format(fmt::runtime(kBell), tag)); };
  for (int round = 0; round < 60; ++round) {
    SandboxSpec wanted = with_children({"x"});
    wanted.modules[0].source = bell(1);
    wanted.reload = ReloadPolicy{.trial = {.calls = 100, .time = std::chrono::hours(24)}};
    Sandbox sandbox = create(wanted);
    ASSERT_EQ(testing::not_value(sandbox.call("set", {3, Value(std::int64_t{1})}), 0), "");
    ASSERT_TRUE(sandbox.reload("service", bell(5)));  // which does not count what rings for the other
    std::this_thread::yield();
    EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
    expect_soon([&] { return active(sandbox) == 1 && ask(sandbox, "seen") >= 1 ? "" : "not yet back"; });
    // A later one comes after all that were due before.
    ASSERT_EQ(testing::not_value(sandbox.call("set", {1, Value(std::int64_t{1})}), 0), "");
    expect_soon([&] { return sandbox.snapshot()->info().timers == 0 && ask(sandbox, "seen") >= 2 ? "" : "not yet"; });
    EXPECT_EQ(ask(sandbox, "seen"), 2);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

}  // namespace
}  // namespace petri
