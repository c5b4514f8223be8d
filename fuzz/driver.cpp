// Runs a fuzz target without libFuzzer: random changes of its seeds, this many times, the same for the same seed.
//   fuzz_prepare --executions 1000000 --seed 7     all of them
//   fuzz_prepare --seconds 600 --seed 7            as many as there is time for
//   fuzz_prepare --only 123456 --seed 7            one of them again, to look at a failure
//   fuzz_prepare --only 123456 --seed 7 --print    its input
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>

#include "fuzz/mutation.h"
#include "fuzz/target.h"

namespace petri::fuzz {
namespace {

struct DriverOptions {
  std::uint64_t executions = 100'000;
  std::uint64_t seed = 1;
  std::optional<double> seconds;
  std::optional<std::uint64_t> only;
  bool print = false;
};

std::atomic<std::uint64_t> g_execution{0};

// Says which execution ended the process, with nothing but what a signal handler may use.
void tell_execution(int signal) {
  char digits[32];
  std::size_t size = 0;
  std::uint64_t number = g_execution.load();
  do {
    digits[size++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  constexpr std::string_view kWords = "\nthe fuzz target ended in execution ";
  (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
  while (size > 0) (void)!::write(STDERR_FILENO, &digits[--size], 1);
  (void)!::write(STDERR_FILENO, "; repeat it with --only\n", 24);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Each execution has a generator of its own, so that it can be repeated alone.
std::string input_of(const std::vector<std::string>& all, std::uint64_t seed, std::uint64_t execution) {
  std::mt19937_64 random(seed * 0x9e37'79b9'7f4a'7c15ULL + execution);
  return mutated(all, random);
}

void execute(const std::vector<std::string>& all, std::uint64_t seed, std::uint64_t execution) {
  g_execution.store(execution);
  const std::string input = input_of(all, seed, execution);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

void print(const std::string& input) { (void)!::write(STDOUT_FILENO, input.data(), input.size()); }

void run(const DriverOptions& options) {
  const std::vector<std::string> all = seeds();
  if (options.only && options.print) return print(input_of(all, options.seed, *options.only));
  if (options.only) return execute(all, options.seed, *options.only);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::uint64_t done = 0;
  for (; options.seconds ? passed() < *options.seconds : done < options.executions; ++done)
    execute(all, options.seed, done);
  fmt::print("{} executions from {} seeds, seed {}, {:.1f} s\n", done, all.size(), options.seed, passed());
}

}  // namespace
}  // namespace petri::fuzz

int main(int argc, char** argv) {
  petri::fuzz::DriverOptions options;
  CLI::App app{"Runs this fuzz target on random changes of its seeds."};
  app.add_option("--executions", options.executions, "How many");
  app.add_option("--seconds", options.seconds, "How long, instead of how many");
  app.add_option("--seed", options.seed, "Where chance starts");
  app.add_option("--only", options.only, "Only the execution of this number");
  app.add_flag("--print", options.print, "With --only: print that input instead of running it");
  CLI11_PARSE(app, argc, argv);
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(signal, petri::fuzz::tell_execution);
  petri::fuzz::run(options);
}
