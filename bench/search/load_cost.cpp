#include "bench/search/load_cost.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "bench/loaded_module.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "engine/loadable_artifact.h"

namespace petri::bench {
namespace {

constexpr std::array<std::string_view, kStages> kStageNames{"refuse", "interpreted", "compiled", "scan"};
constexpr std::uint32_t kScanFindingsMax = 1'000;
constexpr std::uint64_t kInstanceBytesMax = 256ULL << 20;

Result<void> load_and_instantiate(const Bytes& wasm, Tier tier) {
  PETRI_TRY(const LoadedModule module, load_module(wasm, tier));
  PETRI_TRY(const Instantiated made, module.code->instantiate({}, kInstanceBytesMax));
  return {};
}

Result<void> scan_once(const Bytes& wasm) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wasm(wasm, kModuleBytesMax));
  PETRI_TRY(const ScanReport report, loadable(*artifact).scan(kScanFindingsMax));
  return {};
}

Result<void> load_once(const Bytes& wasm, Stage stage) {
  switch (stage) {
    case Stage::refuse: break;
    case Stage::interpreted: return load_and_instantiate(wasm, Tier::interpreted);
    case Stage::compiled: return load_and_instantiate(wasm, Tier::compiled);
    case Stage::scan: return scan_once(wasm);
  }
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wasm(wasm, kModuleBytesMax));
  return {};
}

LoadCost measure_load(const Bytes& wasm, Stage stage, int times) {
  LoadCost cost;
  std::vector<double> samples;
  for (int i = 0; i < times; ++i) {
    const double start = thread_seconds();  // the process has a limit
    const bool accepted = load_once(wasm, stage).has_value();
    samples.push_back(thread_seconds() - start);
    cost.end = accepted ? LoadCost::End::accepted : LoadCost::End::refused;
  }
  cost.seconds = median(std::move(samples));
  return cost;
}

[[noreturn]] void measure_in_child(const Bytes& wasm, Stage stage, int times, unsigned seconds_max, int out) {
  const rlimit limit{.rlim_cur = seconds_max, .rlim_max = seconds_max + 1};
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CPU, &limit);
  ::setrlimit(RLIMIT_CORE, &no_core);
  const LoadCost cost = measure_load(wasm, stage, times);
  const bool complete = ::write(out, &cost, sizeof cost) == sizeof cost;
  ::_exit(complete ? 0 : 1);
}

// The cost that the child has reported, or how it ended without a report.
LoadCost read_cost(int in, pid_t child, unsigned seconds_max) {
  LoadCost cost;
  const bool complete = ::read(in, &cost, sizeof cost) == sizeof cost;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (complete) return cost;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const bool late = signal == SIGXCPU || signal == SIGKILL;
  return {.end = late ? LoadCost::End::gave_up : LoadCost::End::crashed, .seconds = static_cast<double>(seconds_max)};
}

}  // namespace

std::string_view name_of(Stage stage) { return kStageNames[static_cast<std::size_t>(stage)]; }

std::optional<Stage> stage_from_name(std::string_view name) {
  const auto found = std::find(kStageNames.begin(), kStageNames.end(), name);
  if (found == kStageNames.end()) return std::nullopt;
  return static_cast<Stage>(found - kStageNames.begin());
}

Result<LoadCost> load_cost(const Bytes& wasm, Stage stage, int times, unsigned seconds_max) {
  // The parts that an engine creates once are created here, not in every child.
  static const Bytes empty = ModuleWriter().finish();
  PETRI_TRY(load_once(empty, stage));
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return fail(ErrorCode::io_error, "no pipe to a process that measures");
  const pid_t child = ::fork();
  if (child < 0) return fail(ErrorCode::io_error, "no process that measures");
  if (child == 0) measure_in_child(wasm, stage, times, seconds_max, ends[1]);
  ::close(ends[1]);
  const LoadCost cost = read_cost(ends[0], child, seconds_max);
  ::close(ends[0]);
  return cost;
}

}  // namespace petri::bench
