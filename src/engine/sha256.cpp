#include "engine/sha256.h"

#include "petri_engine.h"

namespace petri {

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 32> digest;
  petri_sha256(bytes.data(), bytes.size(), digest.data());
  return digest;
}

}  // namespace petri
