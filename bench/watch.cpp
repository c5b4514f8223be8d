#include "bench/watch.h"

#include <fmt/format.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "bench/stopwatch.h"
#include "petri/runtime.h"

namespace petri::bench {
namespace {

constexpr int kEdits = 15;
constexpr std::size_t kFilesWatched = 10'000;
constexpr std::size_t kFilesInAFolder = 100;
constexpr std::chrono::nanoseconds kIdle = std::chrono::seconds(3);

// Gone with everything in it.
class FolderOfBenchmark {
 public:
  FolderOfBenchmark() : path_((std::filesystem::temp_directory_path() / "petri_bench_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~FolderOfBenchmark() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  FolderOfBenchmark(const FolderOfBenchmark&) = delete;
  FolderOfBenchmark& operator=(const FolderOfBenchmark&) = delete;

  const std::string& path() const { return path_; }
  std::string save(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// Never the same twice, so that nothing is in a cache.
std::string saved_c(std::uint64_t number) {
  return fmt::format(
      "#include <math.h>\n#include <string.h>\n"
      "unsigned long long f(void) {{ return strlen(\"abc\") - 3 + (unsigned long long)floor(0.5) + {}ull; }}\n",
      number);
}
std::string saved_wat(std::uint64_t number) {
  return fmt::format("(module (func (export \"f\") (result i64) (i64.const {})))", number);
}

Result<std::uint64_t> answer_of_f(Sandbox& sandbox) {
  PETRI_TRY(const Outcome outcome, sandbox.call("f"));
  if (outcome.values.size() != 1) return fail(ErrorCode::engine_fault, "the guest gave no answer");
  return static_cast<std::uint64_t>(outcome.values[0].i64());
}

// From the save to the first answer of the new code, with the debounce that watches have by default.
Result<Measurement> measure_edits(const std::string& name, std::string (*source)(std::uint64_t)) {
  const FolderOfBenchmark folder;
  std::uint64_t number = static_cast<std::uint64_t>(wall_seconds() * 1e6);
  const std::string path = folder.save(name, source(number));
  PETRI_TRY(const auto runtime, Runtime::create({.workers = 2}));
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox({.id = "edited", .modules = {{"edited", Source::file(path)}}}));
  PETRI_TRY(runtime->watch("edited", {.folder = folder.path()}));
  PETRI_TRY(Subscription events, runtime->subscribe({.kinds = {EventKind::watch_reloaded, EventKind::watch_failed}}));
  std::vector<double> samples;
  for (int edit = 0; edit < kEdits; ++edit) {
    ++number;
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&]() -> Result<void> {
                folder.save(name, source(number));
                const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(30));
                PETRI_TRY(const std::uint64_t seen, answer_of_f(sandbox));
                if (event != nullptr && seen == number) return {};
                return fail(ErrorCode::engine_fault, "the edit does not run");
              }));
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3, .reference = std::nullopt};
}

double process_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Result<Measurement> measure_idle() {
  const FolderOfBenchmark folder;
  for (std::size_t file = 0; file < kFilesWatched; ++file) {
    const std::string below = fmt::format("d{}", file / kFilesInAFolder);
    if (file % kFilesInAFolder == 0) std::filesystem::create_directory(folder.path() + "/" + below);
    folder.save(fmt::format("{}/f{}.c", below, file), "int f(void) { return 1; }\n");
  }
  const std::string path = folder.save("idle.wat", saved_wat(1));
  PETRI_TRY(const auto runtime, Runtime::create({.workers = 2}));
  PETRI_TRY(runtime->create_sandbox({.id = "idle", .modules = {{"idle", Source::file(path)}}}));
  PETRI_TRY(runtime->watch("idle", {.folder = folder.path()}));
  PETRI_TRY(Subscription events, runtime->subscribe({.kinds = {EventKind::watch_reloaded, EventKind::watch_failed}}));
  const double before = process_seconds(), started = wall_seconds();
  const bool changed = events.wait_until(std::chrono::steady_clock::now() + kIdle) != nullptr;
  const double used = process_seconds() - before, passed = wall_seconds() - started;
  if (changed) return fail(ErrorCode::engine_fault, "a change was seen where nothing was saved");
  return Measurement{.value = 100 * used / passed, .reference = std::nullopt};
}

}  // namespace

Benchmark watch_c_ms() {
  return {.name = "watch_c_ms",
          .unit = "ms",
          .what = "a small C file is saved until its new code answers, 100 ms of debounce included; median of 15",
          .bar = "<= 250",
          .measure = [] { return measure_edits("edited.c", saved_c); }};
}

Benchmark watch_wat_ms() {
  return {.name = "watch_wat_ms", .unit = "ms", .what = "the same with a wat file", .bar = "<= 120", .measure = [] {
            return measure_edits("edited.wat", saved_wat);
          }};
}

Benchmark watch_idle_percent() {
  return {.name = "watch_idle_percent",
          .unit = "%",
          .what = "processor time of the process, of one core, while it watches 10,000 files that nobody changes",
          .bar = "< 1",
          .measure = measure_idle};
}

}  // namespace petri::bench
