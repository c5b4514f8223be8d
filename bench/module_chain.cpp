#include "bench/module_chain.h"

#include <fmt/format.h>

#include <vector>

#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::size_t kChainRepeats = 5;

std::string first_of_chain(int version) {
  return fmt::format(R"((module (func (export "f") (result i32) (i32.const {}))))", version);
}

// One process, of the last.
SandboxSpec chain_of(std::size_t length) {
  SandboxSpec spec{.id = "chain", .modules = {{"m0", Source::wat(first_of_chain(0))}}, .tier = Tier::interpreted};
  for (std::size_t i = 1; i < length; ++i) {
    spec.modules.push_back({fmt::format("m{}", i), Source::wat(fmt::format(R"((module
        (import "m{}" "f" (func $f (result i32))) (func (export "f") (result i32) (i32.const {}))))",
                                                                           i - 1, i))});
  }
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "last", .module = fmt::format("m{}", length - 1)}}};
  return spec;
}

// The time to reload the first module, on which all others depend.
Result<double> reload_seconds(std::size_t length) {
  PETRI_TRY(const auto runtime, two_worker_runtime());
  SandboxSpec spec = chain_of(length);
  spec.limits = {.memory_bytes_max = std::uint64_t{1} << 30};
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
  std::vector<double> samples;
  for (std::size_t i = 0; i < kChainRepeats; ++i) {
    const Source next = Source::wat(first_of_chain(static_cast<int>(i) + 1));
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&]() -> Result<void> {
                PETRI_TRY(sandbox.reload("m0", next));
                return {};
              }));
  }
  return median(std::move(samples));
}

Result<Measurement> measure_growth() {
  Measurement measured{.value = 0, .reference = std::nullopt, .notes = {}};
  std::vector<double> seconds;
  for (const std::size_t length : {50, 100, 200, 400}) {
    PETRI_TRY(seconds.emplace_back(), reload_seconds(length));
    measured.notes.push_back(fmt::format("{} modules {:.2f} ms", length, seconds.back() * 1e3));
  }
  measured.value = seconds[3] / seconds[2];
  return measured;
}

}  // namespace

Benchmark chain_reload_growth() {
  return {.name = "chain_reload_growth",
          .unit = "",
          .what = "how much longer a reload of the first of 400 modules in a chain takes than of 200",
          .bar = "<= 3",
          .measure = measure_growth};
}

}  // namespace petri::bench
