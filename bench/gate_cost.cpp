#include "bench/gate_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "bench/build_files.h"
#include "bench/loaded_module.h"
#include "bench/shapes/shape.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

// Bytes of filler for each hostile one, and parts of the largest body, until the gate lets a shape pass.
constexpr std::array<double, 16> kDilutions{0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128};
constexpr std::array<std::size_t, 5> kBodyParts{1, 2, 4, 8, 16};

// A shape is tried small before it is made large: one that the gate fails to hold back could take minutes.
struct Size {
  std::size_t bytes;
  double ratio_max;  // beyond this the larger sizes are left alone
};
constexpr std::array<Size, 2> kSizes{{{8 << 10, 20}, {80 << 10, 0}}};

constexpr std::size_t kShapesPerReference = 12;
// A ratio that is worth a second look.
constexpr double kSuspectRatio = 2.2;

// Processor seconds of gate and load; the median of this many samples.
Result<double> cost(const Bytes& wasm, Tier tier, std::size_t repeats) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < repeats; ++i) {
    std::optional<LoadedModule> module;
    const auto load = [&]() -> Result<void> {
      PETRI_TRY(module, load_module(wasm, tier));
      return {};
    };
    PETRI_TRY(samples.emplace_back(), processor_seconds_of(load));
  }
  return median(std::move(samples));
}

// Costs per byte, beyond what a module without content costs.
class Scale {
 public:
  static Result<Scale> create(Tier tier) {
    Scale scale(tier);
    PETRI_TRY(scale.ordinary_, ordinary_module());
    PETRI_TRY(scale.empty_, cost(ModuleWriter().finish(), tier, 9));
    PETRI_TRY(scale.weigh_ordinary());
    return scale;
  }

  Result<double> per_byte(const Bytes& wasm, std::size_t repeats) const {
    PETRI_TRY(const double seconds, cost(wasm, tier_, repeats));
    return (seconds - empty_) / static_cast<double>(wasm.size());
  }
  // Compiling takes its time: what is not expensive at a first look is looked at once. What is expensive is weighed
  // beside ordinary code, so that both are met by the same moods of the machine.
  Result<double> per_byte(const Bytes& wasm) const {
    PETRI_TRY(const double once, per_byte(wasm, 1));
    if (tier_ == Tier::compiled && once < kSuspectRatio * ordinary_per_byte()) return once;
    std::vector<double> ratios;
    for (int times = 0; times < 5; ++times) {
      PETRI_TRY(const double suspect, per_byte(wasm, 1));
      PETRI_TRY(const double ordinary, per_byte(ordinary_, 1));
      ratios.push_back(suspect / ordinary);
    }
    return median(ratios) * ordinary_per_byte();
  }
  // Again from time to time: the machine's mood changes.
  Result<void> weigh_ordinary() {
    PETRI_TRY(const double sample, per_byte(ordinary_, 3));
    samples_.push_back(sample);
    return {};
  }
  double ordinary_per_byte() const { return median(samples_); }

 private:
  explicit Scale(Tier tier) : tier_(tier) {}

  Tier tier_;
  Bytes ordinary_;
  double empty_ = 0;
  std::vector<double> samples_;
};

// The shape as dense as the gate accepts it, or nothing.
struct Accepted {
  Bytes wasm;
  double dilution = 0;
};
std::optional<Accepted> densest_accepted(const Shape& shape, std::size_t bytes) {
  for (double dilution : kDilutions) {
    for (std::size_t part : kBodyParts) {
      Bytes wasm = shape.make({.bytes = bytes, .body_bytes = bound("body_bytes") / part, .dilution = dilution});
      if (Artifact::from_wasm(wasm, kModuleBytesMax)) return Accepted{.wasm = std::move(wasm), .dilution = dilution};
    }
  }
  return std::nullopt;
}

struct Weighed {
  std::string_view name;
  std::size_t bytes = 0;
  double dilution = 0;
  double per_byte = 0;
};

// At the largest size that is worth trying. A shape no dilution makes acceptable costs nothing.
Result<Weighed> weigh(const Shape& shape, const Scale& scale) {
  Weighed weighed{.name = shape.name};
  for (const Size& size : kSizes) {
    const auto accepted = densest_accepted(shape, size.bytes);
    if (!accepted) return weighed;
    weighed.bytes = accepted->wasm.size();
    weighed.dilution = accepted->dilution;
    PETRI_TRY(weighed.per_byte, scale.per_byte(accepted->wasm));
    if (weighed.per_byte > size.ratio_max * scale.ordinary_per_byte()) break;
  }
  return weighed;
}

Result<std::vector<Weighed>> weigh_all(Scale& scale) {
  std::vector<Weighed> all;
  for (const Shape& shape : all_shapes()) {
    PETRI_TRY(all.emplace_back(), weigh(shape, scale));
    if (all.size() % kShapesPerReference == 0) {
      PETRI_TRY(scale.weigh_ordinary());
    }
  }
  std::sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) { return a.per_byte > b.per_byte; });
  return all;
}

std::string note_of(const Weighed& weighed, double ordinary) {
  if (weighed.bytes == 0) return fmt::format("refused {}", weighed.name);
  return fmt::format("{:.2f} {} ({} KiB, filler {})", weighed.per_byte / ordinary, weighed.name, weighed.bytes >> 10,
                     weighed.dilution);
}

Result<Measurement> measure_gate_cost(Tier tier) {
  PETRI_TRY(Scale scale, Scale::create(tier));
  PETRI_TRY(const auto all, weigh_all(scale));
  const double ordinary = scale.ordinary_per_byte();
  Measurement measured{.value = all.front().per_byte / ordinary, .reference = 1};
  for (const Weighed& weighed : all) measured.notes.push_back(note_of(weighed, ordinary));
  return measured;
}

Benchmark gate_cost_ratio(Tier tier) {
  return {.name = fmt::format("gate_cost_ratio_{}", name_of(tier)),
          .unit = "x",
          .what = fmt::format("gate and {} load of the dearest of {} shapes of accepted modules, per byte, against "
                              "ordinary C++ as clang -O2 makes it (processor time)",
                              name_of(tier), all_shapes().size()),
          .bar = "<= 3",
          .measure = [tier] { return measure_gate_cost(tier); }};
}

}  // namespace

Benchmark gate_cost_ratio_interpreted() { return gate_cost_ratio(Tier::interpreted); }
Benchmark gate_cost_ratio_compiled() { return gate_cost_ratio(Tier::compiled); }

}  // namespace petri::bench
