#include "bench/sandbox_cycle.h"

#include <fmt/format.h>

#include <vector>

#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::size_t kCycles = 20'000;
constexpr std::size_t kHundreds = 100;
constexpr std::size_t kHundred = 100;

Result<Measurement> measure_sandbox_cycle() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  const auto cycle = [&]() -> Result<void> {
    PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(sandbox_of("cycle", artifact)));
    PETRI_TRY(must_be_ok(sandbox.call("next")));
    return runtime->destroy("cycle");
  };
  PETRI_TRY(const Sampled seconds, median_seconds_of(kCycles, cycle));
  return Measurement{.value = seconds * 1e6, .reference = std::nullopt};
}

Result<Measurement> measure_hundred_creates() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  std::vector<double> samples;
  for (std::size_t round = 0; round < kHundreds; ++round) {
    const double start = wall_seconds();
    for (std::size_t i = 0; i < kHundred; ++i)
      PETRI_TRY(runtime->create_sandbox(sandbox_of(fmt::format("s{}", i), artifact)));
    samples.push_back(wall_seconds() - start);
    for (std::size_t i = 0; i < kHundred; ++i) PETRI_TRY(runtime->destroy(fmt::format("s{}", i)));
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3, .reference = std::nullopt};
}

Result<Measurement> measure_restart() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(sandbox_of("restarted", artifact)));
  PETRI_TRY(const Sampled seconds, median_seconds_of(kCycles, [&sandbox] { return sandbox.restart(); }));
  PETRI_TRY(must_be_ok(sandbox.call("next")));
  return Measurement{.value = seconds * 1e6, .reference = std::nullopt};
}

Result<Measurement> measure_destroy() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  std::vector<double> samples;
  for (std::size_t i = 0; i < kCycles; ++i) {
    PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(sandbox_of("gone", artifact)));
    PETRI_TRY(must_be_ok(sandbox.call("next")));
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&runtime] { return runtime->destroy("gone"); }));
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e6, .reference = std::nullopt};
}

}  // namespace

Benchmark sandbox_cycle_us() {
  return {.name = "sandbox_cycle_us",
          .unit = "us",
          .what = "create a sandbox of a module that is known, first call, destroy; median of 20,000 (steady clock)",
          .bar = "<= 20",
          .measure = measure_sandbox_cycle};
}

Benchmark hundred_creates_ms() {
  return {.name = "hundred_creates_ms",
          .unit = "ms",
          .what = "create a hundred sandboxes of a module that is known; median of 100 (steady clock)",
          .bar = "<= 5",
          .measure = measure_hundred_creates};
}

Benchmark sandbox_restart_us() {
  return {.name = "sandbox_restart_us",
          .unit = "us",
          .what = "restart a sandbox of one process; median of 20,000 (steady clock)",
          .bar = "<= 100",
          .measure = measure_restart};
}

Benchmark sandbox_destroy_us() {
  return {.name = "sandbox_destroy_us",
          .unit = "us",
          .what = "destroy a sandbox of one process that has been called; median of 20,000 (steady clock)",
          .bar = "<= 50",
          .measure = measure_destroy};
}

}  // namespace petri::bench
