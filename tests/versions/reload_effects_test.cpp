// Area M of docs/behaviours.md: nothing that new code does shows before the switch, and calls between processes go
// through it.
#include <filesystem>
#include <fstream>

#include "host/files/temporary_folder.h"
#include "reload_fixture.h"

namespace petri {
namespace {

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

}  // namespace
}  // namespace petri
