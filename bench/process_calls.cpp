#include "bench/process_calls.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "bench/loaded_module.h"
#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::size_t kProcessCallsRepeats = 41;
constexpr std::size_t kCallsPerBatch = 10'000;
constexpr std::int32_t kMessagesPerBurst = 5'000;
constexpr std::size_t kCrashes = 2'000;

// Seconds of the processor a call, in the tier.
Result<Sampled> seconds_per_call_in(Tier tier) {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(sandbox_of("called", artifact, tier)));
  const auto batch = [&sandbox]() -> Result<void> {
    for (std::size_t i = 0; i < kCallsPerBatch; ++i) PETRI_TRY(must_be_ok(sandbox.call("next")));
    return {};
  };
  PETRI_TRY(batch());
  std::vector<double> samples;
  for (std::size_t i = 0; i < kProcessCallsRepeats; ++i) {
    PETRI_TRY(samples.emplace_back(), processor_seconds_of(batch));
  }
  return middle_of(std::move(samples)) / kCallsPerBatch;
}

Result<Measurement> measure_call() {
  PETRI_TRY(const Sampled interpreted, seconds_per_call_in(Tier::interpreted));
  PETRI_TRY(const Sampled compiled, seconds_per_call_in(Tier::compiled));
  return Measurement{
      .value = larger(interpreted, compiled) * 1e9,
      .reference = std::nullopt,
      .notes = {fmt::format("interpreted {:.0f} ns, compiled {:.0f} ns", interpreted * 1e9, compiled * 1e9)}};
}

// "burst" sends this many messages of 16 bytes to the process "sink", "ask" calls it as often.
constexpr std::string_view kMessenger = R"((module
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "sink")
  (func (export "burst") (param $left i32) (result i32)
    (loop $next
      (if (call $send (i32.const 0) (i32.const 4) (i32.const 16) (i32.const 16)) (then (return (local.get $left))))
      (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 0))
  (func (export "ask") (param $left i32) (result i32)
    (loop $next
      (if (call $call (i32.const 0) (i32.const 4) (i32.const 16) (i32.const 16) (i32.const 0))
        (then (return (local.get $left))))
      (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 0))
  (func (export "nothing"))
  (func (export "petri_handle") (result i32) (i32.const 0))))";

Result<Sandbox> create_messengers(Runtime& runtime) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wat(kMessenger, kModuleBytesMax));
  SandboxSpec spec = sandbox_of("messengers", artifact, Tier::compiled);
  spec.profile = Profile::trusted;  // as many cores as there are
  spec.tree = SupervisorSpec{};
  for (const char* name : {"source", "sink"}) {
    spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "counter"});
  }
  return runtime.create_sandbox(std::move(spec));
}

// The sink's mailbox keeps its order: when it has answered, it has handled what came before.
Result<void> exchange(Sandbox& sandbox, std::string_view how) {
  PETRI_TRY(const Outcome sent, sandbox.call(how, {Value(kMessagesPerBurst)}, {.process = "source"}));
  if (sent.kind != OutcomeKind::ok || sent.values != std::vector{Value(0)}) {
    return fail(ErrorCode::host_fault, "a message was refused");
  }
  return must_be_ok(sandbox.call("nothing", {}, {.process = "sink"}));
}

Result<Measurement> measure_message() {
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox sandbox, create_messengers(*runtime));
  PETRI_TRY(const double sent,
            median_seconds_of(kProcessCallsRepeats, [&sandbox] { return exchange(sandbox, "burst"); }));
  PETRI_TRY(const double asked,
            median_seconds_of(kProcessCallsRepeats, [&sandbox] { return exchange(sandbox, "ask"); }));
  return Measurement{.value = sent / kMessagesPerBurst * 1e6,
                     .reference = std::nullopt,
                     .notes = {fmt::format("call and its answer: {:.2f} us", asked / kMessagesPerBurst * 1e6)}};
}

// The time of the next event of the sandbox, which must be of this kind.
Result<WallTime> time_of_next(Subscription& events, EventKind kind) {
  const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(10));
  if (event != nullptr && event->kind == kind) return event->time;
  return fail(ErrorCode::host_fault, fmt::format("{} did not come", name_of(kind)));
}

Result<Measurement> measure_process_restart() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  SandboxSpec spec = sandbox_of("crashing", artifact);
  spec.tree = SupervisorSpec{.intensity = kIntensityMax, .children = {ChildSpec{.id = "p", .module = "counter"}}};
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
  PETRI_TRY(Subscription events,
            runtime->subscribe({.kinds = {EventKind::process_exited, EventKind::process_restarted}}));
  std::vector<double> samples;
  for (std::size_t i = 0; i < kCrashes; ++i) {
    PETRI_TRY(sandbox.call("crash"));
    PETRI_TRY(const auto exited, time_of_next(events, EventKind::process_exited));
    PETRI_TRY(const auto restarted, time_of_next(events, EventKind::process_restarted));
    samples.push_back(std::chrono::duration<double>(restarted - exited).count());
  }
  return Measurement{.value = middle_of(samples) * 1e6,
                     .reference = std::nullopt,
                     .notes = {fmt::format("p99 {:.0f} us", percentile(samples, 0.99) * 1e6)}};
}

}  // namespace

Benchmark process_call_ns() {
  return {.name = "process_call_ns",
          .unit = "ns",
          .what =
              "a call of a live, idle process from C++ with limits and accounting, without time-out; the slower tier "
              "(processor time)",
          .bar = "<= 300",
          .measure = measure_call};
}

Benchmark message_us() {
  return {
      .name = "message_us",
      .unit = "us",
      .what = "a message of 16 bytes from one guest to another, sent and handled, in bursts of 5,000 (steady clock)",
      .bar = "<= 1",
      .measure = measure_message};
}

Benchmark process_restart_us() {
  return {.name = "process_restart_us",
          .unit = "us",
          .what = "from process.exited after a trap to process.restarted; median of 2,000 (times of the events)",
          .bar = "<= 50",
          .measure = measure_process_restart};
}

}  // namespace petri::bench
