#include "bench/burners.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBurners = 1'000;
constexpr std::size_t kBurnersCalls = 500;

// All of them loop for ever in sandboxes of their own; the runtime ends them.
Result<void> start_burners(Runtime& runtime, const ArtifactPtr& artifact) {
  for (std::size_t i = 0; i < kBurners; ++i) {
    PETRI_TRY(Sandbox burner, runtime.create(sandbox_of(fmt::format("burner{}", i), artifact)));
    PETRI_TRY(burner.call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  }
  return {};
}

// Each burner has had a turn of two milliseconds; what it took to create it is less.
bool all_burn(Runtime& runtime) {
  for (std::size_t i = 0; i < kBurners; ++i) {
    const auto info = runtime.info(fmt::format("burner{}", i));
    if (!info || info->usage.cpu_time < 1500us) return false;
  }
  return true;
}

Result<void> wait_until_all_burn(Runtime& runtime) {
  constexpr int kPatience = 600;
  for (int i = 0; i < kPatience; ++i) {
    if (all_burn(runtime)) return {};
    std::this_thread::sleep_for(100ms);
  }
  return fail(ErrorCode::host_fault, "the burners do not all burn");
}

// The 99th percentile of what a call takes, a caller that comes now and then.
Result<double> p99_seconds(Sandbox& neighbour, const CallOptions& options) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < kBurnersCalls; ++i) {
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&] { return must_be_ok(neighbour.call("next", {}, options)); }));
    std::this_thread::sleep_for(1ms);
  }
  return percentile(std::move(samples), 0.99);
}

Result<Measurement> measure_burners() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox neighbour, runtime->create(sandbox_of("neighbour", artifact)));
  PETRI_TRY(start_burners(*runtime, artifact));
  PETRI_TRY(wait_until_all_burn(*runtime));
  PETRI_TRY(const double own_thread, p99_seconds(neighbour, {}));
  PETRI_TRY(const double worker, p99_seconds(neighbour, {.timeout = 10s}));
  return Measurement{.value = std::max(own_thread, worker) * 1e3,
                     .reference = std::nullopt,
                     .notes = {fmt::format("on the caller's thread {:.2f} ms, with a time-out on a worker {:.2f} ms",
                                           own_thread * 1e3, worker * 1e3)}};
}

}  // namespace

Benchmark burner_neighbour_p99_ms() {
  return {.name = "burner_neighbour_p99_ms",
          .unit = "ms",
          .what =
              "99th percentile of a call beside 1,000 sandboxes that loop for ever on two workers; the worse of with "
              "and without a time-out (steady clock)",
          .bar = "<= 20",
          .measure = measure_burners};
}

}  // namespace petri::bench
