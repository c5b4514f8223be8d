// SHA-256 by the crate, with the processor's own instructions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "petri/value.h"

struct petri_hasher;

namespace petri {

Sha256 sha256(std::span<const std::uint8_t> bytes);

// Over bytes that come in pieces: the same as over all of them at once. Not for several threads at once.
class Sha256Hasher {
 public:
  Sha256Hasher();
  ~Sha256Hasher();
  Sha256Hasher(const Sha256Hasher&) = delete;
  Sha256Hasher& operator=(const Sha256Hasher&) = delete;

  void add(std::string_view bytes);
  // The hash of all that was added so far; more may follow.
  Sha256 digest() const;

 private:
  petri_hasher* const hasher_;
};

}  // namespace petri
