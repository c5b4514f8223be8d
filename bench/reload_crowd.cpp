#include "bench/reload_crowd.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "bench/versioned_guest.h"

namespace petri::bench {
namespace {

constexpr std::size_t kCrowd = 10'000;
constexpr std::size_t kThousand = 1'000;
constexpr std::size_t kThousands = 11;
constexpr std::size_t kSwitches = 11;
constexpr std::size_t kSeconds = 9;
constexpr std::size_t kCallers = 2;

Result<std::vector<Sandbox>> create_crowd(Runtime& runtime, std::size_t size, const ArtifactPtr& artifact) {
  std::vector<Sandbox> crowd;
  for (std::size_t i = 0; i < size; ++i) {
    PETRI_TRY(Sandbox sandbox, runtime.create_sandbox(sandbox_of(fmt::format("s{}", i), artifact)));
    PETRI_TRY(must_count(sandbox, 1));
    crowd.push_back(std::move(sandbox));
  }
  return crowd;
}

// Threads that call sandboxes in turn until they are told to end; every call must be answered well.
class Traffic {
 public:
  explicit Traffic(const std::vector<Sandbox>& sandboxes) : sandboxes_(sandboxes) {
    for (std::size_t i = 0; i < kCallers; ++i) {
      callers_.emplace_back([this, i](const std::stop_token& stop) { call(stop, i); });
    }
  }
  std::uint64_t calls() const { return calls_; }
  // Ends it; a host_fault when a call failed.
  Result<void> end() {
    callers_.clear();
    if (failed_ == 0) return {};
    return fail(ErrorCode::host_fault, fmt::format("{} of {} calls failed", failed_.load(), calls_.load()));
  }

 private:
  void call(const std::stop_token& stop, std::size_t first) {
    constexpr std::size_t kStride = 7'919;  // from one end of the crowd to the other
    for (std::size_t at = first; !stop.stop_requested(); at += kStride) {
      Sandbox sandbox = sandboxes_[at % sandboxes_.size()];
      if (!must_be_ok(sandbox.call("next"))) ++failed_;
      ++calls_;
    }
  }

  const std::vector<Sandbox>& sandboxes_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::vector<std::jthread> callers_;
};

Result<Measurement> measure_pause() {
  PETRI_TRY(const ArtifactPtr first, counting_version(1));
  PETRI_TRY(const ArtifactPtr second, counting_version(2));
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(const std::vector<Sandbox> crowd, create_crowd(*runtime, kCrowd, first));
  Traffic traffic(crowd);
  std::vector<double> pauses;
  for (Sandbox sandbox : crowd) {
    PETRI_TRY(const ReloadReport report, sandbox.reload(kVersioned, Source::artifact(second)));
    pauses.push_back(std::chrono::duration<double>(report.pause_max).count());
  }
  const std::uint64_t calls = traffic.calls();
  PETRI_TRY(traffic.end());
  return Measurement{.value = percentile(pauses, 0.99) * 1e3,
                     .reference = std::nullopt,
                     .notes = {fmt::format("median {:.4f} ms, longest {:.3f} ms, {} calls meanwhile and none failed",
                                           median(pauses) * 1e3, *std::ranges::max_element(pauses) * 1e3, calls)}};
}

Result<Measurement> measure_ten_thousand() {
  PETRI_TRY(const ArtifactPtr first, counting_version(1));
  PETRI_TRY(const ArtifactPtr second, counting_version(2));
  PETRI_TRY(const auto runtime, two_worker_runtime());
  SandboxSpec spec = sandbox_of("many", first);
  spec.limits = {.memory_bytes_max = std::uint64_t{4} << 30, .processes_max = kCrowd};
  spec.tree = SupervisorSpec{};
  for (std::size_t i = 0; i < kCrowd; ++i) {
    spec.tree->children.emplace_back(ChildSpec{.id = fmt::format("p{}", i), .module = std::string(kVersioned)});
  }
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
  PETRI_TRY(sandbox.stage(kVersioned, Source::artifact(second)));
  std::vector<double> samples, pauses;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    const double start = wall_seconds();
    PETRI_TRY(const ReloadReport report, sandbox.activate(kVersioned, i % 2 == 0 ? 2 : 1));
    samples.push_back(wall_seconds() - start);
    pauses.push_back(std::chrono::duration<double>(report.pause_max).count());
    if (report.processes.size() != kCrowd) return fail(ErrorCode::host_fault, "not all of them were switched");
  }
  return Measurement{.value = middle_of(samples) * 1e3,
                     .reference = std::nullopt,
                     .notes = {fmt::format("of that they answer nobody for {:.1f} ms", median(pauses) * 1e3)}};
}

Result<Measurement> measure_thousand() {
  PETRI_TRY(const ArtifactPtr first, counting_version(1));
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(std::vector<Sandbox> crowd, create_crowd(*runtime, kThousand, first));
  std::vector<double> samples;
  for (std::size_t round = 0; round < kThousands; ++round) {
    PETRI_TRY(const ArtifactPtr next, counting_version(2 + round));
    const double start = wall_seconds();
    for (Sandbox& sandbox : crowd) PETRI_TRY(sandbox.reload(kVersioned, Source::artifact(next)));
    samples.push_back(wall_seconds() - start);
  }
  for (Sandbox& sandbox : crowd) PETRI_TRY(must_count(sandbox, 2));
  return Measurement{.value = middle_of(std::move(samples)) * 1e3, .reference = std::nullopt};
}

// Seconds without and with a reload take turns, so that both see the same weather.
Result<Measurement> measure_loss() {
  PETRI_TRY(LargeVersions versions, LargeVersions::create());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  SandboxSpec spec{.id = "called", .modules = {{std::string(kVersioned), Source::wasm(versions.numbered(0))}}};
  spec.tier = Tier::interpreted;
  spec.profile = Profile::trusted;
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
  const std::vector<Sandbox> only{sandbox};
  Traffic traffic(only);
  std::vector<double> quiet, changed;
  for (std::size_t second = 0; second < 2 * kSeconds; ++second) {
    const bool reloads = second % 2 == 1;
    const std::uint64_t before = traffic.calls();
    const double start = wall_seconds();
    if (reloads) PETRI_TRY(sandbox.reload(kVersioned, Source::wasm(versions.numbered(second))));
    std::this_thread::sleep_for(std::chrono::duration<double>(1 - (wall_seconds() - start)));
    (reloads ? changed : quiet).push_back(static_cast<double>(traffic.calls() - before) / (wall_seconds() - start));
  }
  PETRI_TRY(traffic.end());
  const double without = median(quiet), with = median(changed);
  return Measurement{.value = std::max(0.0, (1 - with / without) * 100),
                     .reference = std::nullopt,
                     .notes = {fmt::format("{:.0f} calls a second without, {:.0f} with", without, with)}};
}

}  // namespace

Benchmark swap_pause_p99_ms() {
  return {.name = "swap_pause_p99_ms",
          .unit = "ms",
          .what =
              "99th percentile of how long a process answers nobody while its sandbox is reloaded, 10,000 live ones "
              "called by two threads; a failed call fails it (steady clock)",
          .bar = "<= 1",
          .measure = measure_pause};
}

Benchmark swap_ten_thousand_ms() {
  return {.name = "swap_ten_thousand_ms",
          .unit = "ms",
          .what =
              "activate another version of a module with 10,000 idle processes, all or none; median of 11 (steady "
              "clock)",
          .bar = "<= 300",
          .measure = measure_ten_thousand};
}

Benchmark reload_thousand_ms() {
  return {
      .name = "reload_thousand_ms",
      .unit = "ms",
      .what = "reload 1,000 sandboxes one after another with code none of them has had; median of 11 (steady clock)",
      .bar = "<= 100",
      .measure = measure_thousand};
}

Benchmark reload_throughput_loss_percent() {
  return {.name = "reload_throughput_loss_percent",
          .unit = "%",
          .what =
              "calls that are lost to throughput while a 10 KB module is reloaded once a second, two callers; medians "
              "of 9 seconds with and without (steady clock)",
          .bar = "<= 5",
          .measure = measure_loss};
}

}  // namespace petri::bench
