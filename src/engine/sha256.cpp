#include "engine/sha256.h"

#include "petri_engine.h"

namespace petri {

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 32> digest;
  petri_sha256(bytes.data(), bytes.size(), digest.data());
  return digest;
}

Sha256::Sha256() : hasher_(petri_hasher_new()) {}
Sha256::~Sha256() { petri_hasher_drop(hasher_); }

void Sha256::add(std::string_view bytes) {
  petri_hasher_add(hasher_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::array<std::uint8_t, 32> Sha256::digest() const {
  std::array<std::uint8_t, 32> digest{};
  petri_hasher_digest(hasher_, digest.data());
  return digest;
}

}  // namespace petri
