// The gate: bytes nobody has looked at. The first byte says which door they come through: 't' for wat text, all else
// wasm.
#include <array>
#include <string_view>

#include "base/assert.h"
#include "cli/commands/module_report.h"
#include "cli/commands/scan_text.h"
#include "fuzz/target.h"
#include "petri/artifact.h"
#include "petri/scan.h"

namespace petri::fuzz {
namespace {

constexpr std::uint64_t kModuleBytesMax = 1 << 20;
constexpr char kText = 't';
constexpr char kWasm = 'w';

constexpr std::array<std::string_view, 8> kModules{
    R"((module (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))))",
    R"((module (memory (export "m") 1 4) (data (i32.const 8) "bytes") (global $g (mut i64) (i64.const 7))
        (func (export "f") (result i64) (memory.fill (i32.const 0) (i32.const 1) (i32.const 9))
          (global.set $g (i64.load (i32.const 8))) (global.get $g))))",
    R"((module (type $t (func (param i32) (result i32))) (table 3 funcref) (elem (i32.const 0) $a $b)
        (func $a (type $t) (i32.mul (local.get 0) (local.get 0))) (func $b (type $t) (call $a (local.get 0)))
        (func (export "call") (param i32 i32) (result i32) (call_indirect (type $t) (local.get 0) (local.get 1)))))",
    R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32))) (import "math" "sin" (func (param f64) (result f64)))
        (memory 1) (start $s) (func $s (drop (call $log (i32.const 1) (i32.const 0) (i32.const 4))))))",
    R"((module (func (export "switch") (param i32) (result i32) (local i32 i64 f32 f64)
          (block $c (block $b (block $a (br_table $a $b $c (local.get 0))) (return (i32.const 1))) (return (i32.const 2)))
          (loop $l (result i32) (br_if $l (i32.eqz (local.tee 1 (i32.add (local.get 1) (i32.const 1))))) (local.get 1)))))",
    R"((module (func $two (result i32 f64) (i32.const 1) (f64.const 2)) (func (export "multi") (result f64 i32) (local f64)
          (call $two) (local.set 0) (drop) (local.get 0) (i32.trunc_sat_f64_s (local.get 0)))))",
    R"((module (table $t 2 funcref) (func (export "g") (param funcref) (result i32)
          (table.set $t (i32.const 0) (local.get 0)) (i32.extend8_s (table.size $t)))
        (memory 2) (data $d "passive") (func (export "i") (memory.init $d (i32.const 0) (i32.const 0) (i32.const 3)) (data.drop $d))))",
    R"((module (func $loops (export "loops") (param i32) (local i32)
          (loop $a (if (local.get 0) (then (br $a)) (else (br_if $a (i32.const 1)))))
          (block $out (loop $b (br_if $out (local.get 1)) (loop $c (br_table $b $c $c (local.get 0))))))
        (func (loop (call $loops (i32.const 0)) (br 0))) (@custom "own" "bytes")))",
};

std::string wasm_of(std::string_view wat) {
  const auto artifact = Artifact::from_wat(wat, kModuleBytesMax);
  FUZZ_REQUIRE(artifact.has_value());
  const auto bytes = (*artifact)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Any bytes get a verdict that is the guest's fault or none: an engine_fault is ours.
bool is_a_verdict(ErrorCode code) {
  return code == ErrorCode::rejected || code == ErrorCode::parse_failed || code == ErrorCode::module_too_large;
}

// The description of an accepted module can be written in full, in both forms.
void describe(const Artifact& artifact) {
  const auto report = cli::report_on(artifact, Permissions::standard(), Limits{});
  FUZZ_REQUIRE(!cli::to_text(report, "fuzzed").empty());
  FUZZ_REQUIRE(!cli::to_line(cli::to_json(report)).empty());
  FUZZ_REQUIRE(artifact.info().metered_bytes > 0);
  (void)artifact.function_name(0);
}

// An accepted module can be scanned; findings point into the module, and the most severe come first.
void scan_whole(const Artifact& artifact) {
  const auto report = scan(artifact, HostFunctions(), {.findings_max = 20});
  FUZZ_REQUIRE(report.has_value());
  Severity before = Severity::high;
  for (const Finding& finding : report->findings) {
    FUZZ_REQUIRE(finding.offset < artifact.bytes().size());
    FUZZ_REQUIRE(finding.severity <= before);
    before = finding.severity;
  }
  FUZZ_REQUIRE(report->total() >= report->findings.size());
  FUZZ_REQUIRE(!cli::to_text(cli::ScannedFile{.file = "fuzzed", .report = *report, .error = std::nullopt}).empty());
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const std::string_view wat : kModules) {
    all.push_back(kText + std::string(wat));
    all.push_back(kWasm + wasm_of(wat));
  }
  return all;
}

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  if (size == 0) return 0;
  const std::span bytes(data + 1, size - 1);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto artifact = *data == fuzz::kText ? Artifact::from_wat(text, fuzz::kModuleBytesMax)
                                             : Artifact::from_wasm(bytes, fuzz::kModuleBytesMax);
  if (artifact) fuzz::describe(**artifact);
  if (artifact) fuzz::scan_whole(**artifact);
  if (!artifact) {
    FUZZ_REQUIRE(fuzz::is_a_verdict(artifact.error().code));
    (void)cli::section_outline(bytes);
  }
  return 0;
}
