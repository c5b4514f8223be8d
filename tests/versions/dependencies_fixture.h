// For tests of modules that import from one another: a shop of two.
#pragma once

#include "versions_fixture.h"

namespace petri {

// Counts how often it was asked; its answer has the version.
inline std::string tariff(int price, std::string_view more = "") {
  return fmt::format(R"((module $tariff
  {}
  (global $asked (export "state.asked") (mut i32) (i32.const 0))
  (func (export "price") (param i32) (result i32)
    (global.set $asked (i32.add (global.get $asked) (i32.const 1)))
    (i32.mul (local.get 0) (i32.const {})))
  (func (export "asked") (result i32) (global.get $asked))))",
                     more, price);
}

inline std::string till(int version = 1, std::string_view more = "") {
  return fmt::format(R"((module $till
  (import "tariff" "price" (func $price (param i32) (result i32)))
  (import "tariff" "asked" (func $asked (result i32)))
  {}
  (global $sum (export "state.sum") (mut i32) (i32.const 0))
  (func (export "sell") (param i32) (result i32)
    (global.set $sum (i32.add (global.get $sum) (call $price (local.get 0)))) (global.get $sum))
  (func (export "asked") (result i32) (call $asked))
  (func (export "version") (result i32) (i32.const {}))))",
                     more, version);
}

inline std::string empty_module(std::string_view imports = "") { return fmt::format("(module {})", imports); }

class DependenciesTest : public VersionsFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  static SandboxSpec shop(Tier tier = Tier::interpreted) {
    return {.id = "shop", .modules = {{"till", Source::wat(till())}, {"tariff", Source::wat(tariff(2))}}, .tier = tier};
  }
  static std::int64_t sell(Sandbox& sandbox, int count) {
    const auto outcome = sandbox.call("sell", {Value(count)});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -1;
  }
  SandboxSpec made_of(const std::vector<std::pair<std::string, std::string>>& modules) {
    SandboxSpec spec{.id = "made"};
    for (const auto& [name, text] : modules) spec.modules.push_back({name, Source::wat(text)});
    return spec;
  }
  Error refused(SandboxSpec spec) {
    const auto made = runtime_->create_sandbox(std::move(spec));
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
  }
};

inline std::string imports_from(std::string_view module, std::string_view name = "f") {
  return fmt::format(R"((import "{}" "{}" (func)) (func (export "f")))", module, name);
}

}  // namespace petri
