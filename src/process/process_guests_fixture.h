// For tests of processes: guests that count, answer and call, in both tiers.
#pragma once

#include <gmock/gmock.h>

#include "base/threads/large_thread.h"
#include "process/process.h"
#include "process/process_fixture.h"

namespace petri {

inline constexpr std::string_view kCounter = R"((module
  (global $count (mut i32) (i32.const 0))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "crash") unreachable)
  (func (export "spin") (loop $again (br $again)))
  (func (export "petri_handle") (result i32) (i32.const 0))))";

// Answers a call with its own input; what is sent is counted.
inline constexpr std::string_view kEcho = R"((module
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (memory (export "memory") 1)
  (global $sent (mut i32) (i32.const 0))
  (func (export "petri_handle") (result i32)
    (if (i32.eq (call $kind) (i32.const 2))
      (then (global.set $sent (i32.add (global.get $sent) (i32.const 1))) (return (i32.const 0))))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 65536)))
    (drop (call $write (i32.const 0) (call $size)))
    (i32.const 0))
  (func (export "sent") (result i32) (global.get $sent))))";

// Takes some turns.
inline constexpr std::string_view kLong = R"((module
  (func (export "petri_handle") (result i32)
    (local $left i32)
    (local.set $left (i32.const 6000000))
    (loop $again (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 0))))";

// Calls the process named in its memory and hands its reply on.
inline std::string caller(std::string_view callee) {
  return R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) ")" +
         std::string(callee) + R"(")
  (data (i32.const 100) "hello")
  (global $last (mut i32) (i32.const 0))
  (func $ask (result i32)
    (global.set $last (call $call (i32.const 0) (i32.const )" +
         std::to_string(callee.size()) + R"()
      (i32.const 100) (i32.const 5) (i32.const 0)))
    (global.get $last))
  (func (export "ask") (result i32) (call $ask))
  (func (export "last") (result i32) (global.get $last))
  (func (export "petri_handle") (result i32)
    (local $size i32)
    (local.set $size (call $ask))
    (if (i32.gt_s (local.get $size) (i32.const 0))
      (then (drop (call $write (i32.const 200) (call $reply (i32.const 200) (i32.const 0) (i32.const 100))))))
    (i32.const 0))))";
}

class ProcessTest : public testing::TestWithParam<Tier> {
 protected:
  Process& start(const std::string& name, std::string_view wat) { return owner_.start(name, wat, GetParam()); }
  static Result<Outcome> call(Process& process, const std::string& function, std::vector<Value> arguments = {}) {
    return process.call({.kind = MessageKind::call, .function = function, .arguments = std::move(arguments)}, {});
  }
  static std::int32_t number(const Result<Outcome>& outcome) {
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -999;
  }

  TestOwner owner_;
};

}  // namespace petri
