#include "bench/host_strings.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "bench/stopwatch.h"
#include "petri/run.h"

namespace petri::bench {
namespace {

constexpr std::uint32_t kStringCalls = 100'000;
constexpr std::size_t kStringRepeats = 11;

// Calls one of the two as often as it is asked. Its allocator gives the same place each time: what an allocator costs
// is the guest's own affair.
constexpr std::string_view kStringCaller = R"((module
  (import "bench" "numbers" (func $numbers (param i32 i32 i32) (result i32)))
  (import "bench" "string" (func $string (param i32 i32 i32) (result i32)))
  (memory 1)
  (func (export "petri_alloc") (param i32) (result i32) (i32.const 4096))
  (func (export "numbers") (param $left i32)
    (loop $next (drop (call $numbers (i32.const 64) (i32.const 64) (i32.const 8)))
      (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1))))))
  (func (export "string") (param $left i32)
    (loop $next (drop (call $string (i32.const 64) (i32.const 64) (i32.const 8)))
      (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1))))))))";

Result<HostFunctions> bench_functions() {
  HostFunctions host;
  PETRI_TRY(host.define("bench", "numbers", [](std::int32_t a, std::int32_t b, std::int32_t c) { return a + b + c; }));
  PETRI_TRY(host.define("bench", "string", [](std::string_view text) { return std::string(text); }));
  return host;
}

Result<Measurement> measure_strings() {
  PETRI_TRY(const HostFunctions host, bench_functions());
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wat(kStringCaller, 1 << 20));
  const auto run_all = [&](std::string_view function) -> Result<void> {
    RunSpec spec{.function = std::string(function),
                 .arguments = {Value(static_cast<std::int32_t>(kStringCalls))},
                 .tier = Tier::compiled};
    spec.compile.in_process = true;
    PETRI_TRY(const Outcome outcome, run(artifact, host, spec));
    if (outcome.kind == OutcomeKind::ok) return {};
    return fail(ErrorCode::host_fault, fmt::format("the guest ended as {}", name_of(outcome.kind)));
  };
  PETRI_TRY(const Compared seconds,
            compare(kStringRepeats, [&] { return run_all("string"); }, [&] { return run_all("numbers"); }));
  return Measurement{.value = (seconds.value - seconds.reference) / kStringCalls * 1e9,
                     .reference = seconds.reference / kStringCalls * 1e9};
}

}  // namespace

Benchmark host_string_ns() {
  return {
      .name = "host_string_ns",
      .unit = "ns",
      .what =
          "a host function with a string of 64 bytes in and out, beyond a call with numbers, which is the reference; "
          "compiled (processor time)",
      .bar = "<= 300",
      .measure = measure_strings};
}

}  // namespace petri::bench
