#include "bench/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "bench/versioned_guest.h"
#include "telemetry/event_bus.h"

namespace petri::bench {
namespace {

constexpr int kThousand = 1'000;
constexpr int kBatchRounds = 15;
constexpr int kDead = 100'000;

std::vector<std::string> batch_ids(int count) {
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) ids.push_back(fmt::format("s{}", i));
  return ids;
}

std::vector<SandboxSpec> batch_specs(const std::vector<std::string>& ids, const ArtifactPtr& artifact) {
  std::vector<SandboxSpec> specs;
  for (const std::string& id : ids) specs.push_back(sandbox_of(id, artifact));
  return specs;
}

template <typename T>
Result<void> all_ok(const std::vector<Result<T>>& rows) {
  for (const Result<T>& row : rows) {
    if (!row) return fail(row.error());
  }
  return {};
}

Result<Measurement> measure_batch_create() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  const std::vector<std::string> ids = batch_ids(kThousand);
  std::vector<double> samples;
  for (int round = 0; round < kBatchRounds; ++round) {
    std::vector<SandboxSpec> specs = batch_specs(ids, artifact);
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&] { return all_ok(runtime->create_all(std::move(specs))); }));
    PETRI_TRY(all_ok(runtime->destroy_all(ids)));
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3, .reference = std::nullopt};
}

Result<Measurement> measure_batch_reload() {
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(const ArtifactPtr first, counting_version(0));
  const std::vector<std::string> ids = batch_ids(kThousand);
  PETRI_TRY(all_ok(runtime->create_all(batch_specs(ids, first))));
  std::vector<double> samples;
  std::uint64_t version = 0;
  for (int round = 0; round < kBatchRounds; ++round) {
    std::vector<ReloadPayload> payloads;
    for (int i = 0; i < kThousand; ++i) {
      PETRI_TRY(const ArtifactPtr artifact, counting_version(++version));
      const auto bytes = artifact->bytes();
      payloads.push_back({std::string(kVersioned), Source::wasm({bytes.begin(), bytes.end()})});
    }
    PETRI_TRY(samples.emplace_back(),
              wall_seconds_of([&] { return all_ok(runtime->reload_all_of(ids, std::move(payloads))); }));
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3, .reference = std::nullopt};
}

// Calls of a living sandbox, one after the other, while a collection runs: the longest that one took.
class LongestCall {
 public:
  explicit LongestCall(Sandbox sandbox)
      : thread_([this, sandbox = std::move(sandbox)](const std::stop_token& stop) mutable { call(sandbox, stop); }) {}
  double milliseconds() {
    thread_.request_stop();
    thread_.join();
    return longest_ * 1e3;
  }

 private:
  void call(Sandbox& sandbox, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto took = wall_seconds_of([&] { return must_be_ok(sandbox.call("next")); });
      if (took) longest_ = std::max(longest_, *took);
    }
  }
  double longest_ = 0;
  std::jthread thread_;
};

Result<Measurement> measure_collection() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime,
            Runtime::create({.workers = 2, .gc_interval = std::chrono::nanoseconds(0), .dead_keep = {}}));
  const std::vector<std::string> ids = batch_ids(kDead);
  PETRI_TRY(all_ok(runtime->create_all(batch_specs(ids, artifact))));
  for (const std::string& id : ids) PETRI_TRY(runtime->stop(id));
  PETRI_TRY(Sandbox living, runtime->create_sandbox(sandbox_of("living", artifact)));
  LongestCall calls(living);
  std::size_t collected = 0;
  PETRI_TRY(const double seconds, wall_seconds_of([&]() -> Result<void> {
              collected = runtime->collect().dead;
              return {};
            }));
  Measurement measured{.value = seconds * 1e3, .reference = std::nullopt};
  measured.notes.push_back(fmt::format("longest call of a living sandbox meanwhile: {:.2f} ms", calls.milliseconds()));
  if (collected != kDead) return fail(ErrorCode::host_fault, fmt::format("{} sandboxes were collected", collected));
  return measured;
}

Result<void> sandbox_cycle(Runtime& runtime, const ArtifactPtr& artifact) {
  PETRI_TRY(Sandbox sandbox, runtime.create_sandbox(sandbox_of("cycle", artifact)));
  PETRI_TRY(must_be_ok(sandbox.call("next")));
  return runtime.destroy("cycle");
}

// Counts the events that a cycle publishes to somebody who listens to all of them.
Result<std::size_t> events_of_a_cycle(Runtime& runtime, const ArtifactPtr& artifact) {
  PETRI_TRY(Subscription all, runtime.subscribe());
  PETRI_TRY(sandbox_cycle(runtime, artifact));
  std::size_t count = 0;
  while (all.next() != nullptr) ++count;
  return count;
}

double unheard_event_seconds() {
  constexpr int kEvents = 1'000;
  const SystemClock clock;
  EventBus bus(clock);
  return seconds_per_call([&bus] {
           for (int number = 0; number < kEvents; ++number) {
             bus.publish(EventKind::sandbox_status, {.sandbox = "bench"},
                         [number](Event& event) { event.add("from", "starting").add("seen", number); });
           }
         }) /
         kEvents;
}

Result<Measurement> measure_observer_off() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(const std::size_t events, events_of_a_cycle(*runtime, artifact));
  PETRI_TRY(const Sampled cycle, median_seconds_of(20'000, [&] { return sandbox_cycle(*runtime, artifact); }));
  const double event = unheard_event_seconds();
  Measurement measured{.value = 100 * static_cast<double>(events) * event / cycle.value, .reference = std::nullopt};
  measured.notes.push_back(
      fmt::format("{} events of {:.2f} ns in a cycle of {:.1f} us", events, event * 1e9, cycle.value * 1e6));
  return measured;
}

}  // namespace

Benchmark batch_create_thousand_ms() {
  return {.name = "batch_create_thousand_ms",
          .unit = "ms",
          .what = "create_all of a thousand sandboxes of a module that is known; median of 15 (steady clock)",
          .bar = "<= 15",
          .measure = measure_batch_create};
}

Benchmark batch_reload_thousand_ms() {
  return {.name = "batch_reload_thousand_ms",
          .unit = "ms",
          .what =
              "reload_all_of a thousand sandboxes, each with bytes of its own that nobody has seen; median of 15 "
              "(steady clock)",
          .bar = "<= 50",
          .measure = measure_batch_reload};
}

Benchmark gc_cycle_ms() {
  return {.name = "gc_cycle_ms",
          .unit = "ms",
          .what =
              "collect a hundred thousand dead sandboxes while a living one is called (steady clock); the notes "
              "have the longest of the calls, which should be below 1 ms",
          .bar = "<= 100",
          .measure = measure_collection};
}

Benchmark observer_off_percent() {
  return {.name = "observer_off_percent",
          .unit = "%",
          .what = "the part of a sandbox's cycle (create, call, destroy) that goes into events nobody listens to",
          .bar = "<= 2",
          .measure = measure_observer_off};
}

}  // namespace petri::bench
