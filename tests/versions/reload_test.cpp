// Area M of docs/behaviours.md: what is seen of a reload while it runs.
#include "reload_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace

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

namespace {

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

}  // namespace
}  // namespace petri
