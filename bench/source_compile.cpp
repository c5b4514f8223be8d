#include "bench/source_compile.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "bench/stopwatch.h"
#include "compiling/live_workers.h"
#include "petri/compile.h"
#include "petri/host_functions.h"
#include "petri/run.h"

namespace petri::bench {
namespace {

// Sources that no cache has seen: each has a number of its own.
std::string c_source(std::size_t number) {
  return fmt::format(
      "#include <math.h>\n#include <string.h>\ndouble f(double x) {{ return sin(x) * {}.0 + (double)strlen(\"abc\"); "
      "}}\n",
      number);
}

std::string cpp_source(std::size_t number) {
  return fmt::format(R"(#include <algorithm>
#include <vector>
extern "C" double f(double x) {{
  std::vector<int> all;
  for (int i = 0; i < 50; ++i) all.push_back((i * 7919) % {});
  std::sort(all.begin(), all.end());
  return x + all.back();
}}
)",
                     number + 100);
}

// About 300 bytes.
std::string wat_source(std::size_t number) {
  return fmt::format(R"((module
  (func $twice (param $x f64) (result f64) local.get $x f64.const 2 f64.mul)
  (func (export "f") (param $x f64) (result f64) (local $y f64)
    local.get $x call $twice local.set $y
    (if (f64.gt (local.get $y) (f64.const {})) (then (local.set $y (f64.const 1))))
    local.get $y f64.const 3 f64.add))
)",
                     number);
}

std::size_t numbers = 0;
std::size_t next_number() { return numbers++ + static_cast<std::size_t>(wall_seconds() * 1e3) % 1'000'000 * 1'000; }

CompileOptions fresh() {
  CompileOptions options;
  options.cache = false;
  return options;
}

// From text to an answer.
Result<void> compile_and_run(const Source& source, const CompileOptions& options) {
  PETRI_TRY(const ArtifactPtr artifact, compile_module(source, options));
  PETRI_TRY(const Outcome outcome, run(artifact, HostFunctions(), {.function = "f", .arguments = {1.0}}));
  if (outcome.values.size() != 1) return fail(ErrorCode::engine_fault, "the module gave no answer");
  return {};
}

void kill_servers() {
  for (const WorkerIds& ids : live_workers()) {
    ::kill(ids.process, SIGKILL);
    siginfo_t how{};
    while (::waitid(P_PID, static_cast<id_t>(ids.process), &how, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
  }
}

Result<Measurement> measure_cold() {
  PETRI_TRY(compile_and_run(Source::code("c", c_source(next_number())), fresh()));
  std::vector<double> samples;
  for (int round = 0; round < 15; ++round) {
    kill_servers();
    PETRI_TRY(samples.emplace_back(),
              wall_seconds_of([] { return compile_and_run(Source::code("c", c_source(next_number())), fresh()); }));
  }
  return Measurement{.value = middle_of(std::move(samples)) * 1e3, .reference = std::nullopt};
}

Result<Measurement> measure_warm() {
  const Round once = [] { return compile_and_run(Source::code("c", c_source(next_number())), fresh()); };
  PETRI_TRY(once());
  PETRI_TRY(const Sampled seconds, median_seconds_of(50, once));
  return Measurement{.value = seconds * 1e3, .reference = std::nullopt};
}

// A cache of its own, gone with it.
class CacheOfBenchmark {
 public:
  CacheOfBenchmark() : path_((std::filesystem::temp_directory_path() / "petri_bench_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~CacheOfBenchmark() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  CacheOfBenchmark(const CacheOfBenchmark&) = delete;
  CacheOfBenchmark& operator=(const CacheOfBenchmark&) = delete;
  CompileOptions options() const {
    CompileOptions options;
    options.cache_folder = path_;
    return options;
  }

 private:
  std::string path_;
};

Result<Measurement> measure_cached() {
  const CacheOfBenchmark cache;
  const Source source = Source::code("c", c_source(next_number()));
  const Round once = [&] { return compile_and_run(source, cache.options()); };
  PETRI_TRY(once());
  PETRI_TRY(const Sampled seconds, median_seconds_of(200, once));
  return Measurement{.value = seconds * 1e3, .reference = std::nullopt};
}

Result<Measurement> measure_cpp() {
  const CacheOfBenchmark cache;
  const Round once = [&] { return compile_and_run(Source::code("cpp", cpp_source(next_number())), cache.options()); };
  PETRI_TRY(once());
  PETRI_TRY(const Sampled seconds, median_seconds_of(10, once));
  return Measurement{.value = seconds * 1e3, .reference = std::nullopt};
}

Result<Measurement> measure_wat() {
  const Round once = [] { return compile_and_run(Source::wat(wat_source(next_number() % 1'000)), {}); };
  PETRI_TRY(once());
  PETRI_TRY(const Sampled seconds, median_seconds_of(2'000, once));
  return Measurement{.value = seconds * 1e6, .reference = std::nullopt};
}

Result<Measurement> measure_many() {
  constexpr std::size_t kCandidates = 200;
  PETRI_TRY(compile_and_run(Source::code("c", c_source(next_number())), fresh()));
  const std::size_t first = next_number() + 500'000'000;
  std::atomic<std::size_t> next{0}, failed{0};
  const double started = wall_seconds();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&] {
      for (std::size_t index = next++; index < kCandidates; index = next++) {
        if (!compile_and_run(Source::code("c", c_source(first + index)), fresh())) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failed > 0) return fail(ErrorCode::engine_fault, fmt::format("{} candidates did not compile", failed.load()));
  return Measurement{.value = static_cast<double>(kCandidates) / (wall_seconds() - started), .reference = std::nullopt};
}

}  // namespace

Benchmark compile_c_cold_ms() {
  return {.name = "compile_c_cold_ms",
          .unit = "ms",
          .what =
              "a small C source to its first answer, jailed, with the compile servers started first; median of 15 "
              "(steady clock)",
          .bar = "<= 150",
          .measure = measure_cold};
}

Benchmark compile_c_warm_ms() {
  return {.name = "compile_c_warm_ms",
          .unit = "ms",
          .what = "the same on warm servers, without the cache; median of 50 (steady clock)",
          .bar = "<= 35",
          .measure = measure_warm};
}

Benchmark compile_cached_ms() {
  return {.name = "compile_cached_ms",
          .unit = "ms",
          .what = "the same source again, from the cache; median of 200 (steady clock)",
          .bar = "<= 1",
          .measure = measure_cached};
}

Benchmark compile_cpp_warm_ms() {
  return {.name = "compile_cpp_warm_ms",
          .unit = "ms",
          .what =
              "C++ with <vector> and <algorithm> from a precompiled header, never the same twice; median of 10 (steady "
              "clock)",
          .bar = "<= 400",
          .measure = measure_cpp};
}

Benchmark compile_wat_us() {
  return {.name = "compile_wat_us",
          .unit = "us",
          .what = "300 bytes of wat to their first answer; median of 2000 (steady clock)",
          .bar = "<= 40",
          .measure = measure_wat};
}

Benchmark compile_c_per_second() {
  return {
      .name = "compile_c_per_second",
      .unit = "1/s",
      .what = "200 distinct C candidates to their first answers on two threads, warm, without the cache (steady clock)",
      .bar = ">= 60",
      .measure = measure_many};
}

}  // namespace petri::bench
