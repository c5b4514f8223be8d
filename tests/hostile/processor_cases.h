// Guests that loop, recurse and trap, and how each of them ends.
#pragma once

#include "hostile/hostile_fixture.h"

namespace petri {

struct HostileCase {
  std::string_view id;
  std::string_view wat;  // exports f
  OutcomeKind kind;
  std::optional<TrapCode> trap;
};

inline const std::vector<HostileCase>& hostile_cases() {
  using enum OutcomeKind;
  static const std::string many_locals = [] {
    std::string locals;
    for (int i = 0; i < 2'000; ++i) locals += " i64";
    return "(module (func $f (export \"f\") (local" + locals + ") (call $f)))";
  }();
  static const std::vector<HostileCase> cases{
      {"A01",
       R"((module (func (export "f") (local i32)
        (loop (local.set 0 (i32.add (local.get 0) (i32.const 1))) (br 0)))))",
       out_of_fuel,
       {}},
      {"A02", R"((module (func $empty) (func (export "f") (loop (call $empty) (br 0)))))", out_of_fuel, {}},
      {"A03", R"((module (func $f (export "f") (call $f))))", stack_overflow, {}},
      {"A05", many_locals, stack_overflow, {}},
      {"A06",
       R"((module (func $fib (param i32) (result i32)
        (if (result i32) (i32.lt_s (local.get 0) (i32.const 2)) (then (local.get 0))
          (else (i32.add (call $fib (i32.sub (local.get 0) (i32.const 1)))
                         (call $fib (i32.sub (local.get 0) (i32.const 2)))))))
        (func (export "f") (drop (call $fib (i32.const 60))))))",
       out_of_fuel,
       {}},
      {"A07",
       R"((module (memory 200) (func (export "f")
        (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 13107200)) (br 0)))))",
       out_of_fuel,
       {}},
      {"A07 tables",
       R"((module (table $t 10000 funcref) (func (export "f")
        (loop (table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 9999)) (br 0)))))",
       out_of_fuel,
       {}},
      {"A08",
       R"((module (import "math" "sin" (func $sin (param f64) (result f64)))
        (import "petri" "input_size" (func $size (result i32)))
        (func (export "f") (loop (drop (call $sin (f64.convert_i32_s (call $size)))) (br 0)))))",
       out_of_fuel,
       {}},
      {"A11 unreachable", R"((module (func (export "f") unreachable)))", trapped, TrapCode::unreachable},
      {"A11 division", R"((module (func (export "f") (drop (i32.div_u (i32.const 1) (i32.const 0))))))", trapped,
       TrapCode::integer_divide_by_zero},
      {"A11 overflow", R"((module (func (export "f") (drop (i32.div_s (i32.const 0x80000000) (i32.const -1))))))",
       trapped, TrapCode::integer_overflow},
      {"A11 conversion", R"((module (func (export "f") (drop (i32.trunc_f32_s (f32.const nan))))))", trapped,
       TrapCode::bad_conversion_to_integer},
      {"A11 memory", R"((module (memory 1) (func (export "f") (drop (i32.load (i32.const 65533))))))", trapped,
       TrapCode::memory_out_of_bounds},
      {"A11 table", R"((module (table 1 funcref) (func (export "f") (drop (table.get 0 (i32.const 1))))))", trapped,
       TrapCode::table_out_of_bounds},
      {"A11 null", R"((module (table 1 funcref) (func (export "f") (call_indirect (i32.const 0)))))", trapped,
       TrapCode::indirect_call_to_null},
      {"A11 signature", R"((module (table funcref (elem $g)) (func $g (param i32))
        (func (export "f") (call_indirect (i32.const 0)))))",
       trapped, TrapCode::bad_signature},
      {"A12",
       R"((module (func (export "f") (local f64) (local.set 0 (f64.const 0x1p-1060))
        (loop (local.set 0 (f64.add (f64.mul (local.get 0) (f64.const 0.5)) (f64.const 0x1p-1060))) (br 0)))))",
       out_of_fuel,
       {}},
      {"B10", R"((module (memory 1) (func (export "f") (i64.store offset=65529 (i32.const 0) (i64.const 1)))))",
       trapped, TrapCode::memory_out_of_bounds},
      {"B10 wrapped", R"((module (memory 1) (func (export "f")
        (i64.store offset=4294967295 (i32.const -1) (i64.const 1)))))",
       trapped, TrapCode::memory_out_of_bounds},
  };
  return cases;
}

}  // namespace petri
