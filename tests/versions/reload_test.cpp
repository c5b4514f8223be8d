// Area M of docs/behaviours.md: what is seen of a reload while it runs.
#include <filesystem>
#include <fstream>

#include "host/files/temporary_folder.h"
#include "state_guests.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Guests may wait at `crossing`, and say at `prepared` that they have started.
class ReloadTest : public VersionsFixture {
 protected:
  ReloadTest() {
    RuntimeOptions options = in_tier_under_test({.workers = 6});
    EXPECT_TRUE(options.host.define("test", "cross", [this] { crossing_.pass(); }));
    EXPECT_TRUE(options.host.define("test", "prepared", [this] { prepared_.pass(); }));
    runtime_ = std::move(*Runtime::create(std::move(options)));
    prepared_.open();
  }
  ~ReloadTest() override { crossing_.open(); }

  static constexpr std::string_view kCross = R"((import "test" "cross" (func $cross)))";
  static constexpr std::string_view kPrepared = R"((import "test" "prepared" (func $prepared)))";
  static constexpr std::string_view kCount = R"((global $count (export "state.count") (mut i32) (i32.const 0)))";
  static std::string says_prepared() { return "(func $begin (call $prepared)) (start $begin)"; }

  int reload_both_under_calls(std::chrono::nanoseconds quiet_wait_max);
  auto reload_beside(Sandbox& sandbox, Source source, ReloadOptions options = {}) {
    return std::async(std::launch::async, [&sandbox, source = std::move(source), options = std::move(options)] {
      return sandbox.reload("service", source, options);
    });
  }

  Crossing crossing_, prepared_;
};

TEST_F(ReloadTest, KeepsOneArtifactForHoweverManySandboxes) {  // M12
  std::vector<Sandbox> sandboxes;
  for (int i = 0; i < 100; ++i) sandboxes.push_back(create(spec(fmt::format("s{}", i))));
  EXPECT_EQ(runtime_->info().artifacts, 1U);
  for (Sandbox& sandbox : sandboxes) ASSERT_TRUE(sandbox.reload("service", code(2)));
  EXPECT_EQ(runtime_->info().artifacts, 2U);
  for (int i = 0; i < 99; ++i) ASSERT_TRUE(runtime_->destroy(fmt::format("s{}", i)));
  EXPECT_EQ(ask(sandboxes[99], "version"), 2);
  EXPECT_EQ(runtime_->info().artifacts, 2U);
  ASSERT_TRUE(runtime_->destroy("s99"));
  expect_soon([&] { return runtime_->info().artifacts == 0 ? "" : "still there"; });
}

TEST_F(ReloadTest, LeavesTheOldVersionAnsweringWhileTheNewOneIsPrepared) {  // M14
  Sandbox sandbox = create(spec());
  ask(sandbox, "next");
  const std::string waits = std::string(kCross) + "(func $begin (call $cross)) (start $begin)";
  auto reloading = reload_beside(sandbox, Source::wat(service(2, kCount, waits)));
  crossing_.wait_for(1);
  EXPECT_EQ(sandbox.info().status, SandboxStatus::reloading);
  EXPECT_EQ(ask(sandbox, "version"), 1);
  EXPECT_EQ(ask(sandbox, "next"), 2);
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  crossing_.open();
  const auto report = reloading.get();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(sandbox.info().status, SandboxStatus::running);
  EXPECT_EQ(ask(sandbox, "version"), 2);
  EXPECT_EQ(ask(sandbox, "next"), 3);
}

TEST_F(ReloadTest, LetsAHandlerInFlightEndInTheOldCode) {  // M14
  const auto at_work = [](int version) {
    return Source::wat(
        service(version, kCount,
                fmt::format("{} {} {} (func (export \"work\") (result i32) (call $cross) (i32.const {}))", kCross,
                            kPrepared, version == 1 ? "" : says_prepared(), version)));
  };
  SandboxSpec wanted = spec();
  wanted.modules[0].source = at_work(1);
  Sandbox sandbox = create(wanted);
  auto working = std::async(std::launch::async, [&] { return ask(sandbox, "work"); });
  crossing_.wait_for(1);
  auto reloading = reload_beside(sandbox, at_work(2));
  prepared_.wait_for(1);
  auto waiting = std::async(std::launch::async, [&] { return ask(sandbox, "next"); });
  crossing_.open();
  EXPECT_EQ(working.get(), 1);
  EXPECT_EQ(waiting.get(), 1);
  const auto report = reloading.get();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(ask(sandbox, "work"), 2);
}

// Answers its version and, if it is called a, that of b.
std::string half(int version) {
  return fmt::format(R"((module
    (import "petri" "self" (func $self (param i32 i32) (result i32)))
    (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
    (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
    (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "b") (data (i32.const 100) "{0:08}")
    (func (export "petri_handle") (result i32)
      (drop (call $write (i32.const 100) (i32.const 8)))
      (drop (call $self (i32.const 10) (i32.const 20)))
      (if (i32.eq (i32.load8_u (i32.const 10)) (i32.const 97)) (then
        (if (i32.ne (call $call (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 8))
          (then unreachable))
        (drop (call $reply (i32.const 200) (i32.const 0) (i32.const 8)))
        (drop (call $write (i32.const 200) (i32.const 8)))))
      (i32.const 0))))",
                     version);
}

// Reloads two modules of which one calls the other, while three callers call; how often it was busy in so short a time.
int ReloadTest::reload_both_under_calls(std::chrono::nanoseconds quiet_wait_max) {
  SandboxSpec two{.id = "a", .modules = {{"a", Source::wat(half(1))}, {"b", Source::wat(half(1))}}};
  Sandbox sandbox = create(two);
  std::atomic<bool> over = false;
  std::vector<std::future<std::string>> callers;
  for (int i = 0; i < 3; ++i) {
    callers.push_back(std::async(std::launch::async, [&]() -> std::string {
      while (!over) {
        const auto outcome = sandbox.call("", {}, {.process = "a"});
        if (!outcome) return outcome.error().message;
        if (outcome->output.size() != 16) return std::string(name_of(outcome->kind)) + " " + outcome->output;
        if (outcome->output.substr(0, 8) != outcome->output.substr(8)) return "mixed: " + outcome->output;
      }
      return "";
    }));
  }
  const ReloadOptions fresh{.policy = ReloadPolicy{.state = StateWay::none, .quiet_wait_max = quiet_wait_max}};
  int busy = 0;
  for (int i = 2; i <= 60; ++i) {
    const auto reports = sandbox.reload_all({{"a", Source::wat(half(i))}, {"b", Source::wat(half(i))}}, fresh);
    if (reports) continue;
    EXPECT_EQ(reports.error().code, ErrorCode::busy) << reports.error().message;
    ++busy;
  }
  over = true;
  for (auto& caller : callers) EXPECT_EQ(caller.get(), "");
  return busy;
}

// Nor is it in the way of calls that started before: a handler that was admitted just before the gate was closed may
// look at the clock just after.
TEST_F(ReloadTest, OfTwoModulesIsNeverSeenHalfDone) {  // M19 M35
  EXPECT_EQ(reload_both_under_calls(std::chrono::seconds(5)), 0);
}

TEST_F(ReloadTest, IsAloneWithItsModule) {  // M21
  SandboxSpec wanted = spec();
  wanted.modules.push_back({"other", code(1)});
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ask(sandbox, "next", "service");
  ReloadPolicy policy;
  policy.migrate.described = [this](const Migration&, const StateDocument& state) -> Result<StateDocument> {
    crossing_.pass();
    return state;
  };
  auto first = reload_beside(sandbox, code(3), {.policy = policy});
  crossing_.wait_for(1);
  EXPECT_EQ(sandbox.info().status, SandboxStatus::reloading);
  const auto second = sandbox.reload("service", code(4));
  EXPECT_EQ(code_of(second), ErrorCode::busy);
  EXPECT_THAT(second.error().message, HasSubstr("service"));
  EXPECT_EQ(code_of(sandbox.rollback("service", 1)), ErrorCode::busy);
  EXPECT_EQ(code_of(sandbox.activate("service", 1)), ErrorCode::busy);
  EXPECT_EQ(code_of(sandbox.stage("service", code(4))), ErrorCode::busy);
  EXPECT_EQ(code_of(sandbox.reload_all({{"other", code(5)}, {"service", code(5)}})), ErrorCode::busy);
  EXPECT_EQ(ask(sandbox, "version", "other"), 1);
  crossing_.open();
  const auto report = first.get();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->to, 3U);
  EXPECT_THAT(numbers(sandbox), ElementsAre(3, 2, 1));
  EXPECT_EQ(ask(sandbox, "next", "service"), 2);
  EXPECT_TRUE(sandbox.reload("service", code(4)));
}

// Two modules, each needed by one that has a process, switched in one reload: they go back together too.
class CompanionsTest : public ReloadTest {
 protected:
  static Source needed(int version, std::string_view more = "") {
    return guest(version, std::string(more) + field("n", "i32") + R"((func (export "crash") unreachable))");
  }
  static Source user_of(std::string_view module) {
    return guest(
        1, fmt::format(R"({0} (import "{1}" "crash" (func $crash)) (import "{1}" "version" (func $needs (result i32)))
      (func (export "crash") (call $crash)) (func (export "wait") (call $cross))
      (func (export "needs") (result i32) (call $needs)))",
                       kCross, module));
  }
  CompanionsTest() : sandbox_(create(two_pairs())) {
    const auto together = sandbox_.reload_all({{"left", needed(2)}, {"right", needed(2)}});
    EXPECT_TRUE(together) << together.error().message;
  }
  static SandboxSpec two_pairs() {
    return {.id = "a",
            .modules = {{"left", needed(1)},
                        {"right", needed(1)},
                        {"left_user", user_of("left")},
                        {"right_user", user_of("right")}}};
  }
  static std::string changing(std::string_view module) {
    return fmt::format("the module {} is being changed already: try again later", module);
  }
  std::string stage_error(std::string_view module) {
    const auto staged = sandbox_.stage(module, needed(9));
    return staged ? "" : staged.error().message;
  }

  Sandbox sandbox_;
};

// Issue 16: whichever is named, nobody else may change the other meanwhile.
TEST_F(CompanionsTest, AreAllClaimedByARollbackWithTheSnapshot) {
  ASSERT_TRUE(sandbox_.call_async("wait", {}, {.process = "left_user"}, [](const Result<Outcome>&) {}));
  crossing_.wait_for(1);
  auto back = std::async(std::launch::async, [&] { return sandbox_.rollback("left", 1, {.snapshot = true}); });
  expect_soon([&] { return sandbox_.status() == SandboxStatus::reloading ? "" : "not yet under way"; });
  EXPECT_EQ(stage_error("right"), changing("right"));
  EXPECT_EQ(stage_error("left"), changing("left"));
  crossing_.open();
  const auto report = back.get();
  ASSERT_TRUE(report) << report.error().message;
  for (const char* user : {"left_user", "right_user"}) EXPECT_EQ(ask(sandbox_, "needs", user), 1) << user;
}

// One of them is being reloaded when the other crashes: then it crashes like any other code, for what belongs to both
// cannot be rolled back.
TEST_F(CompanionsTest, AreAllClaimedByATrial) {
  const std::string waits = fmt::format("{} (func $begin (call $cross)) (start $begin)", kCross);
  auto reloading = std::async(std::launch::async, [&] { return sandbox_.reload("right", needed(3, waits)); });
  crossing_.wait_for(1);
  EXPECT_EQ(call_kind(sandbox_, "crash", "left_user"), OutcomeKind::trapped);
  expect_soon([&] { return sandbox_.info().supervisor_restarts == 1 ? "" : "it was not started again"; });
  crossing_.open();
  const auto report = reloading.get();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(ask(sandbox_, "needs", "left_user"), 2);
  EXPECT_EQ(ask(sandbox_, "needs", "right_user"), 3);
  EXPECT_EQ(active(sandbox_, "left"), 2U);
  EXPECT_EQ(active(sandbox_, "right"), 3U);
}

// It crashes on trial, and is stopped while the others quiesce: then no code is tried for it, and none of another
// module.
TEST_F(ReloadTest, RollsNothingBackForAProcessThatIsGone) {
  // Its state cannot be kept as an image, and `none` gives it up: on the way back start functions run.
  const auto library = [](int version) {
    return guest(version, fmt::format(R"({} {} (table 1 funcref) (elem declare func $begin)
      (func (export "crash") (table.set (i32.const 0) (ref.func $begin)) unreachable))",
                                      kPrepared, says_prepared()));
  };
  const auto user = [](int version) {
    return guest(version, fmt::format(R"({} (import "library" "crash" (func $crash))
      (func (export "crash") (call $crash)) (func (export "wait") (call $cross)))",
                                      kCross));
  };
  SandboxSpec wanted{.id = "a", .modules = {{"library", library(1)}, {"user", user(1)}}, .tree = SupervisorSpec{}};
  for (const char* name : {"one", "other"}) wanted.tree->children.emplace_back(ChildSpec{.id = name, .module = "user"});
  Sandbox sandbox = create(wanted);
  const auto report = sandbox.reload_all({{"library", library(2)}, {"user", user(2)}},
                                         {.policy = ReloadPolicy{.state = StateWay::none}});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(sandbox.call_async("wait", {}, {.process = "other"}, [](const Result<Outcome>&) {}));
  crossing_.wait_for(1);
  const int before = prepared_.arrived();
  EXPECT_EQ(call_kind(sandbox, "crash", "one"), OutcomeKind::trapped);
  // The library by itself, and with each of the processes.
  expect_soon([&] { return prepared_.arrived() == before + 3 ? "" : "not prepared yet"; });
  ASSERT_TRUE(sandbox.stop_child("one"));
  crossing_.open();
  expect_soon([&] { return active(sandbox, "library") == 1 ? "" : "not taken back yet"; });
  expect_soon([&] { return sandbox.status() == SandboxStatus::running ? "" : "still under way"; });
  EXPECT_EQ(prepared_.arrived(), before + 3);
}

// ---- no effect before the switch ------------------------------------------------------------------------------

// Tries everything that would show, and keeps the answers from `at` on.
constexpr std::string_view kEffects = R"(
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "wasi_snapshot_preview1" "path_create_directory" (func $folder (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_unlink_file" (func $unlink (param i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "witness") (data (i32.const 16) "{\"id\":\"baby\",\"module\":\"service\"}") (data (i32.const 64) "made")
  (data (i32.const 72) "kept")
  (func $try (param $at i32)
    (i32.store offset=0 (local.get $at) (call $send (i32.const 0) (i32.const 7) (i32.const 0) (i32.const 7)))
    (i32.store offset=4 (local.get $at) (call $spawn (i32.const 16) (i32.const 32)))
    (i32.store offset=8 (local.get $at) (call $timer (i32.const 1) (i64.const 5)))
    (i32.store offset=12 (local.get $at) (call $stop (i32.const 0) (i32.const 7)))
    (i32.store offset=16 (local.get $at)
      (call $call (i32.const 0) (i32.const 7) (i32.const 0) (i32.const 0) (i32.const 100)))
    (i32.store offset=20 (local.get $at) (call $folder (i32.const 3) (i32.const 64) (i32.const 4)))
    (i32.store offset=24 (local.get $at) (call $unlink (i32.const 3) (i32.const 72) (i32.const 4))))
  (func (export "answer") (param i32) (result i32) (i32.load (local.get 0))))";

class EffectsTest : public ReloadTest {
 protected:
  EffectsTest() { std::ofstream(folder_.path() / "kept") << "here"; }
  // A service with hooks, and a witness that keeps what it got.
  Sandbox create_with_witness() {
    SandboxSpec wanted{.id = "a"};
    wanted.modules = {{"service", guest(1, std::string(kOutput) + R"((memory 1) (func (export "petri_save") (result i32)
                                     (drop (call $write (i32.const 0) (i32.const 4))) (i32.const 0)))")},
                      {"witness", guest(1, field("got", "i32") + R"((func (export "petri_handle") (result i32)
                                     (global.set $got (i32.add (global.get $got) (i32.const 1))) (i32.const 0)))")}};
    wanted.permissions = Permissions::standard().with(Permission::file_write);
    wanted.folder = folder_.path().string();
    return create(std::move(wanted));
  }
  void expect_nothing_happened(Sandbox& sandbox) const {
    EXPECT_EQ(sandbox.children().size(), 2U);
    EXPECT_EQ(sandbox.usage().messages, 0U);
    EXPECT_EQ(sandbox.usage().processes, 2U);
    EXPECT_EQ(std::get<std::int64_t>(*sandbox.state("witness")->get("got")), 0);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "made"));
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "kept"));
  }

  const TemporaryFolder folder_;
};

TEST_F(EffectsTest, AreRefusedUntilTheSwitch) {  // M34
  Sandbox sandbox = create_with_witness();
  const std::string eager = std::string(kEffects) + R"(
    (func $begin (call $try (i32.const 1000))) (start $begin)
    (func (export "_initialize") (call $try (i32.const 1100)))
    (func (export "petri_migrate") (result i32) (call $try (i32.const 1200)) (i32.const 0))
    (func (export "petri_load") (result i32) (call $try (i32.const 1300)) (i32.const 0))
    (func (export "petri_ready") (result i32) (call $try (i32.const 1400)) (i32.const 0))
    (func (export "petri_init") (result i32) (i32.store (i32.const 1500) (i32.const 1)) (i32.const 0))
    (func (export "petri_handle") (result i32) (i32.const 0))
    (func (export "later") (call $try (i32.const 1600))))";
  const auto report = sandbox.reload("service", guest(2, eager));
  ASSERT_TRUE(report) << report.error().message;
  const auto answer = [&](std::int32_t at) {
    const auto outcome = sandbox.call("answer", {Value(at)}, {.process = "service"});
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : 99;
  };
  constexpr auto kNotNow = static_cast<std::int32_t>(GuestError::not_now);
  constexpr std::int32_t kAgain = 6;  // what WASI calls it
  for (const std::int32_t hook : {1000, 1100, 1200, 1300, 1400}) {
    SCOPED_TRACE(hook);
    for (const std::int32_t effect : {0, 4, 8, 12, 16}) EXPECT_EQ(answer(hook + effect), kNotNow) << effect;
    EXPECT_EQ(answer(hook + 20), kAgain);
    EXPECT_EQ(answer(hook + 24), kAgain);
  }
  EXPECT_EQ(answer(1500), 0);
  expect_nothing_happened(sandbox);
  // And afterwards all of it works.
  ASSERT_TRUE(sandbox.call("later", {}, {.process = "service"}));
  EXPECT_EQ(answer(1600), 0);
  EXPECT_EQ(answer(1604), 0);
  EXPECT_EQ(answer(1608), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "made"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "kept"));
}

TEST_F(EffectsTest, HaveNotHappenedWhenTheMigrationFails) {  // hostile G04
  Sandbox sandbox = create_with_witness();
  const std::string failing = std::string(kEffects) + R"(
    (func (export "petri_load") (result i32) (i32.const 0))
    (func (export "petri_migrate") (result i32) (call $try (i32.const 1000)) unreachable))";
  EXPECT_EQ(code_of(sandbox.reload("service", guest(2, failing))), ErrorCode::migration_failed);
  EXPECT_EQ(ask(sandbox, "version", "service"), 1);
  expect_nothing_happened(sandbox);
}

// ---- calls between processes ----------------------------------------------------------------------------------

// Two processes of one module: `ask` waits at the crossing if it is to, and then calls the other.
std::string pair_code(int version, std::string_view more = "") {
  return fmt::format(R"((module
    (import "test" "cross" (func $cross))
    (import "test" "prepared" (func $prepared))
    (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
    (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "xy")
    {1}
    (func (export "hold") (result i32) (call $cross) (i32.const {0}))
    (func (export "hold_and_ask_y") (result i32) (call $cross)
      (call $call (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
    (func (export "ask_x") (result i32)
      (call $call (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
    (func (export "version") (result i32) (i32.const {0}))
    (func (export "petri_handle") (result i32) (drop (call $write (i32.const 0) (i32.const {0}))) (i32.const 0))))",
                     version, more);
}

class PairTest : public ReloadTest {
 protected:
  Sandbox create_pair() {
    SandboxSpec wanted = with_children({"x", "y"});
    wanted.modules[0].source = Source::wat(pair_code(1));
    return create(std::move(wanted));
  }
  static Source next() { return Source::wat(pair_code(2, says_prepared())); }
  static ReloadOptions fresh() { return {.policy = ReloadPolicy{.state = StateWay::none}}; }
};

TEST_F(PairTest, AreNotInEachOthersWay) {  // M35
  Sandbox sandbox = create_pair();
  auto asking = std::async(std::launch::async, [&] { return ask(sandbox, "hold_and_ask_y", "x"); });
  crossing_.wait_for(1);
  auto reloading = reload_beside(sandbox, next(), fresh());
  prepared_.wait_for(2);
  crossing_.open();
  EXPECT_EQ(asking.get(), 1);  // byte, of the old version
  const auto report = reloading.get();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(ask(sandbox, "version", "x"), 2);
  EXPECT_EQ(ask(sandbox, "version", "y"), 2);
}

TEST_F(PairTest, AreNotInEachOthersWayWhenOneIsAskedWhileTheOtherQuiesces) {  // M35
  Sandbox sandbox = create_pair();
  auto holding = std::async(std::launch::async, [&] { return ask(sandbox, "hold", "x"); });
  crossing_.wait_for(1);
  auto reloading = reload_beside(sandbox, next(), fresh());
  prepared_.wait_for(2);
  std::vector<std::future<std::int64_t>> asking;
  for (int i = 0; i < 4; ++i)
    asking.push_back(std::async(std::launch::async, [&] { return ask(sandbox, "ask_x", "y"); }));
  crossing_.open();
  EXPECT_EQ(holding.get(), 1);
  const auto report = reloading.get();
  ASSERT_TRUE(report) << report.error().message;
  for (auto& one : asking) EXPECT_THAT(one.get(), ::testing::AnyOf(1, 2));
}

TEST_F(ReloadTest, OfACalleeDoesNotWaitForItsCaller) {  // M35
  SandboxSpec wanted{.id = "a"};
  wanted.modules = {{"caller", Source::wat(pair_code(1))}, {"service", code(1)}};
  wanted.tree =
      SupervisorSpec{.children = {ChildSpec{.id = "x", .module = "caller"}, ChildSpec{.id = "y", .module = "service"}}};
  Sandbox sandbox = create(wanted);
  auto asking = std::async(std::launch::async, [&] { return ask(sandbox, "hold_and_ask_y", "x"); });
  crossing_.wait_for(1);
  const auto report = sandbox.reload("service", code(2));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(ask(sandbox, "version", "y"), 2);
  crossing_.open();
  EXPECT_EQ(asking.get(), 0);
}

// ---- issue 16 -------------------------------------------------------------------------------------------------

// The answer is the same whether the supervisor has restarted it by then or not: 4 of 5 went through without a look at
// the state.
TEST_F(ReloadTest, GivesOneAnswerHoweverSoonItComesAfterACrash) {
  const Source other = Source::wat(service(2, R"((global $count (export "state.count") (mut i32) (i32.const 0)))",
                                           R"((global (export "state.more") (mut f64) (f64.const 1)))"));
  const Source less = Source::wat(service(3, R"((global $count (export "state.tally") (mut i32) (i32.const 0)))"));
  for (const bool rolling : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      SandboxSpec wanted = with_children({"x"});
      wanted.reload = ReloadPolicy{.rolling = rolling};
      Sandbox sandbox = create(wanted);
      EXPECT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
      const auto refused = sandbox.reload("service", less);
      ASSERT_FALSE(refused) << "round " << round;
      EXPECT_EQ(refused.error().code, ErrorCode::state_incompatible);
      EXPECT_EQ(active(sandbox), 1U);
      EXPECT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
      const auto reloaded = sandbox.reload("service", other);
      ASSERT_TRUE(reloaded) << reloaded.error().message;
      EXPECT_EQ(reloaded->processes.size(), 1U) << "round " << round;
      ASSERT_TRUE(runtime_->destroy("a"));
    }
  }
}

// A reload was 2 to 2 without a change, or 1 to 2; a rollback 2 to 1, or 1 to 2; and the state was there, or not.
TEST_F(ReloadTest, WaitsForWhatFollowsACrashThatWasAnswered) {
  const auto numbers_of = [](const Result<ReloadReport>& report) {
    return report ? fmt::format("{} to {}{}", report->from, report->to, report->no_change ? ", no change" : "")
                  : report.error().message;
  };
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    for (const bool deterministic : {false, true}) {
      for (int round = 0; round < 10; ++round) {
        SandboxSpec wanted = with_children({"x"});
        wanted.tier = tier;
        wanted.deterministic = deterministic;
        Sandbox sandbox = create(wanted);
        EXPECT_EQ(ask(sandbox, "next"), 1);
        ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
        const auto state = sandbox.state();
        ASSERT_TRUE(state) << state.error().message;
        EXPECT_EQ(*state->get("count"), StateValue(std::int64_t{0}));
        for (int again = 0; again < 2; ++again) {
          ASSERT_EQ(numbers_of(sandbox.reload("service", code(2))), "1 to 2");
          ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
          const auto plan = sandbox.plan("service", code(2));
          ASSERT_TRUE(plan) << plan.error().message;
          EXPECT_EQ(plan->from, 1U);
        }
        ASSERT_EQ(numbers_of(sandbox.reload("service", code(2))), "1 to 2");
        ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
        ASSERT_EQ(numbers_of(sandbox.rollback("service")), "1 to 2");
        EXPECT_EQ(active(sandbox), 2U);
        ASSERT_TRUE(runtime_->destroy("a"));
      }
    }
  }
}

// The supervisor gives up at the first crash: a verb that came soon found the sandbox running.
TEST_F(ReloadTest, WaitsForTheRecoveryThatFollowsACrash) {
  for (int round = 0; round < 20; ++round) {
    SandboxSpec wanted = with_children({"x"});
    wanted.tree->intensity = 0;
    Sandbox sandbox = create(wanted);
    ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
    const auto refused = sandbox.reload("service", code(2));
    ASSERT_FALSE(refused) << "round " << round;
    EXPECT_EQ(refused.error().message,
              "the sandbox a is failed: the supervisor gave up restarting; the last that ended was x (trapped)");
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// A caller that waits gets its answer when the tree has given up and recovery has not started: nothing is down any
// more, and nothing is decided yet.
TEST_F(ReloadTest, WaitsForTheRecoveryWhileATreeThatGaveUpIsCleared) {
  const std::string falls = std::string(kCross) + R"((func (export "fall") (call $cross) unreachable))";
  SandboxSpec wanted = with_children({"x"});
  wanted.modules[0].source = Source::wat(service(1, kCount, falls));
  wanted.tree->intensity = 0;
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.call_async("fall", {}, {}, nullptr));
  std::promise<std::future<Result<ReloadReport>>> started;
  ASSERT_TRUE(sandbox.call_async("next", {}, {}, [&](const Result<Outcome>& result) {
    EXPECT_EQ(testing::not_error(result, ErrorCode::cancelled), "");
    auto reload = std::async(std::launch::async,
                             [&] { return sandbox.reload("service", Source::wat(service(2, kCount, falls))); });
    EXPECT_EQ(reload.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
    started.set_value(std::move(reload));
  }));
  crossing_.open();
  const auto refused = started.get_future().get().get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the sandbox a is failed: the supervisor gave up restarting; the last that ended was x (trapped)");
}

// A crash that a trial rolls back was reported by no event, and a limit that ended it was counted nowhere.
TEST_F(ReloadTest, ReportsACrashInATrialAsAnyOther) {
  for (const bool deterministic : {false, true}) {
    SandboxSpec wanted = with_children({"x"});
    wanted.deterministic = deterministic;
    wanted.limits = {.fuel_max = 100'000};
    Sandbox sandbox = create(wanted);
    for (const std::string_view function : {"crash", "spin"}) {
      Subscription events = *runtime_->subscribe(
          {.kinds = {EventKind::process_exited, EventKind::module_rolled_back, EventKind::killed_resource_limit}});
      ASSERT_TRUE(sandbox.reload("service", code(2)));
      ASSERT_TRUE(sandbox.call(function));
      ASSERT_TRUE(sandbox.state());
      std::vector<std::string> kinds;
      while (const EventPtr event = events.next()) kinds.emplace_back(name_of(event->kind));
      std::vector<std::string> wanted_kinds{"process.exited", "module.rolled_back"};
      if (function == "spin") wanted_kinds.insert(wanted_kinds.begin(), "killed.resource_limit");
      EXPECT_EQ(kinds, wanted_kinds);
    }
    EXPECT_EQ(sandbox.info().limits_met["fuel_max"], 1U);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// One that was at work until the switch answered all the while; the other waited for it.
TEST_F(ReloadTest, ReportsThePauseOfEachProcess) {
  constexpr std::string_view kBusy = R"((import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
    (memory 1)
    (func (export "work") (local $left i32)
      (drop (call $log (i32.const 2) (i32.const 0) (i32.const 0)))
      (local.set $left (i32.const 3000000))
      (loop $again (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))))";
  SandboxSpec wanted = with_children({"busy", "idle"});
  const auto version = [&](int number) {
    return Source::wat(service(number, R"((global $count (export "state.count") (mut i32) (i32.const 0)))", kBusy));
  };
  wanted.modules[0].source = version(1);
  wanted.tier = Tier::interpreted;
  std::promise<void> started;
  wanted.on_log = [&](std::string_view, LogLevel, std::string_view) { started.set_value(); };
  Sandbox sandbox = create(wanted);
  std::promise<void> done;
  ASSERT_TRUE(sandbox.call_async("work", {}, {.process = "busy"}, [&](const Result<Outcome>&) { done.set_value(); }));
  started.get_future().get();
  const auto reloaded = sandbox.reload("service", version(2));
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  std::map<std::string, std::chrono::nanoseconds> pauses;
  for (const ProcessSwitch& process : reloaded->processes) pauses[process.process] = process.pause;
  ASSERT_EQ(pauses.size(), 2U);
  EXPECT_LT(pauses["busy"], pauses["idle"]);
  EXPECT_EQ(reloaded->pause_max, pauses["idle"]);
  done.get_future().get();
}

}  // namespace
}  // namespace petri
