// One thread's way of giving distinct candidates their short lives.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "bench/small_module.h"
#include "host/host_context.h"
#include "petri/host_functions.h"
#include "petri/result.h"

namespace petri::bench {

// As an evaluation does it: what can be kept from one candidate to the next is kept. One thread at a time.
class CandidateLife {
 public:
  explicit CandidateLife(SmallModule modules);

  // Prepares, loads, instantiates, calls and drops the candidate of this number.
  Result<void> live(std::uint64_t number, std::uint32_t calls);

 private:
  SmallModule modules_;
  SystemClock clock_;
  HostFunctions host_;
  HostContext context_;
};

}  // namespace petri::bench
