#include "engine/sha256.h"

#include "petri_engine.h"

namespace petri {

Sha256 sha256(std::span<const std::uint8_t> bytes) {
  Sha256 digest;
  petri_sha256(bytes.data(), bytes.size(), digest.bytes.data());
  return digest;
}

Sha256Hasher::Sha256Hasher() : hasher_(petri_hasher_new()) {}
Sha256Hasher::~Sha256Hasher() { petri_hasher_drop(hasher_); }

void Sha256Hasher::add(std::string_view bytes) {
  petri_hasher_add(hasher_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

Sha256 Sha256Hasher::digest() const {
  Sha256 digest{};
  petri_hasher_digest(hasher_, digest.bytes.data());
  return digest;
}

}  // namespace petri
