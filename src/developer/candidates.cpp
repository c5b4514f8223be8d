#include "developer/candidates.h"

#include <CLI/CLI.hpp>

#include "base/text/byte_text.h"
#include "bench/evaluation_job.h"
#include "bench/mix/mixed_program.h"
#include "cli/command_error.h"
#include "cli/json.h"
#include "cli/value_options.h"

namespace petri::developer {
namespace {

// The sum of squared errors, as an evaluation adds it up.
double score_of(const bench::mix::MixedProgram& program) {
  const std::vector<Case> cases = bench::polynomial_cases();
  const std::vector<double> targets = bench::polynomial_spec().targets;
  double sum = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double error = bench::mix::value_of(program, cases[i].arguments.front().f64()) - targets[i];
    sum += error * error;
  }
  return sum;
}

}  // namespace

CLI::App* add_candidates(CLI::App& app, CandidatesOptions& options) {
  CLI::App* command = app.add_subcommand("candidates", "Prints programs of the mix that benchmarks evaluate");
  cli::add_count_option(*command, options.first, {.name = "FIRST", .about = "The number of the first"});
  cli::add_count_option(*command, options.count, {.name = "COUNT", .about = "How many"});
  for (const char* name : {"FIRST", "COUNT"}) command->get_option(name)->type_name("")->required();
  command->footer(
      "One JSON object a line: number, shape, wasm in hexadecimal digits, the same program in Python and JavaScript,\n"
      "and the score it gets.\n\n"
      "Example: petri-dev candidates 0 6");
  return command;
}

cli::ExitCode execute(const CandidatesOptions& options, cli::Console& console) {
  WasmBuilder builder;
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t i = 0; i < options.count && !console.out.failed(); ++i) {
    const std::uint64_t number = options.first + i;
    const bench::mix::MixedProgram program = bench::mix::draw_program(bench::mix::kMixSeed, number);
    const auto built = bench::mix::build_program(program, builder, bytes);
    if (!built) return cli::report_error(built.error(), false, console);
    console.out.write(cli::to_line({{"number", number},
                                    {"shape", bench::mix::name_of(program.shape)},
                                    {"wasm", to_hex(bytes)},
                                    {"python", bench::mix::python_of(program)},
                                    {"javascript", bench::mix::javascript_of(program)},
                                    {"score", score_of(program)}}));
  }
  return cli::ExitCode::ok;
}

}  // namespace petri::developer
