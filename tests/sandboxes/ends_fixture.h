// For tests of ends: guests that do not want to end, and how soon they have to.
#pragma once

#include <chrono>
#include <future>

#include "runtime_fixture.h"

namespace petri {

inline constexpr auto kEndsSoon = std::chrono::seconds(5);
inline constexpr std::uint64_t kShutdownMs = 25;
inline constexpr std::uint64_t kPoliteMs = 500;  // enough for those that end when they are asked, on a busy machine too

// `go` spawns children like itself that ask for all the time in the world; none of them ends when asked to.
inline constexpr std::string_view kUndying = R"((module
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "{\"id\":\"k00\",\"module\":\"m\",\"shutdown\":\"infinity\"}")
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "petri_terminate") (result i32) (loop $x (br $x)) (i32.const 0))
  (func (export "spin") (loop $x (br $x)))
  (func (export "next") (result i32) (i32.const 1))
  (func (export "go") (param $n i32) (result i32) (local $i i32) (local $r i32)
    (loop $l
      (i32.store8 (i32.const 8) (i32.add (i32.const 48) (i32.div_u (local.get $i) (i32.const 10))))
      (i32.store8 (i32.const 9) (i32.add (i32.const 48) (i32.rem_u (local.get $i) (i32.const 10))))
      (local.set $r (i32.add (local.get $r) (call $spawn (i32.const 0) (i32.const 47))))
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $r))))";

// Says "end" when it is asked to end, and ends.
inline constexpr std::string_view kPolite =
    R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "end")
  (func (export "petri_terminate") (result i32)
    (drop (call $log (i32.const 2) (i32.const 0) (i32.const 3))) (i32.const 0))))";

inline std::string with_terminate(std::string_view imports, std::string_view terminate) {
  return "(module " + std::string(imports) + R"( (memory 1)
    (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"m\",\"shutdown\":\"infinity\"}") (data (i32.const 100) "other")
    (func (export "petri_handle") (result i32) (loop $x (br $x)) (i32.const 0))
    (func (export "petri_terminate") (result i32) )" +
         std::string(terminate) + "(i32.const 0)))";
}

// Stop, destroy and cancel waited for the end of the nap. The permission to look at the clock is the
// guest's; nobody but the host can wake it.
inline constexpr std::string_view kEndlessSleeper = R"((module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $nap (i64.store (i32.const 24) (i64.const 100000000000))
    (drop (call $poll (i32.const 0) (i32.const 100) (i32.const 1) (i32.const 200))))
  (func (export "spin") (call $nap))
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "petri_terminate") (result i32) (call $nap) (i32.const 0))))";

class EndsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  static SandboxSpec spec(std::string_view wat, std::string id = testing::unique_id("end")) {
    SandboxSpec spec{.id = std::move(id), .modules = {{"m", Source::wat(std::string(wat))}}, .tier = GetParam()};
    spec.limits = {.shutdown_max = std::chrono::milliseconds(kShutdownMs)};
    return spec;
  }
  // Says if the act was not done soon enough.
  static std::string not_soon(const std::function<void()>& act, std::chrono::nanoseconds soon = kEndsSoon) {
    const auto start = std::chrono::steady_clock::now();
    act();
    const auto took = std::chrono::steady_clock::now() - start;
    if (took < soon) return "";
    return "took " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) + " ms";
  }
  std::string destroy_not_soon(const Sandbox& sandbox) {
    return not_soon([&] { EXPECT_TRUE(runtime_->destroy(sandbox.id())); });
  }
  void expect_nothing_runs(const Sandbox& sandbox) {
    EXPECT_EQ(sandbox.usage().processes, 0U);
    EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
  }
  // A call that has started and never ends by itself.
  std::future<Result<Outcome>> spin(Sandbox& sandbox, const std::string& function = "spin",
                                    const std::string& process = "m", std::uint64_t* number = nullptr) {
    auto result = std::make_shared<std::promise<Result<Outcome>>>();
    const auto called = sandbox.call_async(function, {}, {.process = process},
                                           [result](const Result<Outcome>& how) { result->set_value(how); });
    EXPECT_TRUE(called);
    if (number != nullptr) *number = called.value_or(0);
    expect_soon([&] { return sandbox.usage().messages == 0 ? "" : "it has not begun"; });
    return result->get_future();
  }
  static SupervisorSpec undying_children(int count) {
    SupervisorSpec tree;
    for (int i = 0; i < count; ++i) {
      tree.children.emplace_back(
          ChildSpec{.id = "c" + std::to_string(i), .module = "m", .shutdown = Shutdown::infinity()});
    }
    return tree;
  }
};

}  // namespace petri
