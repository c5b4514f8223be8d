// Modules of about a hundred bytes, the size of what evolution makes at its start; no two alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "petri/result.h"

namespace petri::bench {

// Exports "f" of type (f64) -> f64, a polynomial.
class SmallModule {
 public:
  static Result<SmallModule> create();

  // The module of this number: its constants differ from every other's. Valid until the next call.
  std::span<const std::uint8_t> numbered(std::uint64_t number);
  // The same module as text.
  static std::string text(std::uint64_t number);

 private:
  explicit SmallModule(std::vector<std::uint8_t> wasm, std::size_t constant)
      : wasm_(std::move(wasm)), constant_(constant) {}

  std::vector<std::uint8_t> wasm_;
  std::size_t constant_;  // where the one that differs stands
};

}  // namespace petri::bench
