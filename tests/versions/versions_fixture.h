// For tests: guests that come in versions, and what they answer.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "petri/runtime.h"
#include "petri/testing/testing.h"
#include "sandboxes/tier_under_test.h"

namespace petri {

// A counter whose state is described. `more` is put into the module.
inline std::string service(
    int version, std::string_view fields = R"((global $count (export "state.count") (mut i32) (i32.const 0)))",
    std::string_view more = "") {
  return fmt::format(R"((module
  {}
  {}
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "version") (result i32) (i32.const {}))
  (func (export "crash") unreachable)
  (func (export "spin") (loop $again (br $again)))
  (func (export "petri_handle") (result i32) (drop (i32.const {})) (i32.const 0))))",
                     more, fields, version, version);
}

class VersionsFixture : public ::testing::Test {
 protected:
  static Source code(int version) { return Source::wat(service(version)); }
  static SandboxSpec spec(std::string id = "a") { return {.id = std::move(id), .modules = {{"service", code(1)}}}; }
  static SandboxSpec with_children(const std::vector<std::string>& names) {
    SandboxSpec made = spec();
    made.tree = SupervisorSpec{.intensity = 5};
    for (const std::string& name : names) made.tree->children.emplace_back(ChildSpec{.id = name, .module = "service"});
    return made;
  }
  Sandbox create(SandboxSpec wanted) {
    auto sandbox = runtime_->create_sandbox(std::move(wanted));
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    return *sandbox;
  }
  // The answer of a function without parameters, or -1.
  static std::int64_t ask(Sandbox& sandbox, std::string_view function, std::string process = {}) {
    const auto outcome = sandbox.call(function, {}, {.process = std::move(process)});
    if (!outcome || outcome->values.empty()) return -1;
    return outcome->values[0].type() == ValueType::i64 ? outcome->values[0].i64() : outcome->values[0].i32();
  }
  static OutcomeKind call_kind(Sandbox& sandbox, std::string_view function, std::string process = {}) {
    const auto outcome = sandbox.call(function, {}, {.process = std::move(process)});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? outcome->kind : OutcomeKind::ok;
  }
  static std::uint64_t active(const Sandbox& sandbox, std::string_view module = "service") {
    const auto history = sandbox.history(module);
    return history ? history->active : 0;
  }
  static std::vector<std::uint64_t> numbers(const Sandbox& sandbox, std::string_view module = "service") {
    std::vector<std::uint64_t> all;
    const auto versions = sandbox.versions(module);
    if (versions) {
      for (const VersionInfo& version : *versions) all.push_back(version.number);
    }
    return all;
  }
  template <typename T>
  static ErrorCode code_of(const Result<T>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorCode::host_fault : result.error().code;
  }
  void expect_soon(const std::function<std::string()>& what_is_wrong) {
    EXPECT_EQ(testing::eventually(*runtime_, what_is_wrong), "");
  }

  std::unique_ptr<Runtime> runtime_ = std::move(*Runtime::create(in_tier_under_test({})));
};

}  // namespace petri
