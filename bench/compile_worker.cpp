#include "bench/compile_worker.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "bench/loaded_module.h"
#include "bench/small_module.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "compiling/live_workers.h"
#include "engine/loadable_artifact.h"

namespace petri::bench {
namespace {

constexpr std::size_t kLoads = 500;
constexpr std::size_t kStarts = 15;

// One module nobody has seen, to compiled code; the gate is not counted.
Result<double> load_seconds(SmallModule& modules, std::uint64_t number, const MachineCodeOptions& compile) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wasm(modules.numbered(number), kModuleBytesMax));
  return wall_seconds_of([&]() -> Result<void> {
    PETRI_TRY(loadable(*artifact).load(Tier::compiled, {}, {.compile = compile, .stop = {}}));
    return {};
  });
}

Result<Measurement> measure_load() {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  std::vector<double> worker, here;
  for (std::uint64_t number = 0; number < 2 * kLoads; number += 2) {
    PETRI_TRY(worker.emplace_back(), load_seconds(modules, number, {}));
    PETRI_TRY(here.emplace_back(), load_seconds(modules, number + 1, {.in_process = true}));
  }
  return Measurement{.value = middle_of(std::move(worker)) * 1e6, .reference = median(std::move(here)) * 1e6};
}

// The process that started it finds that it has ended.
void kill_and_wait(pid_t process) {
  ::kill(process, SIGKILL);
  siginfo_t how{};
  while (::waitid(P_PID, static_cast<id_t>(process), &how, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
}

// The first load after all workers were killed.
Result<Measurement> measure_start() {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  std::vector<double> samples;
  for (std::uint64_t number = 0; number < kStarts; ++number) {
    for (const WorkerIds& ids : live_workers()) kill_and_wait(ids.process);
    PETRI_TRY(samples.emplace_back(), load_seconds(modules, number, {}));
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3, .reference = std::nullopt};
}

}  // namespace

Benchmark worker_load_us() {
  return {.name = "worker_load_us",
          .unit = "us",
          .what =
              "load a distinct module of about 100 bytes compiled, in the worker; median of 500; reference: in this "
              "process (steady clock)",
          .bar = "<= 1500",
          .measure = measure_load};
}

Benchmark worker_start_ms() {
  return {.name = "worker_start_ms",
          .unit = "ms",
          .what = "the same when the worker has to be started first; median of 15 (steady clock)",
          .bar = "<= 100",
          .measure = measure_start};
}

}  // namespace petri::bench
