// The bytes of the operators that shapes are made of.
#pragma once

#include <cstdint>

namespace petri::bench::op {

enum Opcode : std::uint8_t {
  unreachable = 0x00,
  block = 0x02,
  loop = 0x03,
  if_ = 0x04,
  else_ = 0x05,
  end = 0x0b,
  br = 0x0c,
  br_if = 0x0d,
  br_table = 0x0e,
  return_ = 0x0f,
  call = 0x10,
  call_indirect = 0x11,
  drop = 0x1a,
  select = 0x1b,
  local_get = 0x20,
  local_set = 0x21,
  local_tee = 0x22,
  global_get = 0x23,
  global_set = 0x24,
  table_get = 0x25,
  table_set = 0x26,
  i32_load = 0x28,
  i64_load = 0x29,
  i64_store = 0x37,
  memory_grow = 0x40,
  i32_const = 0x41,
  i64_const = 0x42,
  i64_eqz = 0x50,
  i64_popcnt = 0x7b,
  i64_add = 0x7c,
  i64_sub = 0x7d,
  i64_div_s = 0x7f,
  i64_rem_s = 0x81,
  i64_xor = 0x85,
  i64_rotl = 0x89,
  f64_sqrt = 0x9f,
  f64_add = 0xa0,
  f64_min = 0xa4,
  i64_extend_i32_u = 0xad,
  i64_trunc_f64_u = 0xb1,
  f32_demote_f64 = 0xb6,
  f64_convert_i64_u = 0xba,
  f64_promote_f32 = 0xbb,
  ref_null = 0xd0,
  ref_is_null = 0xd1,
  ref_func = 0xd2,
  prefix_fc = 0xfc,
};

// The type of a block without values.
constexpr std::uint8_t empty = 0x40;

// Behind prefix_fc.
constexpr std::uint8_t i64_trunc_sat_f64_u = 0x07;
constexpr std::uint8_t memory_copy = 0x0a;
constexpr std::uint8_t memory_fill = 0x0b;
constexpr std::uint8_t table_copy = 0x0e;
constexpr std::uint8_t table_grow = 0x0f;
constexpr std::uint8_t table_fill = 0x11;

}  // namespace petri::bench::op
