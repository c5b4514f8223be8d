// An engine as it comes, without meter and limits: what benchmarks compare petri with in the same run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "petri/result.h"
#include "petri/tier.h"

struct petri_bare;

namespace petri {

// One function of one instance of a module without imports. One thread at a time.
class BareEngine {
 public:
  struct Options {
    Tier tier = Tier::interpreted;  // not `automatic`
    bool own_fuel = false;          // let the engine count its own fuel, of which there is plenty
    std::string_view function;      // an export of numbers
  };

  // Loads and instantiates.
  static Result<BareEngine> open(std::span<const std::uint8_t> wasm, const Options& options);

  // As Instance::call: `slots` holds the arguments and receives the results.
  Result<void> call(std::span<std::uint64_t> slots);
  // Calls a function of type (f64) -> f64 with 0, 1, 2 ... in the quickest way the engine has; answers the sum.
  Result<double> call_typed(std::uint32_t times);

 private:
  struct Drop {
    void operator()(petri_bare* bare) const;
  };
  explicit BareEngine(petri_bare* bare) : bare_(bare) {}

  std::unique_ptr<petri_bare, Drop> bare_;
};

}  // namespace petri
