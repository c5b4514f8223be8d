#include "bench/search/load_cost.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "bench/loaded_module.h"
#include "bench/stopwatch.h"
#include "engine/loadable_artifact.h"

namespace petri::bench {
namespace {

constexpr std::array<std::string_view, kStages> kNames{"refuse", "interpreted", "compiled", "scan"};
constexpr std::uint32_t kFindingsMax = 1'000;
constexpr std::uint64_t kMemoryBytes = 256ULL << 20;

Result<void> load_and_instantiate(const Bytes& wasm, Tier tier) {
  PETRI_TRY(const LoadedModule module, load_module(wasm, tier));
  PETRI_TRY(const Instantiated made, module.code->instantiate({}, kMemoryBytes));
  return {};
}

Result<void> scan(const Bytes& wasm) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wasm(wasm, kModuleBytesMax));
  PETRI_TRY(const ScanReport report, loadable(*artifact).scan(kFindingsMax));
  return {};
}

Result<void> perform(const Bytes& wasm, Stage stage) {
  switch (stage) {
    case Stage::refuse: break;
    case Stage::interpreted: return load_and_instantiate(wasm, Tier::interpreted);
    case Stage::compiled: return load_and_instantiate(wasm, Tier::compiled);
    case Stage::scan: return scan(wasm);
  }
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wasm(wasm, kModuleBytesMax));
  return {};
}

LoadCost measure(const Bytes& wasm, Stage stage, int times) {
  LoadCost cost;
  for (int i = 0; i < times; ++i) {
    const double start = processor_seconds();
    const bool accepted = perform(wasm, stage).has_value();
    const double seconds = processor_seconds() - start;
    cost.seconds = i == 0 ? seconds : std::min(cost.seconds, seconds);
    cost.end = accepted ? LoadCost::End::accepted : LoadCost::End::refused;
  }
  return cost;
}

[[noreturn]] void measure_in_child(const Bytes& wasm, Stage stage, int times, unsigned seconds_max, int out) {
  const rlimit limit{.rlim_cur = seconds_max, .rlim_max = seconds_max + 1};
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CPU, &limit);
  ::setrlimit(RLIMIT_CORE, &no_core);
  const LoadCost cost = measure(wasm, stage, times);
  const bool told = ::write(out, &cost, sizeof cost) == sizeof cost;
  ::_exit(told ? 0 : 1);
}

// What the child has told, or how it ended without.
LoadCost cost_told(int in, pid_t child, unsigned seconds_max) {
  LoadCost cost;
  const bool told = ::read(in, &cost, sizeof cost) == sizeof cost;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (told) return cost;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const bool late = signal == SIGXCPU || signal == SIGKILL;
  return {.end = late ? LoadCost::End::gave_up : LoadCost::End::crashed, .seconds = static_cast<double>(seconds_max)};
}

}  // namespace

std::string_view name_of(Stage stage) { return kNames[static_cast<std::size_t>(stage)]; }

std::optional<Stage> stage_from_name(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Stage>(found - kNames.begin());
}

Result<LoadCost> load_cost(const Bytes& wasm, Stage stage, int times, unsigned seconds_max) {
  // What an engine makes once is made here, not in every child.
  static const Bytes empty = ModuleWriter().finish();
  PETRI_TRY(perform(empty, stage));
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return fail(ErrorCode::io_error, "no pipe to a process that measures");
  const pid_t child = ::fork();
  if (child < 0) return fail(ErrorCode::io_error, "no process that measures");
  if (child == 0) measure_in_child(wasm, stage, times, seconds_max, ends[1]);
  ::close(ends[1]);
  const LoadCost cost = cost_told(ends[0], child, seconds_max);
  ::close(ends[0]);
  return cost;
}

}  // namespace petri::bench
