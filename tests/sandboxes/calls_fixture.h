// For tests of calls: a guest that waits in a function of the host's.
#pragma once

#include <future>

#include "runtime_fixture.h"

namespace petri {

// Waits in a function of the host's, and continues when it may: `hold` as a call, any message as a message.
inline constexpr std::string_view kHolder = R"((module
  (import "test" "gate" (func $gate))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (memory 1)
  (global $next (mut i32) (i32.const 0)) (global $bad (mut i32) (i32.const 0))
  (func (export "hold") (call $gate))
  (func (export "spin") (loop $again (br $again)))
  (func (export "petri_handle") (result i32)
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 4)))
    (if (i32.ne (i32.load (i32.const 0)) (global.get $next)) (then (global.set $bad (i32.const 1))))
    (global.set $next (i32.add (global.get $next) (i32.const 1))) (i32.const 0))
  (func (export "seen") (result i32 i32) (global.get $next) (global.get $bad))))";

class CallsTest : public RuntimeFixture {
 protected:
  // A sandbox of kHolder on a clock that is moved by hand. `holding_` is set once `hold` waits, and `let_go_` ends
  // that.
  Sandbox holder(const testing::ManualTime& time, Tier tier = Tier::automatic) {
    RuntimeOptions options = without_containment();
    options.clock = time.clock();
    EXPECT_TRUE(options.host.define("test", "gate", [this] {
      holding_.set_value();
      let_go_.get_future().wait();
    }));
    runtime_ = *Runtime::create(std::move(options));
    return create({.id = "a", .modules = {{"holder", Source::wat(std::string(kHolder))}}, .tier = tier});
  }
  static std::string number_bytes(std::uint32_t number) { return {reinterpret_cast<const char*>(&number), 4}; }

  std::promise<void> holding_, let_go_;
  // Ended while it ran, or kept from starting.
  static bool was_cancelled(const Result<Outcome>& result) {
    return result ? result->kind == OutcomeKind::cancelled : result.error().code == ErrorCode::cancelled;
  }
};

}  // namespace petri
