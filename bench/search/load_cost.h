// The cost of loading a module, measured in a process of its own: a module that crashes or never ends is a finding too.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/wasm_writer.h"
#include "petri/result.h"

namespace petri::bench {

// The steps that a module goes through.
enum class Stage : std::uint8_t {
  refuse,       // the gate, for one that it refuses
  interpreted,  // the gate, a load and an instance
  compiled,     // the same in the other tier
  scan,         // the gate and the scan
};
constexpr std::uint32_t kStages = 4;
std::string_view name_of(Stage stage);
std::optional<Stage> stage_from_name(std::string_view name);

struct LoadCost {
  enum class End : std::uint8_t { accepted, refused, crashed, gave_up };
  End end = End::refused;
  double seconds = 0;  // of the processor; the limit when it was given up
};

// The median of this many measurements. A process that takes longer than `seconds_max` is killed.
Result<LoadCost> load_cost(const Bytes& wasm, Stage stage, int times, unsigned seconds_max);

}  // namespace petri::bench
