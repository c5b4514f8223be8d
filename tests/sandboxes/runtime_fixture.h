// For tests: a runtime, guests to put into it, and what became of them.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "petri/runtime.h"
#include "petri/testing/testing.h"
#include "tier_under_test.h"
#include "without_containment.h"

namespace petri {

// Counts, crashes, loops and ends on demand.
constexpr std::string_view kCounter = R"((module
  (import "petri" "exit" (func $exit (param i32)))
  (memory (export "memory") 1 100)
  (global $count (mut i32) (i32.const 0))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func (export "exit") (param i32) (call $exit (local.get 0)))
  (func (export "crash") unreachable)
  (func (export "spin") (loop $again (br $again)))
  (func $deep (export "recurse") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
      (else (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))))
  (func (export "petri_handle") (result i32) (i32.const 0))))";

class RuntimeFixture : public ::testing::Test {
 protected:
  explicit RuntimeFixture(RuntimeOptions options = in_tier_under_test(without_containment()))
      : runtime_(std::move(*Runtime::create(std::move(options)))) {}

  static SandboxSpec counter(std::string id = "a") {
    return {.id = std::move(id), .modules = {{"counter", Source::wat(std::string(kCounter))}}};
  }
  // Children of the module `counter`, by these names.
  static SandboxSpec tree(Strategy strategy, const std::vector<std::string>& names, std::uint32_t intensity = 1) {
    SandboxSpec spec = counter();
    spec.tree = SupervisorSpec{.strategy = strategy, .intensity = intensity};
    for (const std::string& name : names) spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "counter"});
    return spec;
  }
  Sandbox create(SandboxSpec spec) {
    auto sandbox = runtime_->create_sandbox(std::move(spec));
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    return *sandbox;
  }
  static Result<Outcome> call(Sandbox& sandbox, std::string_view function, std::string process = {}) {
    return sandbox.call(function, {}, {.process = std::move(process)});
  }
  static std::int32_t next(Sandbox& sandbox, std::string process = {}) {
    const auto outcome = call(sandbox, "next", std::move(process));
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -1;
  }
  // Waits until this is so.
  void expect_soon(const std::function<std::string()>& what_is_wrong) {
    EXPECT_EQ(testing::eventually(*runtime_, what_is_wrong), "");
  }
  void expect_status(const Sandbox& sandbox, SandboxStatus status) {
    expect_soon([&] {
      return sandbox.status() == status ? std::string() : std::string("is ") + std::string(name_of(sandbox.status()));
    });
  }
  void expect_restarts(const Sandbox& sandbox, std::uint64_t count) {
    expect_soon([&] {
      const std::uint64_t seen = sandbox.info().supervisor_restarts;
      return seen == count ? std::string() : std::to_string(seen) + " restarts";
    });
  }
  // Events of these kinds that have come, as "kind process".
  static std::vector<std::string> names(Subscription& events) {
    std::vector<std::string> all;
    while (const EventPtr event = events.next()) {
      all.push_back(std::string(name_of(event->kind)) + (event->process.empty() ? "" : " " + event->process));
    }
    return all;
  }

  std::unique_ptr<Runtime> runtime_;
};

}  // namespace petri
