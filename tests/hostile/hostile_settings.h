// The settings that the program `hostile_suite` and the longer suites make: how many, how many at once, in which tier,
// from which seed on.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "petri/runtime.h"
#include "petri/tier.h"
#include "sandboxes/environment.h"
#include "sandboxes/without_containment.h"

namespace petri {

// Well-behaved sandboxes that live beside the guest.
inline std::size_t neighbour_count() { return count_from_environment("PETRI_NEIGHBOURS", 0); }
// How many of each case there are at once.
inline std::size_t copy_count() { return count_from_environment("PETRI_COPIES", 1); }

// The seed of the repetition that runs now.
inline std::uint64_t& hostile_seed() {
  static std::uint64_t seed = 0;
  return seed;
}

// The one that was asked for, else the two that are something different.
inline std::vector<Tier> hostile_tiers() {
  const char* name = std::getenv("PETRI_HOSTILE_TIER");
  const auto tier = name == nullptr ? std::nullopt : tier_named(name);
  return tier ? std::vector{*tier} : std::vector{Tier::interpreted, Tier::compiled};
}

// Code of guests that mean harm is compiled where users have it compiled: by the worker. A crowd waits in line for the
// few workers there are, each module for those before it.
inline RuntimeOptions hostile_options() {
  RuntimeOptions options = without_containment();
  if (copy_count() > 1) options.compile.time_max *= 10;
  return options;
}

}  // namespace petri
