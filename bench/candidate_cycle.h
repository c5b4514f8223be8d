// One thread's way of giving distinct candidates their short lives.
#pragma once

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "host/host_context.h"
#include "petri/host_functions.h"
#include "petri/result.h"

namespace petri::bench {

// As an evaluation does it: what can be kept from one candidate to the next is kept. One thread at a time.
class CandidateCycle {
 public:
  CandidateCycle();

  // Prepares, loads, instantiates, calls and drops a candidate that exports "f" of type (f64) -> f64.
  Result<void> run(std::span<const std::uint8_t> wasm, std::uint32_t calls);

 private:
  SystemClock clock_;
  HostFunctions host_;
  HostContext context_;
};

}  // namespace petri::bench
