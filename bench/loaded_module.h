// A module on its way into an engine, one step at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/instance/instance.h"
#include "petri/artifact.h"
#include "petri/result.h"
#include "petri/tier.h"

namespace petri::bench {

constexpr std::uint64_t kModuleBytesMax = 16 << 20;
constexpr std::uint64_t kMemoryBytesMax = 64 << 20;
// More than any benchmark burns.
constexpr std::uint64_t kPlentyOfFuel = std::uint64_t{1} << 60;

// Gate, link, load: all that stands between bytes and an instance. It may import what every guest may. It is compiled
// in this process, so that processor time counts it.
struct LoadedModule {
  ArtifactPtr artifact;
  CodePtr code;
};
Result<LoadedModule> load_module(std::span<const std::uint8_t> wasm, Tier tier);

// One function of a fresh instance, called without anything between the caller and the engine.
class LiveFunction {
 public:
  static Result<LiveFunction> open(const LoadedModule& module, std::string_view function);

  // Anything but a return is a host_fault.
  Result<void> call(std::span<std::uint64_t> slots);
  // Calls with this budget and returns the end, whatever it is.
  Result<End> call_until(const Budget& budget, std::span<std::uint64_t> slots);

 private:
  LiveFunction(ArtifactPtr artifact, std::unique_ptr<Instance> instance, std::uint32_t number)
      : artifact_(std::move(artifact)), instance_(std::move(instance)), number_(number) {}

  ArtifactPtr artifact_;
  std::unique_ptr<Instance> instance_;
  std::uint32_t number_;
};

}  // namespace petri::bench
