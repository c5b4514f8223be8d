#include "bench/load.h"

#include <fmt/format.h>

#include "bench/build_files.h"
#include "bench/loaded_module.h"
#include "bench/stopwatch.h"
#include "engine/bare_engine.h"

namespace petri::bench {
namespace {

constexpr double kMebibyte = 1 << 20;

Result<Measurement> measure(Tier tier, std::size_t repeats) {
  PETRI_TRY(const Bytes wasm, ordinary_module());
  const auto ours = [&]() -> Result<void> {
    PETRI_TRY(load_module(wasm, tier));
    return {};
  };
  const auto bare = [&]() -> Result<void> {
    PETRI_TRY(BareEngine::open(wasm, {.tier = tier, .function = "run"}));
    return {};
  };
  PETRI_TRY(const Compared seconds, compare(repeats, ours, bare));
  const double per_mib = 1e3 * kMebibyte / static_cast<double>(wasm.size());
  return Measurement{.value = seconds.value * per_mib, .reference = seconds.reference * per_mib};
}

Benchmark load(Tier tier, std::string bar, std::size_t repeats) {
  return {
      .name = fmt::format("load_{}_ms_per_mib", name_of(tier)),
      .unit = "ms/MiB",
      .what = fmt::format("gate and {} load of ordinary C++ as clang -O2 makes it; reference: the bare engine's load "
                          "(processor time)",
                          name_of(tier)),
      .bar = std::move(bar),
      .measure = [tier, repeats] { return measure(tier, repeats); }};
}

}  // namespace

Benchmark load_interpreted_ms_per_mib() { return load(Tier::interpreted, "<= 100", 25); }
Benchmark load_compiled_ms_per_mib() { return load(Tier::compiled, "<= 2500", 5); }

}  // namespace petri::bench
