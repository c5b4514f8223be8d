#include "bench/calls.h"

#include <bit>

#include "bench/loaded_module.h"
#include "bench/small_module.h"
#include "bench/stopwatch.h"
#include "engine/bare_engine.h"

namespace petri::bench {
namespace {

constexpr std::uint32_t kCallsBatch = 100'000;
constexpr std::size_t kCallsRepeats = 15;

Result<Measurement> measure_calls(Tier tier) {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  const auto wasm = modules.numbered(0);
  PETRI_TRY(const LoadedModule module, load_module(wasm, tier));
  PETRI_TRY(LiveFunction ours, LiveFunction::open(module, "f"));
  PETRI_TRY(BareEngine bare, BareEngine::open(wasm, {.tier = tier, .function = "f"}));
  const auto call_ours = [&ours]() -> Result<void> {
    for (std::uint32_t i = 0; i < kCallsBatch; ++i) {
      std::uint64_t slot = std::bit_cast<std::uint64_t>(static_cast<double>(i));
      const auto end = ours.call_until({.fuel = kPlentyOfFuel}, {&slot, 1});
      if (!end || end->kind != EndKind::returned) return fail(ErrorCode::host_fault, "the call did not return");
    }
    return {};
  };
  const auto call_bare = [&bare]() -> Result<void> {
    PETRI_TRY(bare.call_typed(kCallsBatch));
    return {};
  };
  PETRI_TRY(const Compared seconds, compare(kCallsRepeats, call_ours, call_bare));
  return Measurement{.value = seconds.value / kCallsBatch * 1e9, .reference = seconds.reference / kCallsBatch * 1e9};
}

}  // namespace

Benchmark call_compiled_ns() {
  return {
      .name = "call_compiled_ns",
      .unit = "ns",
      .what =
          "a call of a live compiled instance, f64 to f64; reference: the bare compiler's typed call (processor time)",
      .bar = "<= 60",
      .measure = [] { return measure_calls(Tier::compiled); }};
}

Benchmark call_interpreted_ns() {
  return {.name = "call_interpreted_ns",
          .unit = "ns",
          .what =
              "a call of a live interpreted instance, f64 to f64; reference: the bare interpreter's typed call "
              "(processor time)",
          .bar = "<= 120",
          .measure = [] { return measure_calls(Tier::interpreted); }};
}

}  // namespace petri::bench
