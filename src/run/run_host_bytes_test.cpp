// Functions of the embedding program that take and return bytes.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "run/run_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A guest that calls `text.shout` with "abc" at 100; its two results are what that returned, and the sum of the bytes
// that came back, or -1 without any. $place is where the host puts address and length.
std::string shouting(std::string_view allocator, std::string_view more = "") {
  return fmt::format(R"((module
    (import "text" "shout" (func $shout (param i32 i32 i32) (result i32)))
    (memory (export "memory") 1 4) (data (i32.const 100) "abc")
    (global $next (mut i32) (i32.const 4096)) {}
    (func (export "petri_alloc") (param $bytes i32) (result i32) {})
    (func (export "f") (result i32 i32) (local $result i32) (local $at i32) (local $end i32) (local $sum i32)
      (local.set $result (call $shout (i32.const 100) (i32.const 3) (i32.const 8)))
      (local.set $at (i32.load (i32.const 8)))
      (local.set $end (i32.add (local.get $at) (i32.load (i32.const 12))))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $result) (i32.const -1))))
      (loop $next
        (local.set $sum (i32.add (local.get $sum) (i32.load8_u (local.get $at))))
        (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (local.get $end))))
      (local.get $result) (local.get $sum))))",
                     more, allocator);
}

constexpr std::string_view kHonest =
    "(global.get $next) (global.set $next (i32.add (global.get $next) (local.get $bytes)))";

std::string shout(std::string_view text) {
  std::string shouted(text);
  for (char& character : shouted) character = static_cast<char>(character - 'a' + 'A');
  return shouted;
}

constexpr std::int32_t number_of(GuestError error) { return static_cast<std::int32_t>(error); }

class RunHostBytes : public RunFixture {
 protected:
  RunHostBytes() { spec_.limits.fuel_max = 1'000'000; }
  void define_shout(HostFunctionTraits traits = {}) { ASSERT_TRUE(host_.define("text", "shout", &shout, traits)); }
  Outcome shouted(std::string_view allocator) { return run_ok(shouting(allocator), spec_); }

  RunSpec spec_ = spec("f");
};

TEST_P(RunHostBytes, TakesAStringAndReturnsOneThroughTheGuestsAllocator) {
  define_shout();
  EXPECT_THAT(shouted(kHonest).values, ElementsAre(Value(0), Value('A' + 'B' + 'C')));
}

TEST_P(RunHostBytes, ContainsAnAllocatorThatLies) {
  define_shout();
  const auto result = [&](std::string_view allocator) {
    const Outcome outcome = shouted(allocator);
    EXPECT_EQ(outcome.kind, OutcomeKind::ok) << allocator;
    return outcome.values;
  };
  EXPECT_THAT(result("(i32.const 0)"), ElementsAre(Value(number_of(GuestError::limit_exceeded)), Value(-1)));
  for (const std::string_view outside : {"(i32.const -1)", "(i32.const 65534)", "(i32.const 0x7fffffff)"}) {
    EXPECT_THAT(result(outside), ElementsAre(Value(number_of(GuestError::out_of_bounds)), Value(-1))) << outside;
  }
  // Its own memory is overwritten, and nobody else's: the same address for everything, even that of the question.
  EXPECT_THAT(result("(i32.const 100)"), ElementsAre(Value(0), Value('A' + 'B' + 'C')));
  // The last bytes there are; and bytes that exist only since it grew memory for them.
  EXPECT_THAT(result("(i32.const 65533)"), ElementsAre(Value(0), Value('A' + 'B' + 'C')));
  EXPECT_THAT(result("(i32.mul (memory.grow (i32.const 1)) (i32.const 65536))"),
              ElementsAre(Value(0), Value('A' + 'B' + 'C')));
  EXPECT_EQ(shouted("(loop (br 0)) (i32.const 0)").kind, OutcomeKind::out_of_fuel);
  const Outcome trapped = shouted("unreachable");
  EXPECT_EQ(trapped.kind, OutcomeKind::trapped);
  EXPECT_EQ(trapped.trap, TrapCode::unreachable);
  EXPECT_EQ(run_ok(shouting("(call $deeper) (i32.const 0)", "(func $deeper (call $deeper))"), spec_).kind,
            OutcomeKind::stack_overflow);
}

TEST_P(RunHostBytes, EndsAnAllocatorThatLoopsAtTheDeadline) {
  define_shout();
  spec_.limits.fuel_max = 4'000'000'000'000'000'000;
  spec_.limits.execution_time_max = std::chrono::milliseconds(20);
  EXPECT_EQ(shouted("(loop (br 0)) (i32.const 0)").kind, OutcomeKind::deadline);
}

TEST_P(RunHostBytes, IsNotNowForTheAllocatorThatItWaitsFor) {
  define_shout();
  // The inner call fails, and the allocator returns its error as an address.
  EXPECT_THAT(shouted("(call $shout (i32.const 100) (i32.const 3) (i32.const 16))").values,
              ElementsAre(Value(number_of(GuestError::out_of_bounds)), Value(-1)));
  EXPECT_THAT(shouted("(i32.add (i32.const 8000) (call $shout (i32.const 100) (i32.const 3) (i32.const 16)))").values,
              ElementsAre(Value(0), Value('A' + 'B' + 'C')));
}

TEST_P(RunHostBytes, NeedsTheAllocatorWhenTheGuestIsLinked) {
  define_shout();
  const std::string_view import = R"((import "text" "shout" (func (param i32 i32 i32) (result i32))))";
  for (const std::string_view wrong : {"", R"((func (export "petri_alloc") (param i64) (result i32) (i32.const 8)))",
                                       R"((memory (export "petri_alloc") 1))"}) {
    const Error error = run_error(fmt::format("(module {} {} (func (export \"f\")))", import, wrong), spec_);
    EXPECT_EQ(error.code, ErrorCode::link_error) << wrong;
    EXPECT_THAT(error.message, HasSubstr("the guest exports no function \"petri_alloc\" of type (i32) -> i32"));
  }
}

TEST_P(RunHostBytes, WritesNothingWhereTheQuestionOrThePlaceIsOutside) {
  define_shout({.bytes_max = 1'000});
  const auto with = [&](std::string_view arguments) {
    return run_ok(fmt::format(R"((module (import "text" "shout" (func $shout (param i32 i32 i32) (result i32)))
      (memory 1) (func (export "petri_alloc") (param i32) (result i32) unreachable)
      (func (export "f") (result i32) (call $shout {}))))",
                              arguments),
                  spec_)
        .values.at(0)
        .i32();
  };
  EXPECT_EQ(with("(i32.const 65535) (i32.const 2) (i32.const 8)"), number_of(GuestError::out_of_bounds));
  EXPECT_EQ(with("(i32.const -1) (i32.const 1) (i32.const 8)"), number_of(GuestError::out_of_bounds));
  EXPECT_EQ(with("(i32.const 0) (i32.const 1001) (i32.const 8)"), number_of(GuestError::too_large));
  EXPECT_EQ(with("(i32.const 0) (i32.const -1) (i32.const 8)"), number_of(GuestError::too_large));
  EXPECT_EQ(with("(i32.const 0) (i32.const 1) (i32.const 65529)"), number_of(GuestError::out_of_bounds));
  EXPECT_EQ(with("(i32.const 65536) (i32.const 0) (i32.const 65528)"), 0) << "no bytes need no memory";
}

TEST_P(RunHostBytes, FillsABufferThatTheGuestPasses) {
  define_shout({.bytes_to = BytesTo::buffer});
  const Outcome outcome = run_ok(R"((module
    (import "text" "shout" (func $shout (param i32 i32 i32 i32) (result i32)))
    (memory 1) (data (i32.const 100) "abc")
    (func (export "f") (result i32 i32 i32 i32)
      (call $shout (i32.const 100) (i32.const 3) (i32.const 200) (i32.const 2))
      (i32.load (i32.const 200))
      (call $shout (i32.const 100) (i32.const 3) (i32.const 200) (i32.const 3))
      (i32.load (i32.const 200)))))",
                                 spec_);
  EXPECT_THAT(outcome.values, ElementsAre(Value(3), Value(0), Value(3), Value(0x434241)));
}

struct Point {
  double x = 0;
  std::int32_t turns = 0;
};

TEST_P(RunHostBytes, TakesAndReturnsStructures) {
  ASSERT_TRUE(host_.define("shape", "turn", [](const Point& point, std::int32_t by) {
    return Point{.x = -point.x, .turns = point.turns + by};
  }));
  const Outcome outcome = run_ok(R"((module
    (import "shape" "turn" (func $turn (param i32 i32 i32) (result i32)))
    (memory 1)
    (func (export "f") (result i32 f64 i32 i32 i32)
      (f64.store (i32.const 16) (f64.const 2.5)) (i32.store (i32.const 24) (i32.const 4))
      (i32.store (i32.const 44) (i32.const 77))
      (call $turn (i32.const 16) (i32.const 3) (i32.const 32))
      (f64.load (i32.const 32)) (i32.load (i32.const 40)) (i32.load (i32.const 44))
      (call $turn (i32.const 65528) (i32.const 3) (i32.const 32)))))",
                                 spec_);
  EXPECT_THAT(outcome.values,
              ElementsAre(Value(0), Value(-2.5), Value(7), Value(0), Value(number_of(GuestError::out_of_bounds))))
      << "what lies behind the members is zero";
}

TEST_P(RunHostBytes, ChangesBytesInPlace) {
  ASSERT_TRUE(host_.define("bytes", "reverse", [](std::span<std::uint8_t> bytes) { std::ranges::reverse(bytes); }));
  ASSERT_TRUE(host_.define("bytes", "sum", [](std::span<const std::uint8_t> bytes, double factor) {
    double sum = 0;
    for (const std::uint8_t byte : bytes) sum += byte;
    return sum * factor;
  }));
  const Outcome outcome = run_ok(R"((module
    (import "bytes" "reverse" (func $reverse (param i32 i32)))
    (import "bytes" "sum" (func $sum (param i32 i32 f64) (result f64)))
    (memory 1) (data (i32.const 4) "\01\02\03\04")
    (func (export "f") (result i32 f64 f64)
      (call $reverse (i32.const 4) (i32.const 4)) (i32.load (i32.const 4))
      (call $sum (i32.const 4) (i32.const 4) (f64.const 0.5))
      (call $sum (i32.const 65536) (i32.const 4) (f64.const 0.5)))))",
                                 spec_);
  EXPECT_EQ(outcome.values.at(0), Value(0x01020304));
  EXPECT_EQ(outcome.values.at(1), Value(5.0));
  EXPECT_TRUE(std::isnan(outcome.values.at(2).f64()));
}

TEST_P(RunHostBytes, PaysForWhatItMoves) {
  define_shout({.fuel = 100, .bytes_to = BytesTo::buffer});
  const auto fuel = [&](int length) {
    const Outcome outcome = run_ok(fmt::format(R"((module
      (import "text" "shout" (func $shout (param i32 i32 i32 i32) (result i32))) (memory 4)
      (func (export "f") (drop (call $shout (i32.const 0) (i32.const {0}) (i32.const 131072) (i32.const {0}))))))",
                                               length),
                                   spec_);
    EXPECT_EQ(outcome.kind, OutcomeKind::ok);
    return outcome.fuel_used;
  };
  EXPECT_EQ(fuel(64'000) - fuel(0), 2'000U) << "a 64th for each byte in, and for each out";
  EXPECT_GT(fuel(0), 100U);
}

TEST_P(RunHostBytes, ThatThrowsGivesTheGuestAnErrorNumber) {
  ASSERT_TRUE(host_.define("text", "shout", [](std::string_view) -> std::string { throw std::runtime_error("no"); }));
  const Outcome outcome = shouted(kHonest);
  EXPECT_THAT(outcome.values, ElementsAre(Value(kHostFunctionThrew), Value(-1)));
  EXPECT_EQ(outcome.counts.host_functions_threw, 1U);
}

TEST_P(RunHostBytes, ReturnsNoMoreThanItMay) {
  ASSERT_TRUE(host_.define("text", "shout", [](std::string_view) { return std::string(11, 'a'); }, {.bytes_max = 10}));
  EXPECT_THAT(shouted(kHonest).values, ElementsAre(Value(number_of(GuestError::too_large)), Value(-1)));
  EXPECT_EQ(host_.define("text", "long", &shout, {.bytes_max = kHostBytesMax + 1}).error().code,
            ErrorCode::validation_failed);
}

PETRI_RUN_IN_BOTH_TIERS(RunHostBytes);

}  // namespace
}  // namespace petri
