#include "bench/host_costs/host_cost.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "petri/runtime.h"

namespace petri::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kDeadline = 5ms;
constexpr int kFiles = 5'000;
constexpr int kAttemptsMax = 5;

// How often the kernel has taken the processor away from this thread: such a delay is the machine's.
long interruptions() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

// Limits so wide that lengths are the guest's to choose.
SandboxSpec spec_of(const HostCostCase& one, const HostCostOptions& options) {
  SandboxSpec spec{.id = "host-cost", .modules = {{"m", Source::wat(guest_of(one))}}};
  spec.tree = SupervisorSpec{.children = {}};
  for (const char* name : {"a", "b"}) {
    spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "m", .shutdown = Shutdown::brutal()});
  }
  spec.profile = Profile::trusted;
  spec.tier = Tier::compiled;
  spec.folder = options.folder;
  spec.limits = {.memory_bytes_max = std::uint64_t{512} << 20,
                 .file_bytes_max = 64 << 20,
                 .files_max = 100'000,
                 .disk_bytes_max = std::uint64_t{1} << 30,
                 .output_bytes_max = 32 << 20,
                 .process_memory_bytes_max = std::uint64_t{512} << 20,
                 .message_bytes_max = 32 << 20};
  for (int i = 0; i < 1'000; ++i) {
    spec.arguments.push_back(fmt::format("argument-{}", i));
    spec.environment[fmt::format("NAME_{}", i)] = "value";
  }
  return spec;
}

struct Trial {
  double ns_per_fuel = 0;
  double late_ms = 0;
  bool disturbed = false;
};

// One guest that is ended by its deadline, or by itself.
Result<Trial> try_once(Runtime& runtime, const HostCostCase& one, const HostCostOptions& options) {
  PETRI_TRY(Sandbox sandbox, runtime.create_sandbox(spec_of(one, options)));
  PETRI_TRY(const Outcome ready, sandbox.call("ready", {}, {.process = "a"}));
  if (ready.kind != OutcomeKind::ok) return fail(ErrorCode::engine_fault, "a guest could not be prepared: " + one.name);
  PETRI_TRY(sandbox.update_limits({.execution_time_max = kDeadline}));
  const std::string input(std::size_t{16} << 20, 'x');
  const long before = interruptions();
  PETRI_TRY(const Outcome end, sandbox.call(one.ends_the_guest ? "once" : "go", {}, {.process = "a", .input = input}));
  const double wall_ns = static_cast<double>(end.wall_time.count());
  Trial trial{.ns_per_fuel = wall_ns / static_cast<double>(std::max<std::uint64_t>(end.fuel_used, 1)),
              .late_ms = one.ends_the_guest ? 0 : (wall_ns - static_cast<double>(kDeadline.count())) / 1e6,
              .disturbed = interruptions() != before};
  PETRI_TRY(runtime.destroy("host-cost"));
  return trial;
}

Result<Trial> try_undisturbed(Runtime& runtime, const HostCostCase& one, const HostCostOptions& options) {
  PETRI_TRY(Trial best, try_once(runtime, one, options));
  for (int attempt = 1; best.disturbed && attempt < kAttemptsMax; ++attempt) {
    PETRI_TRY(const Trial trial, try_once(runtime, one, options));
    if (!trial.disturbed || trial.late_ms < best.late_ms) best = trial;
  }
  return best;
}

// The most that one call takes from the heap, over what it was given.
Result<std::optional<double>> memory_of(Runtime& runtime, const HostCostCase& one, const HostCostOptions& options) {
  constexpr std::uint64_t kWorthDividing = std::uint64_t{1} << 20;
  if (!options.heap.begin || one.bytes < kWorthDividing || one.ends_the_guest) return std::optional<double>();
  PETRI_TRY(Sandbox sandbox, runtime.create_sandbox(spec_of(one, options)));
  PETRI_TRY(sandbox.call("ready", {}, {.process = "a"}));
  const std::string input(std::size_t{16} << 20, 'x');
  options.heap.begin();
  PETRI_TRY(sandbox.call("once", {}, {.process = "a", .input = input}));
  // The input is the caller's, not the function's.
  const std::uint64_t grown = options.heap.grown_bytes();
  PETRI_TRY(runtime.destroy("host-cost"));
  return std::optional(static_cast<double>(grown - std::min<std::uint64_t>(grown, input.size())) /
                       static_cast<double>(one.bytes));
}

}  // namespace

Result<HostCost> measure_host_cost(const HostCostCase& one, const HostCostOptions& options) {
  RuntimeOptions runtime_options{.workers = 2};
  runtime_options.quarantine.limits_max = 0;
  runtime_options.breaker.limits_max = 0;
  PETRI_TRY(const std::unique_ptr<Runtime> runtime, Runtime::create(runtime_options));
  std::vector<double> rates;
  HostCost cost;
  for (int run = 0; run < options.runs; ++run) {
    PETRI_TRY(const Trial trial, try_undisturbed(*runtime, one, options));
    rates.push_back(trial.ns_per_fuel);
    cost.look_ms = std::max(cost.look_ms, trial.late_ms);
  }
  std::ranges::sort(rates);
  cost.ns_per_fuel = rates[rates.size() / 2];
  PETRI_TRY(cost.host_bytes_per_byte, memory_of(*runtime, one, options));
  return cost;
}

CrowdedFolder::CrowdedFolder()
    : path_((fs::temp_directory_path() / fmt::format("petri-host-costs-{}", ::getpid())).string()) {
  fs::create_directories(path_);
  for (int i = 0; i < kFiles; ++i) std::ofstream(fs::path(path_) / fmt::format("a-file-among-many-{}", i));
}

CrowdedFolder::~CrowdedFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace petri::bench
