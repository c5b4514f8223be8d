// The operators of WebAssembly whose meaning is in their name alone, as data: for choosing one by its type, and for
// emitting it with a WasmBody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "petri/value.h"

// X(type, name, code, operands, operand type, result type): the numeric operators in the order of their codes. The text
// form is "type.name". Codes above 0xfc00 are written as the prefix 0xfc and the rest.
// clang-format off
#define PETRI_WASM_OPERATORS(X)                                                                             \
  X(i32, eqz, 0x45, 1, i32, i32)  X(i32, eq, 0x46, 2, i32, i32)    X(i32, ne, 0x47, 2, i32, i32)            \
  X(i32, lt_s, 0x48, 2, i32, i32) X(i32, lt_u, 0x49, 2, i32, i32)  X(i32, gt_s, 0x4a, 2, i32, i32)          \
  X(i32, gt_u, 0x4b, 2, i32, i32) X(i32, le_s, 0x4c, 2, i32, i32)  X(i32, le_u, 0x4d, 2, i32, i32)          \
  X(i32, ge_s, 0x4e, 2, i32, i32) X(i32, ge_u, 0x4f, 2, i32, i32)                                           \
  X(i64, eqz, 0x50, 1, i64, i32)  X(i64, eq, 0x51, 2, i64, i32)    X(i64, ne, 0x52, 2, i64, i32)            \
  X(i64, lt_s, 0x53, 2, i64, i32) X(i64, lt_u, 0x54, 2, i64, i32)  X(i64, gt_s, 0x55, 2, i64, i32)          \
  X(i64, gt_u, 0x56, 2, i64, i32) X(i64, le_s, 0x57, 2, i64, i32)  X(i64, le_u, 0x58, 2, i64, i32)          \
  X(i64, ge_s, 0x59, 2, i64, i32) X(i64, ge_u, 0x5a, 2, i64, i32)                                           \
  X(f32, eq, 0x5b, 2, f32, i32)   X(f32, ne, 0x5c, 2, f32, i32)    X(f32, lt, 0x5d, 2, f32, i32)            \
  X(f32, gt, 0x5e, 2, f32, i32)   X(f32, le, 0x5f, 2, f32, i32)    X(f32, ge, 0x60, 2, f32, i32)            \
  X(f64, eq, 0x61, 2, f64, i32)   X(f64, ne, 0x62, 2, f64, i32)    X(f64, lt, 0x63, 2, f64, i32)            \
  X(f64, gt, 0x64, 2, f64, i32)   X(f64, le, 0x65, 2, f64, i32)    X(f64, ge, 0x66, 2, f64, i32)            \
  X(i32, clz, 0x67, 1, i32, i32)  X(i32, ctz, 0x68, 1, i32, i32)   X(i32, popcnt, 0x69, 1, i32, i32)        \
  X(i32, add, 0x6a, 2, i32, i32)  X(i32, sub, 0x6b, 2, i32, i32)   X(i32, mul, 0x6c, 2, i32, i32)           \
  X(i32, div_s, 0x6d, 2, i32, i32) X(i32, div_u, 0x6e, 2, i32, i32) X(i32, rem_s, 0x6f, 2, i32, i32)        \
  X(i32, rem_u, 0x70, 2, i32, i32) X(i32, and, 0x71, 2, i32, i32)  X(i32, or, 0x72, 2, i32, i32)            \
  X(i32, xor, 0x73, 2, i32, i32)  X(i32, shl, 0x74, 2, i32, i32)   X(i32, shr_s, 0x75, 2, i32, i32)         \
  X(i32, shr_u, 0x76, 2, i32, i32) X(i32, rotl, 0x77, 2, i32, i32) X(i32, rotr, 0x78, 2, i32, i32)          \
  X(i64, clz, 0x79, 1, i64, i64)  X(i64, ctz, 0x7a, 1, i64, i64)   X(i64, popcnt, 0x7b, 1, i64, i64)        \
  X(i64, add, 0x7c, 2, i64, i64)  X(i64, sub, 0x7d, 2, i64, i64)   X(i64, mul, 0x7e, 2, i64, i64)           \
  X(i64, div_s, 0x7f, 2, i64, i64) X(i64, div_u, 0x80, 2, i64, i64) X(i64, rem_s, 0x81, 2, i64, i64)        \
  X(i64, rem_u, 0x82, 2, i64, i64) X(i64, and, 0x83, 2, i64, i64)  X(i64, or, 0x84, 2, i64, i64)            \
  X(i64, xor, 0x85, 2, i64, i64)  X(i64, shl, 0x86, 2, i64, i64)   X(i64, shr_s, 0x87, 2, i64, i64)         \
  X(i64, shr_u, 0x88, 2, i64, i64) X(i64, rotl, 0x89, 2, i64, i64) X(i64, rotr, 0x8a, 2, i64, i64)          \
  X(f32, abs, 0x8b, 1, f32, f32)  X(f32, neg, 0x8c, 1, f32, f32)   X(f32, ceil, 0x8d, 1, f32, f32)          \
  X(f32, floor, 0x8e, 1, f32, f32) X(f32, trunc, 0x8f, 1, f32, f32) X(f32, nearest, 0x90, 1, f32, f32)      \
  X(f32, sqrt, 0x91, 1, f32, f32) X(f32, add, 0x92, 2, f32, f32)   X(f32, sub, 0x93, 2, f32, f32)           \
  X(f32, mul, 0x94, 2, f32, f32)  X(f32, div, 0x95, 2, f32, f32)   X(f32, min, 0x96, 2, f32, f32)           \
  X(f32, max, 0x97, 2, f32, f32)  X(f32, copysign, 0x98, 2, f32, f32)                                       \
  X(f64, abs, 0x99, 1, f64, f64)  X(f64, neg, 0x9a, 1, f64, f64)   X(f64, ceil, 0x9b, 1, f64, f64)          \
  X(f64, floor, 0x9c, 1, f64, f64) X(f64, trunc, 0x9d, 1, f64, f64) X(f64, nearest, 0x9e, 1, f64, f64)      \
  X(f64, sqrt, 0x9f, 1, f64, f64) X(f64, add, 0xa0, 2, f64, f64)   X(f64, sub, 0xa1, 2, f64, f64)           \
  X(f64, mul, 0xa2, 2, f64, f64)  X(f64, div, 0xa3, 2, f64, f64)   X(f64, min, 0xa4, 2, f64, f64)           \
  X(f64, max, 0xa5, 2, f64, f64)  X(f64, copysign, 0xa6, 2, f64, f64)                                       \
  X(i32, wrap_i64, 0xa7, 1, i64, i32)                                                                       \
  X(i32, trunc_f32_s, 0xa8, 1, f32, i32)       X(i32, trunc_f32_u, 0xa9, 1, f32, i32)                       \
  X(i32, trunc_f64_s, 0xaa, 1, f64, i32)       X(i32, trunc_f64_u, 0xab, 1, f64, i32)                       \
  X(i64, extend_i32_s, 0xac, 1, i32, i64)      X(i64, extend_i32_u, 0xad, 1, i32, i64)                      \
  X(i64, trunc_f32_s, 0xae, 1, f32, i64)       X(i64, trunc_f32_u, 0xaf, 1, f32, i64)                       \
  X(i64, trunc_f64_s, 0xb0, 1, f64, i64)       X(i64, trunc_f64_u, 0xb1, 1, f64, i64)                       \
  X(f32, convert_i32_s, 0xb2, 1, i32, f32)     X(f32, convert_i32_u, 0xb3, 1, i32, f32)                     \
  X(f32, convert_i64_s, 0xb4, 1, i64, f32)     X(f32, convert_i64_u, 0xb5, 1, i64, f32)                     \
  X(f32, demote_f64, 0xb6, 1, f64, f32)                                                                     \
  X(f64, convert_i32_s, 0xb7, 1, i32, f64)     X(f64, convert_i32_u, 0xb8, 1, i32, f64)                     \
  X(f64, convert_i64_s, 0xb9, 1, i64, f64)     X(f64, convert_i64_u, 0xba, 1, i64, f64)                     \
  X(f64, promote_f32, 0xbb, 1, f32, f64)                                                                    \
  X(i32, reinterpret_f32, 0xbc, 1, f32, i32)   X(i64, reinterpret_f64, 0xbd, 1, f64, i64)                   \
  X(f32, reinterpret_i32, 0xbe, 1, i32, f32)   X(f64, reinterpret_i64, 0xbf, 1, i64, f64)                   \
  X(i32, extend8_s, 0xc0, 1, i32, i32)         X(i32, extend16_s, 0xc1, 1, i32, i32)                        \
  X(i64, extend8_s, 0xc2, 1, i64, i64)         X(i64, extend16_s, 0xc3, 1, i64, i64)                        \
  X(i64, extend32_s, 0xc4, 1, i64, i64)                                                                     \
  X(i32, trunc_sat_f32_s, 0xfc00, 1, f32, i32) X(i32, trunc_sat_f32_u, 0xfc01, 1, f32, i32)                 \
  X(i32, trunc_sat_f64_s, 0xfc02, 1, f64, i32) X(i32, trunc_sat_f64_u, 0xfc03, 1, f64, i32)                 \
  X(i64, trunc_sat_f32_s, 0xfc04, 1, f32, i64) X(i64, trunc_sat_f32_u, 0xfc05, 1, f32, i64)                 \
  X(i64, trunc_sat_f64_s, 0xfc06, 1, f64, i64) X(i64, trunc_sat_f64_u, 0xfc07, 1, f64, i64)

// X(type, name, code, bytes of memory): the loads, then the stores.
#define PETRI_WASM_LOADS(X)                                                                                 \
  X(i32, load, 0x28, 4)      X(i64, load, 0x29, 8)      X(f32, load, 0x2a, 4)      X(f64, load, 0x2b, 8)    \
  X(i32, load8_s, 0x2c, 1)   X(i32, load8_u, 0x2d, 1)   X(i32, load16_s, 0x2e, 2)  X(i32, load16_u, 0x2f, 2) \
  X(i64, load8_s, 0x30, 1)   X(i64, load8_u, 0x31, 1)   X(i64, load16_s, 0x32, 2)  X(i64, load16_u, 0x33, 2) \
  X(i64, load32_s, 0x34, 4)  X(i64, load32_u, 0x35, 4)
#define PETRI_WASM_STORES(X)                                                                                \
  X(i32, store, 0x36, 4)     X(i64, store, 0x37, 8)     X(f32, store, 0x38, 4)     X(f64, store, 0x39, 8)   \
  X(i32, store8, 0x3a, 1)    X(i32, store16, 0x3b, 2)                                                       \
  X(i64, store8, 0x3c, 1)    X(i64, store16, 0x3d, 2)   X(i64, store32, 0x3e, 4)
// clang-format on

namespace petri {

// The enumerator is the text form with its dot as an underscore: f64_mul is "f64.mul".
#define PETRI_WASM_ENUMERATOR(type, name, code, ...) type##_##name = code,
enum class WasmOperator : std::uint16_t { PETRI_WASM_OPERATORS(PETRI_WASM_ENUMERATOR) };
enum class WasmMemoryOperator : std::uint8_t {
  PETRI_WASM_LOADS(PETRI_WASM_ENUMERATOR) PETRI_WASM_STORES(PETRI_WASM_ENUMERATOR)
};
#undef PETRI_WASM_ENUMERATOR

std::string_view name_of(WasmOperator op);
std::string_view name_of(WasmMemoryOperator op);

// Takes `operands` values of type `operand` from the stack and leaves one of type `result`.
struct WasmOperatorInfo {
  WasmOperator op;
  std::string_view name;
  std::size_t operands;
  ValueType operand;
  ValueType result;
};

// A load takes an address and leaves a value of `type`; a store takes an address, then a value.
struct WasmMemoryOperatorInfo {
  WasmMemoryOperator op;
  std::string_view name;
  ValueType type;
  std::size_t bytes;
  bool stores;
};

// All operators, in the order of their codes.
std::span<const WasmOperatorInfo> wasm_operators();
std::span<const WasmMemoryOperatorInfo> wasm_memory_operators();
const WasmOperatorInfo& info_of(WasmOperator op);
const WasmMemoryOperatorInfo& info_of(WasmMemoryOperator op);

}  // namespace petri
