#include "bench/burners.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <tuple>
#include <vector>

#include "bench/loaded_module.h"
#include "bench/sandbox_guest.h"
#include "bench/search/genome.h"
#include "bench/shapes/shape.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBurners = 1'000;
constexpr std::size_t kSleepers = 100;
constexpr std::size_t kCompileBombs = 100;
constexpr std::size_t kBurnersCalls = 500;

// All of them loop for ever in sandboxes of their own; the runtime ends them.
Result<void> start_burners(Runtime& runtime, const ArtifactPtr& artifact) {
  for (std::size_t i = 0; i < kBurners; ++i) {
    PETRI_TRY(Sandbox burner, runtime.create_sandbox(sandbox_of(fmt::format("burner{}", i), artifact)));
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

Result<void> wait_until(const std::function<bool()>& holds, std::string_view else_what) {
  constexpr int kPatience = 600;
  for (int i = 0; i < kPatience; ++i) {
    if (holds()) return {};
    std::this_thread::sleep_for(100ms);
  }
  return fail(ErrorCode::host_fault, std::string(else_what));
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

Result<Measurement> measure_neighbour(Sandbox& neighbour) {
  PETRI_TRY(const double own_thread, p99_seconds(neighbour, {}));
  PETRI_TRY(const double worker, p99_seconds(neighbour, {.timeout = 10s}));
  return Measurement{.value = std::max(own_thread, worker) * 1e3,
                     .reference = std::nullopt,
                     .notes = {fmt::format("on the caller's thread {:.2f} ms, with a time-out on a worker {:.2f} ms",
                                           own_thread * 1e3, worker * 1e3)}};
}

Result<Measurement> measure_burners() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox neighbour, runtime->create_sandbox(sandbox_of("neighbour", artifact)));
  PETRI_TRY(start_burners(*runtime, artifact));
  PETRI_TRY(wait_until([&] { return all_burn(*runtime); }, "the burners do not all burn"));
  return measure_neighbour(neighbour);
}

// ---- sleepers -------------------------------------------------------------------------------------------------

// An hour in poll_oneoff.
constexpr std::string_view kSleeper = R"((module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory 1)
  (func (export "nap") (result i32)
    (i64.store (i32.const 24) (i64.const 3600000000000))
    (call $poll (i32.const 0) (i32.const 100) (i32.const 1) (i32.const 200)))))";

bool all_sleep(Runtime& runtime) {
  for (std::size_t i = 0; i < kSleepers; ++i) {
    const auto info = runtime.info(fmt::format("sleeper{}", i));
    if (!info || info->usage.threads == 0) return false;
  }
  return true;
}

Result<Measurement> measure_sleepers() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox neighbour, runtime->create_sandbox(sandbox_of("neighbour", artifact)));
  for (std::size_t i = 0; i < kSleepers; ++i) {
    PETRI_TRY(Sandbox sleeper, runtime->create_sandbox({.id = fmt::format("sleeper{}", i),
                                                        .modules = {{"m", Source::wat(std::string(kSleeper))}},
                                                        .limits = {.execution_time_max = std::chrono::hours(1),
                                                                   .shutdown_max = std::chrono::nanoseconds(0)}}));
    PETRI_TRY(sleeper.call_async("nap", {}, {}, [](const Result<Outcome>&) {}));
  }
  PETRI_TRY(wait_until([&] { return all_sleep(*runtime); }, "the sleepers do not all sleep"));
  return measure_neighbour(neighbour);
}

// ---- compile bombs --------------------------------------------------------------------------------------------

// As dense as the gate accepts it: some seconds of compiling.
Result<Bytes> compile_bomb() {
  PETRI_TRY(const Genome genome, Genome::from_text("first=if_value second=br_ifs_values"));
  for (const double dilution : {0., 0.5, 1., 2., 4., 8., 16.}) {
    Bytes wasm =
        genome.module({.bytes = std::size_t{1} << 20, .body_bytes = bound("body_bytes") / 4, .dilution = dilution});
    if (Artifact::from_wasm(wasm, kModuleBytesMax)) return wasm;
  }
  return fail(ErrorCode::host_fault, "the gate accepts no module that takes long to compile");
}

// A custom section with a number makes each another module, which no cache has.
Bytes numbered(Bytes wasm, std::size_t number) {
  wasm.insert(wasm.end(), {0, 4, 1, 'n', static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8)});
  return wasm;
}

// Ends what they compile, and then waits for them.
class CompileBombs {
 public:
  CompileBombs(Runtime& runtime, const Bytes& wasm) : runtime_(runtime) {
    for (std::size_t i = 0; i < kCompileBombs; ++i) {
      threads_.emplace_back([this, i, code = numbered(wasm, i)] {
        SandboxSpec spec{
            .id = fmt::format("bomb{}", i), .modules = {{"m", Source::wasm(code)}}, .tier = Tier::compiled};
        if (runtime_.create_sandbox(std::move(spec))) ++made_;
      });
    }
  }
  ~CompileBombs() {
    for (std::size_t i = 0; i < kCompileBombs; ++i) std::ignore = runtime_.destroy(fmt::format("bomb{}", i));
  }
  CompileBombs(const CompileBombs&) = delete;
  CompileBombs& operator=(const CompileBombs&) = delete;

  std::size_t made() const { return made_; }

 private:
  Runtime& runtime_;
  std::atomic<std::size_t> made_{0};
  std::vector<std::jthread> threads_;
};

Result<Measurement> measure_compile_bombs() {
  PETRI_TRY(const ArtifactPtr artifact, counting_guest());
  PETRI_TRY(const Bytes wasm, compile_bomb());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(Sandbox neighbour, runtime->create_sandbox(sandbox_of("neighbour", artifact)));
  const CompileBombs bombs(*runtime, wasm);
  PETRI_TRY(wait_until([&] { return runtime->list().total > kCompileBombs; }, "the bombs are not all let in"));
  PETRI_TRY(Measurement measured, measure_neighbour(neighbour));
  measured.notes.push_back(
      fmt::format("{} of {} had been compiled by the end, {} bytes each", bombs.made(), kCompileBombs, wasm.size()));
  if (bombs.made() == kCompileBombs) return fail(ErrorCode::host_fault, "the bombs were compiled too soon");
  return measured;
}

}  // namespace

Benchmark sleeper_neighbour_p99_ms() {
  return {.name = "sleeper_neighbour_p99_ms",
          .unit = "ms",
          .what =
              "99th percentile of a call beside 100 sandboxes that sleep in poll_oneoff on two workers; the worse of "
              "with and without a time-out (steady clock)",
          .bar = "<= 20",
          .measure = measure_sleepers};
}

Benchmark compile_bomb_neighbour_p99_ms() {
  return {.name = "compile_bomb_neighbour_p99_ms",
          .unit = "ms",
          .what =
              "99th percentile of a call while 100 sandboxes are made whose modules of a mebibyte are expensive to "
              "compile; the worse of with and without a time-out (steady clock)",
          .bar = "<= 20",
          .measure = measure_compile_bombs};
}

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
