// SHA-256 by the crate, with the processor's own instructions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

struct petri_hasher;

namespace petri {

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> bytes);

// Over bytes that come in pieces: the same as over all of them at once. Not for several threads at once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  // The hash of all that was added so far; more may follow.
  std::array<std::uint8_t, 32> digest() const;

 private:
  petri_hasher* const hasher_;
};

}  // namespace petri
