// Where artifacts come from. The layers above take an Engine; tests give them a fake one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/result.h"

namespace petri {

struct EngineStatistics {
  std::uint64_t fallbacks = 0;  // modules that one engine could not load and the other did
};

// Safe to use from any thread.
class Engine {
 public:
  virtual ~Engine() = default;
  // As Artifact::from_wasm and Artifact::from_wat.
  virtual Result<ArtifactPtr> prepare(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max,
                                      ModuleBounds bounds = ModuleBounds::candidate) = 0;
  // As prepare() by the bounds of candidates, for bytes whose hash the caller has computed.
  virtual Result<ArtifactPtr> prepare_hashed(std::span<const std::uint8_t> wasm, const ArtifactId& id,
                                             std::uint64_t bytes_max) = 0;
  virtual Result<ArtifactPtr> prepare_wat(std::string_view text, std::uint64_t bytes_max,
                                          ModuleBounds bounds = ModuleBounds::candidate) = 0;
  virtual EngineStatistics statistics() const = 0;
};

// The two WebAssembly engines behind petri_engine.h. One for the whole process: it has no state but its statistics.
Engine& wasm_engine();

}  // namespace petri
