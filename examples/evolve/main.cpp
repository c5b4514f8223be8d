#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>

#include "evolve/generations.h"
#include "evolve/options.h"
#include "evolve/run_text.h"
#include "evolve/screen.h"

namespace evolve {
namespace {

// As petri's own command ends.
enum class ExitCode : std::uint8_t { ok = 0, not_solved = 3, bad_input = 4, host_failure = 5, interrupted = 130 };

std::atomic<bool> ctrl_c{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// The second Ctrl-C ends the program at once.
void on_signal(int signal) {
  ctrl_c = true;
  std::signal(signal, SIG_DFL);
}

ExitCode report(const petri::Error& error) {
  fmt::print(stderr, "error: {}\n", error.message);
  return petri::category_of(error.code) == petri::ErrorCategory::system ? ExitCode::host_failure : ExitCode::bad_input;
}

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

// Reports a run while it continues: a picture on a terminal, a line for each better best elsewhere.
class Reporter {
 public:
  explicit Reporter(bool terminal) : terminal_(terminal) {}

  void on_generation(const Problem& problem, const Tally& tally) {
    if (terminal_) {
      if (screen_.is_due()) screen_.show(moment(problem, tally));
    } else if (problem.best() != nullptr && problem.best()->text != last_) {
      last_ = problem.best()->text;
      fmt::print("{}\n", milestone(problem, tally));
      std::fflush(stdout);
    }
  }

  void on_end(const Problem& problem, const GenerationsEnd& end, const std::string& records) {
    const bool shown = terminal_ && screen_.show(moment(problem, end.tally));
    if (!terminal_) fmt::print("outcomes: {}\n", outcomes_text(end.tally));
    if (!shown) {
      fmt::print("\n");
      print_lines(problem.picture());
    }
    fmt::print("\n{}\n", ending(problem, end));
    print_lines(problem.epilogue());
    print_lines(next_steps(records));
  }

 private:
  bool terminal_;
  Screen screen_;
  std::string last_;
};

ExitCode exit_code_of(const Options& options, Ending ending) {
  if (ending == Ending::interrupted) return ExitCode::interrupted;
  const bool has_goal = options.subject != Subject::bin_packing;
  return has_goal && ending == Ending::budget_spent ? ExitCode::not_solved : ExitCode::ok;
}

GenerationOptions generation_options(const Options& options, petri::RecordsWriter* records) {
  return {.budget = options.budget,
          .workers = options.workers,
          .records = records,
          .interrupted = [] { return ctrl_c.load(); },
          .on_generation = {}};
}

petri::Result<ExitCode> run_one(const Options& options) {
  PETRI_TRY(const auto problem, make_problem(options, options.seed));
  std::unique_ptr<petri::RecordsWriter> records;
  if (!options.records.empty()) {
    PETRI_TRY(records, petri::RecordsWriter::create(options.records));
  }
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  Reporter reporter(terminal);
  GenerationOptions generations = generation_options(options, records.get());
  if (!options.json) {
    if (!terminal) fmt::print("{}, seed {}\n", problem->title(), options.seed);
    generations.on_generation = [&](const Problem& current, const Tally& tally) {
      reporter.on_generation(current, tally);
    };
  }
  PETRI_TRY(const auto end, run_generations(*problem, generations));
  if (records) PETRI_TRY(records->close());
  if (options.json) {
    fmt::print("{}\n", to_json(*problem, {.seed = options.seed, .end = end}));
  } else {
    reporter.on_end(*problem, end, options.records);
  }
  return exit_code_of(options, end.ending);
}

// Several seeds, a line each, and how many were solved.
petri::Result<ExitCode> run_many(const Options& options) {
  std::size_t solved = 0;
  for (std::size_t i = 0; i < options.seeds; ++i) {
    const std::uint64_t seed = options.seed + i;
    PETRI_TRY(const auto problem, make_problem(options, seed));
    PETRI_TRY(const auto end, run_generations(*problem, generation_options(options, nullptr)));
    if (end.ending == Ending::interrupted) return ExitCode::interrupted;
    solved += end.ending == Ending::solved ? 1 : 0;
    const RunResult result{.seed = seed, .end = end};
    fmt::print("{}\n", options.json ? to_json(*problem, result) : to_line(*problem, result));
    std::fflush(stdout);
  }
  if (!options.json) fmt::print("solved {} of {}\n", solved, options.seeds);
  return solved == options.seeds || options.subject == Subject::bin_packing ? ExitCode::ok : ExitCode::not_solved;
}

ExitCode run(const std::vector<std::string>& arguments) {
  const auto command_line = parse_command_line(arguments);
  if (!command_line) return report(command_line.error());
  if (!command_line->options) {
    fmt::print("{}", command_line->help);
    return ExitCode::ok;
  }
  const Options& options = *command_line->options;
  const auto code = options.seeds > 1 ? run_many(options) : run_one(options);
  return code ? *code : report(code.error());
}

}  // namespace
}  // namespace evolve

int main(int argc, char** argv) {
  std::signal(SIGINT, evolve::on_signal);
  std::signal(SIGTERM, evolve::on_signal);
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(evolve::run(arguments));
  } catch (const std::exception& exception) {
    return static_cast<int>(evolve::report({.code = petri::ErrorCode::host_fault, .message = exception.what()}));
  }
}
