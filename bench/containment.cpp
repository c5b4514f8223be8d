#include "bench/containment.h"

#include <fmt/format.h>

#include "bench/sandbox_guest.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::int32_t kContainmentCallsPerBatch = 1'000'000;
constexpr std::size_t kContainmentRepeats = 21;
constexpr std::size_t kVerdicts = 5'000;

// Two functions of the embedder's that do the same; one of them needs a permission.
constexpr std::string_view kAsker = R"((module
  (import "bench" "free" (func $free (result i32))) (import "bench" "guarded" (func $guarded (result i32)))
  (func (export "free") (param $left i32)
    (loop (drop (call $free)) (br_if 0 (local.tee $left (i32.sub (local.get $left) (i32.const 1))))))
  (func (export "guarded") (param $left i32)
    (loop (drop (call $guarded)) (br_if 0 (local.tee $left (i32.sub (local.get $left) (i32.const 1))))))))";

Result<Measurement> measure_permission() {
  RuntimeOptions options{.workers = 2};
  const auto seven = [] { return 7; };
  PETRI_TRY(options.host.define("bench", "free", seven, {.fuel = 1}));
  PETRI_TRY(options.host.define("bench", "guarded", seven, {.fuel = 1, .permission = Permission::random}));
  PETRI_TRY(const auto runtime, Runtime::create(std::move(options)));
  SandboxSpec spec{.id = "asker", .modules = {{"m", Source::wat(std::string(kAsker))}}};
  spec.profile = Profile::trusted;  // as much of the processor as there is
  spec.tier = Tier::compiled;
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
  const auto ask = [&sandbox](std::string_view function) {
    return [&sandbox, function]() -> Result<void> {
      return must_be_ok(sandbox.call(function, {Value(kContainmentCallsPerBatch)}));
    };
  };
  PETRI_TRY(const Compared seconds, compare(kContainmentRepeats, ask("guarded"), ask("free")));
  const double guarded = seconds.value / kContainmentCallsPerBatch * 1e9,
               free = seconds.reference / kContainmentCallsPerBatch * 1e9;
  return Measurement{.value = guarded - free,
                     .reference = std::nullopt,
                     .notes = {fmt::format("a host call of {:.1f} ns becomes one of {:.1f} ns", free, guarded)}};
}

// A module that the gate refuses only after it has looked at all of it.
std::string bad_module(std::size_t number) {
  return fmt::format("(module (func (export \"f{}\") (result i32) (i32.add (i32.const {}))))", number, number);
}

Result<Sampled> verdict_seconds(Sandbox& sandbox, bool distinct) {
  std::size_t number = 0;
  const auto ask = [&]() -> Result<void> {
    const auto refused = sandbox.run(Source::wat(bad_module(distinct ? ++number : 0)), "f");
    if (!refused && refused.error().code == ErrorCode::rejected) return {};
    return fail(ErrorCode::host_fault, "a module that makes no sense was not rejected");
  };
  PETRI_TRY(ask());
  return median_seconds_of(kVerdicts, ask);
}

Result<Measurement> measure_refusal() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(sandbox_of("strict", artifact)));
  PETRI_TRY(const Sampled again, verdict_seconds(sandbox, false));
  PETRI_TRY(const Sampled first, verdict_seconds(sandbox, true));
  return Measurement{.value = again * 1e6, .reference = first * 1e6};
}

}  // namespace

Benchmark permission_check_ns() {
  return {.name = "permission_check_ns",
          .unit = "ns",
          .what = "what a host function of a live process costs more because it needs a permission (processor time)",
          .bar = "<= 10",
          .measure = measure_permission};
}

Benchmark refuse_again_us() {
  return {.name = "refuse_again_us",
          .unit = "us",
          .what = "the verdict on a bad module seen before, audited; reference: on one not seen before",
          .bar = "<= 20",
          .measure = measure_refusal};
}

}  // namespace petri::bench
