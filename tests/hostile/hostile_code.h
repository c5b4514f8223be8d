// For tests of code that is refused: the ways in, and modules to be spoiled.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>

#include "hostile/hostile_fixture.h"
#include "petri/artifact.h"

namespace petri {

using Bytes = std::vector<std::uint8_t>;

// Small modules that between them have every section and most shapes of operator; each exports "f".
constexpr std::array<std::string_view, 20> kTwentyModules{
    R"((module (func (export "f") (param i32) (result i32) (local i32)
      (loop (br_if 0 (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (i32.const 5)))) (local.get 1))))",
    R"((module (memory (export "m") 1 2) (data (i32.const 8) "text") (func (export "f") (param i32) (result i64)
      (i64.store offset=16 (local.get 0) (i64.const -3)) (drop (memory.grow (i32.const 1))) (i64.load (i32.const 8)))))",
    R"((module (table 3 funcref) (elem (i32.const 1) $g $g) (type $t (func (result f64)))
      (func $g (result f64) (f64.const 2.5))
      (func (export "f") (param i32) (result f64) (call_indirect (type $t) (local.get 0)))))",
    R"((module (global $g (export "g") (mut i64) (i64.const 7)) (start $s) (func $s (global.set $g (i64.const 9)))
      (func (export "f") (param i32) (result i64) (block (block (br_table 0 1 (local.get 0)))
        (global.set $g (i64.const 1))) (select (global.get $g) (i64.const 2) (i32.eqz (local.get 0))))))",
    R"((module (memory 1) (data $d "hello") (func (export "f") (param i32) (result i32)
      (memory.init $d (i32.const 0) (i32.const 1) (i32.const 3)) (data.drop $d)
      (memory.fill (i32.const 3) (i32.const 1) (i32.const 5)) (i32.load (local.get 0)))))",
    R"((module (func $a (param i32) (result i32) (i32.clz (local.get 0)))
      (func (export "f") (param i32) (result i32) (call $a (call $a (local.get 0))))))",
    R"((module (func (export "f") (param i32) (result f32) (f32.div (f32.convert_i32_s (local.get 0)) (f32.const 3)))))",
    R"((module (func (export "f") (param i32) (result i32 i64) (local.get 0) (i64.extend_i32_s (local.get 0)))))",
    R"((module (import "petri" "input_size" (func $size (result i32)))
      (func (export "f") (param i32) (result i32) (i32.add (local.get 0) (call $size)))))",
    R"((module (import "math" "sin" (func $sin (param f64) (result f64)))
      (func (export "f") (param i32) (result f64) (call $sin (f64.convert_i32_u (local.get 0))))))",
    R"((module (memory 1) (func (export "f") (param i32) (result i32)
      (memory.copy (i32.const 8) (i32.const 0) (i32.const 4)) (memory.size))))",
    R"((module (table $t 2 funcref) (func $g) (elem declare func $g) (func (export "f") (param i32) (result i32)
      (table.set $t (i32.const 0) (ref.func $g)) (ref.is_null (table.get $t (i32.const 1))))))",
    R"((module (func (export "f") (param i32) (result i32) (i32.trunc_sat_f64_s (f64.const 1e300)))))",
    R"((module (func (export "f") (param i32) (result i32) (if (result i32) (local.get 0) (then (i32.const 1))
      (else (i32.const 2))))))",
    R"((module (func (export "f") (param i32) (result i32) unreachable)))",
    R"((module (func (export "f") (param i32) (result i32) (i32.div_s (i32.const 1) (local.get 0)))))",
    R"((module (global i32 (i32.const 4)) (func (export "f") (param i32) (result i32) (i32.extend8_s (global.get 0)))))",
    R"((module (func $f (export "f") (param i32) (result i32) (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0)) (else (call $f (i32.sub (local.get 0) (i32.const 1))))))))",
    R"((module (memory 1) (func (export "f") (param i32) (result i32) (i32.load8_u offset=65535 (local.get 0)))))",
    R"((module (func (export "petri_handle") (result i32) (i32.const 0)) (func (export "f") (param i32) (result i32)
      (i32.popcnt (local.get 0)))))",
};

class HostileCode : public HostileFixture {
 protected:
  static Bytes wasm_of(std::string_view wat) {
    const auto artifact = Artifact::from_wat(wat, 1 << 20);
    EXPECT_TRUE(artifact) << artifact.error().message;
    const auto bytes = (*artifact)->bytes();
    return {bytes.begin(), bytes.end()};
  }
  static Bytes wasm_of_text(std::string_view text) { return {text.begin(), text.end()}; }

  // The fault in the refusal of this code, or empty.
  static std::string not_refused(const Error& error, std::initializer_list<ErrorCode> allowed) {
    if (std::ranges::find(allowed, error.code) == allowed.end())
      return std::string(name_of(error.code)) + ": " + error.message;
    return what_leaks(error.message);
  }
  // As a run in a sandbox that lives.
  static std::string not_refused(Sandbox& place, const Source& code,
                                 std::initializer_list<ErrorCode> allowed = {ErrorCode::rejected}) {
    const auto result = timed(Latency::refusal, [&] { return place.run(code, "f"); });
    return result ? "was entered: " + std::string(name_of(result->kind)) : not_refused(result.error(), allowed);
  }
  // As a run, and as a sandbox that is to be made of it.
  std::string refused_everywhere(Sandbox& place, const Source& code, Error* refusal = nullptr,
                                 std::initializer_list<ErrorCode> allowed = {ErrorCode::rejected}) {
    std::string wrong = not_refused(place, code, allowed);
    SandboxSpec spec = hostile_spec("");
    spec.modules[0].source = code;
    const auto created = timed(Latency::refusal, [&] { return runtime_->create_sandbox(spec); });
    if (created) return "a sandbox was made of it";
    if (refusal != nullptr) *refusal = created.error();
    if (wrong.empty()) wrong = not_refused(created.error(), allowed);
    const auto info = runtime_->info(spec.id);
    if (wrong.empty() && (!info || info->usage.processes != 0)) wrong = "something of it lives";
    return wrong;
  }
};

}  // namespace petri
