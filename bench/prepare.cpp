#include "bench/prepare.h"

#include "bench/loaded_module.h"
#include "bench/small_module.h"
#include "bench/stopwatch.h"
#include "petri/artifact.h"

namespace petri::bench {
namespace {

Result<Measurement> measure_prepare() {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  const auto bytes = modules.numbered(0);
  const Sampled seconds = seconds_per_call([&bytes] { (void)Artifact::from_wasm(bytes, kModuleBytesMax); });
  return Measurement{.value = seconds * 1e6, .reference = std::nullopt};
}

}  // namespace

Benchmark prepare_us() {
  return {.name = "prepare_us",
          .unit = "us",
          .what = "check, meter and describe a module of about 100 bytes, and drop it (steady clock)",
          .bar = "",
          .measure = measure_prepare};
}

}  // namespace petri::bench
