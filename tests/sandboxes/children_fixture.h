// For tests of children: a parent that keeps what is reported to it, and workers.
#pragma once

#include <fmt/format.h>
#include <cstring>

#include "runtime_fixture.h"

namespace petri {

// Answers the first byte it was started with, counts, crashes and exits.
inline constexpr std::string_view kPoolWorker = R"((module
  (import "petri" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "petri" "exit" (func $exit (param i32)))
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (func (export "petri_init") (result i32)
    (drop (call $input_read (i32.const 0) (i32.const 0) (i32.const 1)))
    (i32.eq (i32.load8_u (i32.const 0)) (i32.const 33)))
  (func (export "first") (result i32) (i32.load8_u (i32.const 0)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "crash") unreachable)
  (func (export "spin") (loop $again (br $again)))
  (func (export "exit") (param i32) (call $exit (local.get 0)))))";

// Spawns and stops what its input says, and keeps what is reported to it of its children: tag, then bytes.
inline constexpr std::string_view kSpawner = R"((module
  (import "petri" "input_size" (func $input_size (result i32)))
  (import "petri" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $output_write (param i32 i32) (result i32)))
  (import "petri" "message_kind" (func $message_kind (result i32)))
  (import "petri" "message_tag" (func $message_tag (result i64)))
  (import "petri" "sender" (func $sender (param i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
  (memory 1)
  (global $end (mut i32) (i32.const 4096))
  (func $read (result i32) (call $input_read (i32.const 0) (i32.const 0) (i32.const 4096)))
  (func (export "spawn") (result i32) (call $spawn (i32.const 0) (call $read)))
  (func (export "stop") (result i32) (call $stop (i32.const 0) (call $read)))
  (func (export "told") (drop (call $output_write (i32.const 4096) (i32.sub (global.get $end) (i32.const 4096)))))
  (func (export "crash") unreachable)
  (func (export "petri_handle") (result i32)
    (if (i32.ne (call $message_kind) (i32.const 4)) (then (return (i32.const 0))))
    (i64.store (global.get $end) (call $message_tag))
    (global.set $end (i32.add (global.get $end) (i32.const 8)))
    (i32.store (global.get $end) (call $sender (i32.add (global.get $end) (i32.const 4)) (i32.const 1024)))
    (global.set $end (i32.add (global.get $end) (i32.add (i32.const 4) (i32.load (global.get $end)))))
    (global.set $end (i32.add (global.get $end)
      (call $input_read (global.get $end) (i32.const 0) (call $input_size))))
    (i32.const 0))))";

class ChildrenTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  SandboxSpec spec(SupervisorSpec tree) {
    return {
        .id = "a",
        .modules = {{"worker", Source::wat(std::string(kPoolWorker))}, {"parent", Source::wat(std::string(kSpawner))}},
        .tree = std::move(tree),
        .tier = GetParam()};
  }
  static SupervisorSpec pool(std::string id = {}) {
    return {.id = std::move(id),
            .strategy = Strategy::simple_one_for_one,
            .intensity = 10,
            .children = {ChildSpec{.id = "worker", .module = "worker", .input = "t"}}};
  }
  static SupervisorSpec parent_beside(const SupervisorSpec& other) {
    return {.children = {ChildSpec{.id = "parent", .module = "parent"}, other}};
  }
  static std::int32_t number(Sandbox& sandbox, std::string_view function, const std::string& process,
                             const std::string& input = {}) {
    const auto outcome = sandbox.call(function, {}, {.process = process, .input = input});
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -99;
  }
  static std::vector<std::string> addresses(const Sandbox& sandbox) {
    std::vector<std::string> all;
    for (const ChildInfo& child : sandbox.children()) all.push_back(child.address + " " + child.status);
    return all;
  }
  template <typename T>
  static std::string message(const Result<T>& result) {
    return result ? "ok" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
  }
  // The notifications that the parent received: "kid: reason 3 code 0 next 1 tag 12884901888".
  static std::vector<std::string> received(Sandbox& sandbox) {
    const auto outcome = sandbox.call("told", {}, {.process = "parent"});
    std::vector<std::string> all;
    std::string_view rest = outcome ? std::string_view(outcome->output) : "";
    const auto take = [&rest]<typename T>(T number) {
      std::memcpy(&number, rest.data(), sizeof(number));
      rest.remove_prefix(sizeof(number));
      return number;
    };
    const auto take_text = [&rest](std::size_t size) {
      const std::string text(rest.substr(0, size));
      rest.remove_prefix(size);
      return text;
    };
    while (!rest.empty()) {
      const auto tag = take(std::int64_t{});
      const std::string sender = take_text(take(std::uint32_t{}));
      EXPECT_EQ(take(std::uint32_t{}), 1U) << "the format";
      EXPECT_EQ(take(std::uint32_t{}), 24U) << "where the name starts";
      const auto reason = take(std::uint32_t{});
      const auto code = take(std::int32_t{});
      const auto next = take(std::uint32_t{});
      EXPECT_EQ(take_text(take(std::uint32_t{})), sender);
      all.push_back(fmt::format("{}: reason {} code {} next {} tag {}", sender, reason, code, next, tag));
    }
    return all;
  }
  void expect_received(Sandbox& sandbox, const std::vector<std::string>& wanted) {
    expect_soon([&] { return received(sandbox).size() >= wanted.size() ? "" : "it has not been told"; });
    EXPECT_EQ(received(sandbox), wanted);
  }
};

}  // namespace petri
