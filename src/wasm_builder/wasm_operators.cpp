#include "petri/wasm_builder/wasm_operators.h"

#include <array>

#include "base/assert.h"

namespace petri {
namespace {

#define PETRI_WASM_ROW(type, name, code, operands, operand, result) \
  WasmOperatorInfo{WasmOperator::type##_##name, #type "." #name, operands, ValueType::operand, ValueType::result},
constexpr std::array kOperators{PETRI_WASM_OPERATORS(PETRI_WASM_ROW)};
#undef PETRI_WASM_ROW

#define PETRI_WASM_LOAD(type, name, code, bytes) \
  WasmMemoryOperatorInfo{WasmMemoryOperator::type##_##name, #type "." #name, ValueType::type, bytes, false},
#define PETRI_WASM_STORE(type, name, code, bytes) \
  WasmMemoryOperatorInfo{WasmMemoryOperator::type##_##name, #type "." #name, ValueType::type, bytes, true},
constexpr std::array kMemoryOperators{PETRI_WASM_LOADS(PETRI_WASM_LOAD) PETRI_WASM_STORES(PETRI_WASM_STORE)};
#undef PETRI_WASM_LOAD
#undef PETRI_WASM_STORE

// The codes of one byte have no gaps, and neither have those after the prefix, which stand behind them.
constexpr std::size_t kFirstCode = 0x45;
constexpr std::size_t kPrefixedCodes = 0xfc00;
constexpr std::size_t kOneByteOperators = 0xc4 - kFirstCode + 1;

constexpr std::size_t place_of(WasmOperator op) {
  const auto code = static_cast<std::size_t>(op);
  return code < kPrefixedCodes ? code - kFirstCode : code - kPrefixedCodes + kOneByteOperators;
}

constexpr std::size_t place_of(WasmMemoryOperator op) {
  return static_cast<std::size_t>(op) - static_cast<std::size_t>(WasmMemoryOperator::i32_load);
}

template <typename Table>
constexpr bool is_in_order(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (place_of(table[i].op) != i) return false;
  }
  return true;
}
static_assert(is_in_order(kOperators) && is_in_order(kMemoryOperators));

}  // namespace

std::span<const WasmOperatorInfo> wasm_operators() { return kOperators; }
std::span<const WasmMemoryOperatorInfo> wasm_memory_operators() { return kMemoryOperators; }

const WasmOperatorInfo& info_of(WasmOperator op) {
  PETRI_ASSERT(place_of(op) < kOperators.size());
  return kOperators[place_of(op)];
}

const WasmMemoryOperatorInfo& info_of(WasmMemoryOperator op) {
  PETRI_ASSERT(place_of(op) < kMemoryOperators.size());
  return kMemoryOperators[place_of(op)];
}

std::string_view name_of(WasmOperator op) { return info_of(op).name; }
std::string_view name_of(WasmMemoryOperator op) { return info_of(op).name; }

}  // namespace petri
