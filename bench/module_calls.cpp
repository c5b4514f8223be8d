#include "bench/module_calls.h"

#include "bench/loaded_module.h"
#include "bench/sandbox_guest.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::int32_t kModuleCallsCalls = 100'000;
constexpr std::size_t kModuleCallsRepeats = 15;

constexpr const char* kCallee = R"((module (func (export "f") (param i32) (result i32) (local.get 0))))";
// The same turns with calls of a neighbour, and of a function of its own.
constexpr const char* kCaller = R"((module (import "callee" "f" (func $f (param i32) (result i32)))
  (func $own (param i32) (result i32) (local.get 0))
  (func (export "neighbour") (param $left i32)
    (loop $next (br_if $next (local.tee $left (i32.sub (call $f (local.get $left)) (i32.const 1))))))
  (func (export "own") (param $left i32)
    (loop $next (br_if $next (local.tee $left (i32.sub (call $own (local.get $left)) (i32.const 1))))))))";

Result<Measurement> measure_module_calls(Tier tier) {
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox sandbox,
            runtime->create_sandbox({.id = "group",
                                     .modules = {{"caller", Source::wat(kCaller)}, {"callee", Source::wat(kCallee)}},
                                     .tier = tier}));
  const auto turns_of = [&sandbox](std::string_view function) {
    return [&sandbox, function]() -> Result<void> {
      return must_be_ok(sandbox.call(function, {Value(kModuleCallsCalls)}));
    };
  };
  PETRI_TRY(const Compared seconds, compare(kModuleCallsRepeats, turns_of("neighbour"), turns_of("own")));
  return Measurement{.value = seconds.value / kModuleCallsCalls * 1e9,
                     .reference = seconds.reference / kModuleCallsCalls * 1e9};
}

Benchmark module_call(std::string name, Tier tier) {
  return {
      .name = std::move(name),
      .unit = "ns",
      .what =
          "a call into another module of the sandbox, in a loop; reference: of a function of its own (processor time)",
      .bar = "report",
      .measure = [tier] { return measure_module_calls(tier); }};
}

}  // namespace

Benchmark module_call_compiled_ns() { return module_call("module_call_compiled_ns", Tier::compiled); }
Benchmark module_call_interpreted_ns() { return module_call("module_call_interpreted_ns", Tier::interpreted); }

}  // namespace petri::bench
