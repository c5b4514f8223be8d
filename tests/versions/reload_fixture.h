// For tests of reloads under way: guests that wait, and say that they have started.
#pragma once

#include "state_guests.h"

namespace petri {

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

}  // namespace petri
