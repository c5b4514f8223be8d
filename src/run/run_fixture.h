// For tests: runs of wat text in both tiers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "petri/run.h"

namespace petri {

class RunFixture : public testing::TestWithParam<Tier> {
 protected:
  static ArtifactPtr prepare(std::string_view text) {
    auto artifact = Artifact::from_wat(text, 5 << 20);
    if (!artifact) ADD_FAILURE() << artifact.error().message;
    return artifact ? *artifact : nullptr;
  }

  // As the cases of docs/hostile-cases.md run: fuel 10^7, one second, 16 MiB. How code is compiled has tests of its own
  // (run_compile_test.cpp, tests/compiling); a process for each of these runs would be most of their time.
  static RunSpec spec(std::string function, std::vector<Value> arguments = {}) {
    RunSpec spec{.function = std::move(function), .arguments = std::move(arguments), .tier = GetParam()};
    spec.limits.fuel_max = 10'000'000;
    spec.limits.execution_time_max = std::chrono::seconds(60);
    spec.limits.memory_bytes_max = 16 << 20;
    spec.compile.in_process = true;
    return spec;
  }

  Result<Outcome> try_run(std::string_view text, const RunSpec& run_spec, std::stop_token stop = {}) {
    return run(prepare(text), host_, run_spec, std::move(stop));
  }
  Outcome run_ok(std::string_view text, const RunSpec& run_spec) {
    auto outcome = try_run(text, run_spec);
    if (!outcome) ADD_FAILURE() << name_of(outcome.error().code) << ": " << outcome.error().message;
    return outcome ? *outcome : Outcome{};
  }
  Error run_error(std::string_view text, const RunSpec& run_spec) {
    auto outcome = try_run(text, run_spec);
    if (outcome) ADD_FAILURE() << "ended as " << name_of(outcome->kind);
    return outcome ? Error{} : outcome.error();
  }

  HostFunctions host_;
};

#define PETRI_RUN_IN_BOTH_TIERS(suite)                                                           \
  INSTANTIATE_TEST_SUITE_P(BothTiers, suite, testing::Values(Tier::interpreted, Tier::compiled), \
                           [](const auto& tier) { return std::string(name_of(tier.param)); })

inline void PrintTo(Tier tier, std::ostream* out) { *out << name_of(tier); }
inline void PrintTo(OutcomeKind kind, std::ostream* out) { *out << name_of(kind); }
inline void PrintTo(ErrorCode code, std::ostream* out) { *out << name_of(code); }
inline void PrintTo(Place place, std::ostream* out) { *out << name_of(place); }
inline void PrintTo(TrapCode code, std::ostream* out) { *out << name_of(code); }

}  // namespace petri
