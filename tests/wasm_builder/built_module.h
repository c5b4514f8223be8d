// A built module on its way through the gate and both tiers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "petri/run.h"
#include "petri/wasm_builder/wasm_builder.h"

namespace petri {

constexpr std::uint64_t kModuleBytesMax = 1 << 20;

inline ArtifactPtr accepted(const WasmBuilder& module) {
  const auto bytes = module.build();
  EXPECT_TRUE(bytes) << bytes.error().message;
  if (!bytes) return nullptr;
  const auto artifact = Artifact::from_wasm(*bytes, kModuleBytesMax);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return artifact.value_or(nullptr);
}

// The bytes that the same module has when it is written as text.
inline std::vector<std::uint8_t> bytes_of_text(std::string_view text) {
  const auto artifact = Artifact::from_wat(text, kModuleBytesMax);
  EXPECT_TRUE(artifact) << artifact.error().message;
  if (!artifact) return {};
  const auto bytes = (*artifact)->bytes();
  return {bytes.begin(), bytes.end()};
}

inline Outcome run_in(Tier tier, const ArtifactPtr& artifact, std::string function, std::vector<Value> arguments) {
  const auto outcome = run(artifact, HostFunctions(),
                           {.function = std::move(function),
                            .arguments = std::move(arguments),
                            .tier = tier,
                            .backtrace = false,
                            .compile = {.in_process = true}});  // there are hundreds, and none is a stranger's
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome.value_or(Outcome{.kind = OutcomeKind::cancelled});
}

// How it ends in both tiers, which must agree.
inline Outcome run_both(const ArtifactPtr& artifact, const std::string& function, const std::vector<Value>& arguments) {
  const Outcome interpreted = run_in(Tier::interpreted, artifact, function, arguments);
  const Outcome compiled = run_in(Tier::compiled, artifact, function, arguments);
  EXPECT_EQ(interpreted.kind, compiled.kind);
  EXPECT_EQ(interpreted.trap, compiled.trap);
  EXPECT_EQ(interpreted.values, compiled.values);
  EXPECT_EQ(interpreted.fuel_used, compiled.fuel_used);
  return interpreted;
}

// The values a function that comes to its end gives in both tiers.
inline std::vector<Value> values_of(const ArtifactPtr& artifact, const std::string& function,
                                    const std::vector<Value>& arguments = {}) {
  const Outcome outcome = run_both(artifact, function, arguments);
  EXPECT_EQ(outcome.kind, OutcomeKind::ok) << name_of(outcome.kind);
  return outcome.values;
}

}  // namespace petri
