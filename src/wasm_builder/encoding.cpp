#include "wasm_builder/encoding.h"

#include <array>

#include "base/assert.h"

namespace petri {
namespace {

constexpr std::uint8_t kI32Const = 0x41;

// The bits as they are: NaNs keep their payload.
template <typename Bits>
void append_little_endian(WasmBytes& bytes, Bits bits) {
  std::array<std::uint8_t, sizeof(Bits)> raw;
  for (std::uint8_t& byte : raw) {
    byte = static_cast<std::uint8_t>(bits);
    bits >>= 8;
  }
  append_raw(bytes, raw);
}

}  // namespace

void append_long_unsigned(WasmBytes& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void append_signed(WasmBytes& bytes, std::int64_t value) {
  // The last byte's bit 6 is the sign of all that is not written.
  for (; value < -0x40 || value >= 0x40; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value & 0x7f));
}

std::size_t unsigned_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

void append_text(WasmBytes& bytes, std::string_view text) {
  append_unsigned(bytes, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
}

void append_constant(WasmBytes& bytes, Value number) {
  PETRI_ASSERT(is_number(number.type()));
  // The codes stand in the order of the types.
  bytes.push_back(static_cast<std::uint8_t>(kI32Const + static_cast<std::uint8_t>(number.type())));
  if (number.type() == ValueType::i32) return append_signed(bytes, number.i32());
  if (number.type() == ValueType::i64) return append_signed(bytes, number.i64());
  if (number.type() == ValueType::f64) return append_little_endian(bytes, number.bits());
  append_little_endian(bytes, static_cast<std::uint32_t>(number.bits()));
}

std::uint8_t type_code(ValueType type) {
  switch (type) {
    case ValueType::i32: return 0x7f;
    case ValueType::i64: return 0x7e;
    case ValueType::f32: return 0x7d;
    case ValueType::f64: return 0x7c;
    case ValueType::funcref: return 0x70;
    case ValueType::externref: return 0x6f;
  }
  PETRI_UNREACHABLE();
}

void append_types(WasmBytes& bytes, std::span<const ValueType> types) {
  append_unsigned(bytes, types.size());
  for (const ValueType type : types) bytes.push_back(type_code(type));
}

}  // namespace petri
