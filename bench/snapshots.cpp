#include "bench/snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::size_t kTimes = 5'000;

// "touch" writes a number into each of this many pages of 4 KiB; "next" counts in an unexported global.
Result<ArtifactPtr> keeper(std::uint32_t wasm_pages) {
  return Artifact::from_wat(fmt::format(R"((module
    (memory {0})
    (global $count (mut i32) (i32.const 0))
    (func (export "next") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
    (func (export "touch") (local $at i32)
      (loop $more
        (i32.store (local.get $at) (i32.const 7))
        (br_if $more (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4096)))
                               (i32.const {1})))))))",
                                        wasm_pages, wasm_pages * 65'536),
                            std::size_t{1} << 20);
}

struct Kept {
  std::unique_ptr<Runtime> runtime;
  Sandbox sandbox;

  static Result<Kept> create(Tier tier, std::uint32_t wasm_pages) {
    PETRI_TRY(const ArtifactPtr code, keeper(wasm_pages));
    PETRI_TRY(auto runtime, two_worker_runtime());
    SandboxSpec spec{.id = "kept", .modules = {{"keeper", Source::artifact(code)}}};
    spec.tier = tier;
    PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
    PETRI_TRY(sandbox.call("next"));
    if (wasm_pages > 1) {
      PETRI_TRY(sandbox.call("touch"));
    }
    return Kept{std::move(runtime), std::move(sandbox)};
  }
};

Result<void> must_continue(Sandbox& sandbox) {
  PETRI_TRY(const Outcome outcome, sandbox.call("next"));
  if (!outcome.values.empty() && outcome.values[0].i32() == 2) return {};
  return fail(ErrorCode::host_fault, "what was brought back does not go on where it stood");
}

Result<Sampled> snapshot_seconds(Tier tier, std::uint32_t wasm_pages) {
  PETRI_TRY(Kept kept, Kept::create(tier, wasm_pages));
  return median_seconds_of(kTimes, [&]() -> Result<void> {
    PETRI_TRY(kept.sandbox.snapshot());
    return {};
  });
}

Result<Sampled> restore_seconds(Tier tier, std::uint32_t wasm_pages) {
  PETRI_TRY(Kept kept, Kept::create(tier, wasm_pages));
  PETRI_TRY(const Snapshot snapshot, kept.sandbox.snapshot());
  PETRI_TRY(const Sampled seconds, median_seconds_of(kTimes, [&] { return kept.sandbox.restore(snapshot); }));
  PETRI_TRY(must_continue(kept.sandbox));
  return seconds;
}

// Each fork lives until its time has been taken.
Result<Sampled> fork_seconds(Tier tier, std::uint32_t wasm_pages) {
  PETRI_TRY(Kept kept, Kept::create(tier, wasm_pages));
  std::vector<double> samples;
  for (std::size_t i = 0; i < kTimes; ++i) {
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&]() -> Result<void> {
                PETRI_TRY(kept.runtime->fork("kept", "twin"));
                return {};
              }));
    if (i == 0) {
      PETRI_TRY(Sandbox twin, kept.runtime->find("twin"));
      PETRI_TRY(must_continue(twin));
    }
    PETRI_TRY(kept.runtime->destroy("twin"));
  }
  return middle_of(std::move(samples));
}

Result<Measurement> slower_snapshot_tier(Result<Sampled> (*seconds_in)(Tier, std::uint32_t), std::uint32_t wasm_pages) {
  PETRI_TRY(const Sampled interpreted, seconds_in(Tier::interpreted, wasm_pages));
  PETRI_TRY(const Sampled compiled, seconds_in(Tier::compiled, wasm_pages));
  return Measurement{
      .value = larger(interpreted, compiled) * 1e6,
      .reference = std::nullopt,
      .notes = {fmt::format("interpreted {:.1f} us, compiled {:.1f} us", interpreted * 1e6, compiled * 1e6)}};
}

}  // namespace

Benchmark snapshot_us() {
  return {.name = "snapshot_us",
          .unit = "us",
          .what = "a snapshot of a sandbox with one process of 64 KiB, median of 5,000, the slower tier (steady clock)",
          .bar = "<= 20",
          .measure = [] { return slower_snapshot_tier(snapshot_seconds, 1); }};
}

Benchmark restore_us() {
  return {.name = "restore_us",
          .unit = "us",
          .what = "the same sandbox brought back to its snapshot",
          .bar = "<= 20",
          .measure = [] { return slower_snapshot_tier(restore_seconds, 1); }};
}

Benchmark fork_us() {
  return {.name = "fork_us", .unit = "us", .what = "a running twin of the same sandbox", .bar = "<= 20", .measure = [] {
            return slower_snapshot_tier(fork_seconds, 1);
          }};
}

Benchmark fork_1mib_us() {
  return {.name = "fork_1mib_us",
          .unit = "us",
          .what = "the same with 1 MiB of memory, all of it touched",
          .bar = "<= 300",
          .measure = [] { return slower_snapshot_tier(fork_seconds, 16); }};
}

}  // namespace petri::bench
