// The bytes of the operators that shapes are made of.
#pragma once

namespace petri::bench::op {

enum Opcode : unsigned {
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
  i32_load = 0x28,
  i64_load = 0x29,
  f64_load = 0x2b,
  i64_store = 0x37,
  f64_store = 0x39,
  memory_grow = 0x40,
  i32_const = 0x41,
  i32_eqz = 0x45,
  i64_eqz = 0x50,
  i32_add = 0x6a,
  i64_popcnt = 0x7b,
  i64_add = 0x7c,
  i64_mul = 0x7e,
  i64_div_s = 0x7f,
  i64_xor = 0x85,
  i64_rotl = 0x89,
  f64_nearest = 0x9e,
  f64_sqrt = 0x9f,
  f64_add = 0xa0,
  f64_min = 0xa4,
  i32_trunc_f64_u = 0xab,
  i64_extend_i32_u = 0xad,
  i64_trunc_f64_u = 0xb1,
  f32_convert_i64_u = 0xb5,
  f64_convert_i32_u = 0xb8,
  f64_convert_i64_u = 0xba,
  ref_null = 0xd0,
  ref_func = 0xd2,
  prefix_fc = 0xfc,
};

constexpr unsigned empty = 0x40;        // the type of a block without values
constexpr unsigned memory_fill = 0x0b;  // behind prefix_fc, as the next
constexpr unsigned memory_copy = 0x0a;
constexpr unsigned i64_trunc_sat_f64_u = 0x07;

}  // namespace petri::bench::op
