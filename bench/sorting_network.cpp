#include "bench/sorting_network.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/build_files.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr int kSeeds = 10;
constexpr std::size_t kNinth = 8;

// Runs a program with its standard output thrown away; its exit code, or -1 when it did not come to one.
int exit_code_of(const std::string& program, std::vector<std::string> arguments) {
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  arguments.insert(arguments.begin(), program);
  std::vector<char*> texts;
  for (std::string& argument : arguments) texts.push_back(argument.data());
  texts.push_back(nullptr);
  pid_t child = 0;
  int status = -1;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, texts.data(), environ);
  if (failed == 0) ::waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A records file that is gone afterwards.
class ScratchFile {
 public:
  ScratchFile() : path_(std::filesystem::temp_directory_path() / fmt::format("petri_bench_{}.jsonl", ::getpid())) {}
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Result<double> seconds_to_the_optimum(const std::string& evolve, int seed) {
  const ScratchFile records;
  return wall_seconds_of([&]() -> Result<void> {
    const int code = exit_code_of(
        evolve, {"sorting-network", "--inputs", "8", "--seed", std::to_string(seed), "--records", records.path()});
    if (code == 0) return {};
    return fail(ErrorCode::host_fault, fmt::format("evolve with seed {} ended with code {}", seed, code));
  });
}

Result<Measurement> measure_sorting_network() {
  PETRI_TRY(const auto evolve, program_beside("evolve"));
  std::vector<double> seconds;
  Measurement measurement;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    PETRI_TRY(const double taken, seconds_to_the_optimum(evolve.string(), seed));
    seconds.push_back(taken);
    measurement.notes.push_back(fmt::format("seed {}: {:.2f} s", seed, taken));
  }
  std::ranges::sort(seconds);
  measurement.value = seconds[kNinth];
  return measurement;
}

}  // namespace

Benchmark sorting_network_seconds() {
  return {.name = "sorting_network_seconds",
          .unit = "s",
          .what = "evolve, from random networks of 8 inputs to 19 comparators, records on: the ninth of ten seeds",
          .bar = "<= 10",
          .measure = measure_sorting_network};
}

}  // namespace petri::bench
