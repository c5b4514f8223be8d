#include "bench/deadline.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <string_view>

#include "bench/loaded_module.h"
#include "bench/statistics.h"
#include "petri/artifact.h"

namespace petri::bench {
namespace {

constexpr std::chrono::nanoseconds kDeadline = std::chrono::milliseconds(10);
constexpr std::size_t kRunsEach = 25;
constexpr std::size_t kAttemptsMax = 4;

// Guests that never come back by themselves.
struct Endless {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<Endless, 8> kEndless{{
    {"empty loop", R"((module (func (export "run") (loop (br 0)))))"},
    {"arithmetic", R"((module (func (export "run") (local i64) (loop
       (local.set 0 (i64.add (i64.mul (local.get 0) (i64.const 6364136223846793005)) (i64.const 1))) (br 0)))))"},
    {"division", R"((module (func (export "run") (local i64) (loop
       (local.set 0 (i64.add (i64.div_u (i64.const -1) (i64.or (local.get 0) (i64.const 1))) (i64.const 3))) (br 0)))))"},
    {"memory", R"((module (memory 16) (func (export "run") (local i32) (loop
       (i64.store (i32.and (local.get 0) (i32.const 0xffff8)) (i64.load (i32.and (i32.mul (local.get 0) (i32.const 5)) (i32.const 0xffff8))))
       (local.set 0 (i32.add (local.get 0) (i32.const 4104))) (br 0)))))"},
    {"square roots", R"((module (func (export "run") (local f64) (local.set 0 (f64.const 2)) (loop
       (local.set 0 (f64.add (f64.sqrt (f64.sqrt (f64.sqrt (local.get 0)))) (f64.const 1))) (br 0)))))"},
    {"memory.fill", R"((module (memory 16) (func (export "run") (loop
       (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x100000)) (br 0)))))"},
    {"refused growth",
     R"((module (memory 1 1) (func (export "run") (loop (drop (memory.grow (i32.const 1))) (br 0)))))"},
    {"calls", R"((module (func $f (param i32) (result i32) (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
       (else (i32.add (call $f (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))))
       (func (export "run") (loop (drop (call $f (i32.const 100))) (br 0)))))"},
}};

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

// How often the kernel has taken the processor away from this thread.
long interruptions() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

// Milliseconds from the deadline until the caller has its answer.
Result<double> overshoot_ms(const LoadedModule& module) {
  PETRI_TRY(LiveFunction function, LiveFunction::open(module, "run"));
  const std::chrono::nanoseconds deadline = now() + kDeadline;
  const Budget budget{.fuel = kPlentyOfFuel, .deadline_ns = static_cast<std::uint64_t>(deadline.count())};
  PETRI_TRY(const End end, function.call_until(budget, {}));
  const std::chrono::duration<double, std::milli> late = now() - deadline;
  if (end.kind == EndKind::deadline) return late.count();
  return fail(ErrorCode::engine_fault, "a guest ended otherwise than by its deadline");
}

// As above, but measured again when the kernel let others run meanwhile: that delay is the machine's. A machine that
// does it every time is measured as it is.
Result<double> undisturbed_overshoot_ms(const LoadedModule& module) {
  for (std::size_t attempt = 1;; ++attempt) {
    const long before = interruptions();
    PETRI_TRY(const double late, overshoot_ms(module));
    if (interruptions() == before || attempt == kAttemptsMax) return late;
  }
}

Result<std::vector<double>> overshoots(const Endless& endless, Tier tier) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wat(endless.text, kModuleBytesMax));
  PETRI_TRY(const LoadedModule module, load_module(artifact->bytes(), tier));
  std::vector<double> late;
  for (std::size_t i = 0; i < kRunsEach; ++i) {
    PETRI_TRY(late.emplace_back(), undisturbed_overshoot_ms(module));
  }
  return late;
}

Result<Measurement> measure_deadline(Tier tier) {
  Measurement measured;
  std::vector<double> all;
  for (const Endless& endless : kEndless) {
    PETRI_TRY(const std::vector<double> late, overshoots(endless, tier));
    all.insert(all.end(), late.begin(), late.end());
    measured.notes.push_back(
        fmt::format("{}: median {:.3f} ms, most {:.3f} ms", endless.name, median(late), percentile(late, 1)));
  }
  measured.value = percentile(std::move(all), 0.99);
  return measured;
}

Benchmark deadline_overshoot(Tier tier, std::string bar) {
  return {.name = fmt::format("deadline_overshoot_{}_ms", name_of(tier)),
          .unit = "ms",
          .what = fmt::format("how late a deadline of 10 ms ends {} guests that never end, p99 of {} runs of {} kinds "
                              "(steady clock; a run the kernel interrupted is repeated, three times at most)",
                              name_of(tier), kRunsEach * kEndless.size(), kEndless.size()),
          .bar = std::move(bar),
          .measure = [tier] { return measure_deadline(tier); }};
}

}  // namespace

Benchmark deadline_overshoot_compiled_ms() { return deadline_overshoot(Tier::compiled, "<= 2"); }
Benchmark deadline_overshoot_interpreted_ms() { return deadline_overshoot(Tier::interpreted, "<= 3"); }

}  // namespace petri::bench
