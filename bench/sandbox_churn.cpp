#include "bench/sandbox_churn.h"

#include <fmt/format.h>

#include "bench/loaded_module.h"
#include "bench/resident_memory.h"
#include "bench/sandbox_guest.h"
#include "petri/testing/testing.h"

namespace petri::bench {
namespace {

constexpr std::uint64_t kSandboxChurnWarmUp = 20'000;
constexpr std::uint64_t kNoteEvery = 100'000;

// Traps when it is called; no two are the same.
std::string text_of(std::uint64_t number) {
  return fmt::format(
      R"((module (memory 1) (func (export "crash") (i64.store (i32.const 0) (i64.const {})) unreachable)))", number);
}

// Half of them live on after the crash, restarted by their supervisor; of the others nothing is left to destroy but
// the record.
SandboxSpec spec_of(std::uint64_t number, const ArtifactPtr& artifact) {
  SandboxSpec spec = sandbox_of(fmt::format("s{}", number), artifact);
  if (number % 2 == 0)
    spec.tree = SupervisorSpec{.intensity = 0, .children = {ChildSpec{.id = "p", .module = "counter"}}};
  return spec;
}

Result<void> live_and_die(Runtime& runtime, std::uint64_t number) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wat(text_of(number), kModuleBytesMax));
  SandboxSpec spec = spec_of(number, artifact);
  PETRI_TRY(Sandbox sandbox, runtime.create_sandbox(std::move(spec)));
  PETRI_TRY(const Outcome outcome, sandbox.call("crash"));
  if (outcome.kind != OutcomeKind::trapped) return fail(ErrorCode::host_fault, "a sandbox did not crash");
  return runtime.destroy(sandbox.id());
}

Result<void> live_and_die(Runtime& runtime, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t number = first; number < first + count; ++number) PETRI_TRY(live_and_die(runtime, number));
  return {};
}

// A few whose last reference a worker still holds.
constexpr std::size_t kArtifactsKeptMax = 16;

Result<void> nothing_left(const testing::LeakCheck& check, const Runtime& runtime) {
  std::string left = check.leaks();
  const std::size_t artifacts = runtime.info().artifacts;
  if (artifacts > kArtifactsKeptMax) left += fmt::format(" {} artifacts", artifacts);
  if (left.empty()) return {};
  return fail(ErrorCode::host_fault, "left over: " + left);
}

}  // namespace

Result<Measurement> measure_sandbox_growth(std::uint64_t sandboxes) {
  PETRI_TRY(const auto runtime, two_worker_runtime());
  PETRI_TRY(live_and_die(*runtime, 0, kSandboxChurnWarmUp));
  const testing::LeakCheck check(runtime.get());
  PETRI_TRY(const double before, resident_mib());
  Measurement measured;
  for (std::uint64_t done = 0; done < sandboxes;) {
    const std::uint64_t count = std::min(kNoteEvery, sandboxes - done);
    PETRI_TRY(live_and_die(*runtime, kSandboxChurnWarmUp + done, count));
    done += count;
    PETRI_TRY(const double now, resident_mib());
    measured.value = now - before;
    measured.notes.push_back(fmt::format("{:8} sandboxes: {:.1f} MiB resident, {:+.1f}", done, now, now - before));
  }
  PETRI_TRY(nothing_left(check, *runtime));
  return measured;
}

Benchmark million_sandboxes_growth_mib() {
  return {.name = "million_sandboxes_growth_mib",
          .unit = "MiB",
          .what =
              "growth of resident memory over a million sandboxes with ids and modules of their own that are created, "
              "crash and are destroyed; an error when threads, descriptors or artifacts are left over; long: a minute",
          .bar = "<= 8",
          .measure = [] { return measure_sandbox_growth(1'000'000); },
          .only_when_named = true};
}

}  // namespace petri::bench
