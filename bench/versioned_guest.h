// Guests that come in versions, which the benchmarks reload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "petri/artifact.h"
#include "petri/runtime.h"

namespace petri::bench {

constexpr std::string_view kVersioned = "counter";  // the module's name, as sandbox_of() has it

// A counter with a page of memory and described state, "next" counts on; each number is another module of the same
// fields.
Result<ArtifactPtr> counting_version(std::uint64_t number);

// Versions with so much other code that the module has about ten thousand bytes, to make loading expensive.
class LargeVersions {
 public:
  static Result<LargeVersions> create();
  // wasm that differs from every other number's.
  std::vector<std::uint8_t> numbered(std::uint64_t number);
  std::size_t bytes() const { return wasm_.size(); }

 private:
  LargeVersions(std::vector<std::uint8_t> wasm, std::size_t constant) : wasm_(std::move(wasm)), constant_(constant) {}

  std::vector<std::uint8_t> wasm_;
  std::size_t constant_;  // where the one that differs stands
};

// Checks the answer of "next": a host_fault when it is not `expected`. If it is, state was carried whole.
Result<void> must_count(Sandbox& sandbox, std::int32_t expected);

}  // namespace petri::bench
