// Conversions of the crate's strings and errors to those of C++.
#pragma once

#include <string_view>

#include "petri/artifact.h"
#include "petri/result.h"
#include "petri_engine.h"

namespace petri {

// Bytes that the crate has given away.
struct OwnedBytes {
  petri_bytes bytes{};
  OwnedBytes() = default;
  OwnedBytes(const OwnedBytes&) = delete;
  OwnedBytes& operator=(const OwnedBytes&) = delete;
  ~OwnedBytes() { petri_bytes_drop(bytes); }
};

// Borrows: valid as long as the text of the crate.
inline std::string_view to_view(petri_text text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

// The crate's number of a set of bounds.
inline std::uint32_t to_native(ModuleBounds bounds) {
  return bounds == ModuleBounds::program ? PETRI_BOUNDS_PROGRAM : PETRI_BOUNDS_CANDIDATE;
}

// One sentence and the details of a failure. What the crate quotes from the guest is escaped here.
Error to_error(const petri_error& error);

}  // namespace petri
