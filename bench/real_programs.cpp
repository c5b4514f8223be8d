#include "bench/real_programs.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "base/text/byte_text.h"
#include "bench/build_files.h"
#include "bench/stopwatch.h"
#include "petri/host_functions.h"
#include "petri/run.h"

namespace petri::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRounds = 9;
constexpr std::uint64_t kCorpusBytesMax = 100ULL << 20;

// build/corpus, beside the folder of the build that this program is in.
Result<fs::path> corpus_path(std::string_view name) {
  PETRI_TRY(const fs::path program, program_beside("petri-dev"));
  const fs::path path = program.parent_path().parent_path().parent_path() / "corpus" / name;
  std::error_code failed;
  if (fs::exists(path, failed)) return path;
  return fail(ErrorCode::io_error, fmt::format("{} is not there; `make corpus` makes it", path.string()));
}

Result<std::string> read_module(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return fail(ErrorCode::io_error, fmt::format("{} cannot be read", path.string()));
  return bytes;
}

// From the file to the first bytes that the program writes.
Result<double> seconds_to_first_output(const fs::path& path) {
  const double start = wall_seconds();
  std::optional<double> first;
  PETRI_TRY(const std::string wasm, read_module(path));
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wasm(as_bytes(wasm), kCorpusBytesMax, ModuleBounds::program));
  RunSpec spec{.function = "_start", .limits = {.module_bytes_max = kCorpusBytesMax}};
  spec.on_stdout = [&](std::string_view) {
    if (!first) first = wall_seconds();
  };
  PETRI_TRY(const Outcome outcome, run(artifact, HostFunctions(), spec));
  if (first) return *first - start;
  return fail(ErrorCode::engine_fault, fmt::format("the program wrote nothing: {}", name_of(outcome.kind)));
}

Result<Measurement> measure_go() {
  PETRI_TRY(const fs::path path, corpus_path("programs/go/main.wasm"));
  std::vector<double> samples;
  for (std::size_t round = 0; round < kRounds; ++round) {
    PETRI_TRY(const double seconds, seconds_to_first_output(path));
    samples.push_back(seconds);
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3};
}

struct ClosePipe {
  void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

// From the start of a process to the first line of its output.
Result<double> seconds_to_first_line(const std::string& command, std::string_view wanted) {
  const double start = wall_seconds();
  const std::unique_ptr<std::FILE, ClosePipe> pipe(::popen(command.c_str(), "re"));
  if (pipe == nullptr) return fail(ErrorCode::host_fault, "no process can be started");
  char line[64] = {};
  const bool read = std::fgets(line, sizeof(line), pipe.get()) != nullptr;
  const double seconds = wall_seconds() - start;
  if (read && line == wanted) return seconds;
  return fail(ErrorCode::engine_fault, fmt::format("\"{}\" printed something else", command));
}

Result<Measurement> measure_python() {
  PETRI_TRY(const fs::path module, corpus_path("modules/@antonz+python-wasi-3.12.0/dist+python.wasm"));
  PETRI_TRY(const fs::path petri, program_beside("petri"));
  PETRI_TRY(const fs::path corpus, corpus_path(""));
  const std::string command = fmt::format(
      "echo 'print(1)' | exec '{}' run '{}' --input - --quiet --tier compiled --compile-time-max 5min --code-cache "
      "'{}' "
      "--allow log,clock,random,file_read,file_write",
      petri.string(), module.string(), (corpus / "code").string());
  PETRI_TRY(seconds_to_first_line(command, "1\n"));  // compiles it, the first time
  std::vector<double> samples;
  for (std::size_t round = 0; round < kRounds; ++round) {
    PETRI_TRY(const double seconds, seconds_to_first_line(command, "1\n"));
    samples.push_back(seconds);
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3};
}

Result<Measurement> measure_corpus() {
  PETRI_TRY(const fs::path folder, corpus_path("modules"));
  Measurement measurement;
  double accepted = 0, counted = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".wasm") continue;
    PETRI_TRY(const std::string wasm, read_module(entry.path()));
    const auto artifact = Artifact::from_wasm(as_bytes(wasm), kCorpusBytesMax, ModuleBounds::program);
    if (!artifact && artifact.error().message.starts_with("the module uses ")) continue;
    counted += 1;
    accepted += artifact ? 1 : 0;
    if (!artifact)
      measurement.notes.push_back(fmt::format("{}: {}", entry.path().filename().string(), artifact.error().message));
  }
  if (counted == 0) return fail(ErrorCode::io_error, "there is no module in build/corpus; `make corpus` fetches them");
  measurement.value = 100 * accepted / counted;
  return measurement;
}

}  // namespace

Benchmark load_program_interpreted_ms() {
  return {.name = "load_program_interpreted_ms",
          .unit = "ms",
          .what = "a Go program of 2 MB from its file to its first output, interpreted; needs `make corpus`",
          .bar = "<= 250",
          .measure = measure_go};
}

Benchmark start_program_cached_ms() {
  return {.name = "start_program_cached_ms",
          .unit = "ms",
          .what =
              "CPython from the start of `petri run` to the output of print(1), its machine code on disk; needs "
              "`make corpus`",
          .bar = "<= 200",
          .measure = measure_python};
}

Benchmark corpus_accepted_percent() {
  return {.name = "corpus_accepted_percent",
          .unit = "%",
          .what = "of the modules of `make corpus` that use accepted features, those that pass the gate",
          .bar = ">= 95",
          .measure = measure_corpus};
}

}  // namespace petri::bench
