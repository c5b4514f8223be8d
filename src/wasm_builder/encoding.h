// How WebAssembly writes numbers, texts and types into bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "petri/value.h"

namespace petri {

using WasmBytes = std::vector<std::uint8_t>;

inline constexpr std::uint8_t kEndCode = 0x0b;

// LEB128, the shortest form.
void append_long_unsigned(WasmBytes& bytes, std::uint64_t value);
inline void append_unsigned(WasmBytes& bytes, std::uint64_t value) {
  if (value < 0x80) return bytes.push_back(static_cast<std::uint8_t>(value));
  append_long_unsigned(bytes, value);
}
void append_signed(WasmBytes& bytes, std::int64_t value);
// How many bytes append_unsigned() adds.
std::size_t unsigned_size(std::uint64_t value);

inline void append_raw(WasmBytes& bytes, std::span<const std::uint8_t> raw) {
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}
// The size, then the bytes.
void append_text(WasmBytes& bytes, std::string_view text);

// References are no numbers.
constexpr bool is_number(ValueType type) { return type != ValueType::funcref && type != ValueType::externref; }
// The operator that leaves this number.
void append_constant(WasmBytes& bytes, Value number);

std::uint8_t type_code(ValueType type);
// The number of types, then each.
void append_types(WasmBytes& bytes, std::span<const ValueType> types);

}  // namespace petri
