// Conversions of the crate's strings and errors to those of C++.
#pragma once

#include <string_view>

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

// One sentence and the details of a failure. What the crate quotes from the guest is escaped here.
Error to_error(const petri_error& error);

}  // namespace petri
