#include "developer/bench.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/escape.h"
#include "cli/command_error.h"
#include "cli/json.h"
#include "cli/nearest.h"

namespace petri::developer {
namespace {

constexpr std::size_t kNearest = 3;

std::string nearest_to(std::string_view word, const std::vector<bench::Benchmark>& benchmarks) {
  std::vector<std::string_view> names;
  for (const bench::Benchmark& benchmark : benchmarks) names.push_back(benchmark.name);
  return fmt::format("{}", fmt::join(cli::nearest_names(word, std::move(names), kNearest), ", "));
}

Result<std::vector<bench::Benchmark>> choose(const std::vector<bench::Benchmark>& all,
                                             const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<bench::Benchmark> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const bench::Benchmark& b) { return b.name == name; });
    if (found == all.end()) {
      return fail(ErrorCode::not_found, fmt::format("there is no benchmark \"{}\"; the nearest are {}; "
                                                    "`petri-dev bench --list` names all",
                                                    escape_text(name, 100), nearest_to(name, all)));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

std::optional<double> ratio_of(const bench::Measurement& measured) {
  if (!measured.reference || *measured.reference == 0) return std::nullopt;
  return measured.value / *measured.reference;
}

cli::Json number_or_null(std::optional<double> number) { return number ? cli::Json(*number) : cli::Json(nullptr); }

std::string number_text(std::optional<double> number) { return number ? fmt::format("{:.4g}", *number) : "-"; }

std::string spread_text(std::optional<double> spread) { return spread ? fmt::format("+-{:.1f}%", *spread * 100) : "-"; }

bool is_noisy(const bench::Measurement& measured) { return measured.value.spread.value_or(0) > kSpreadNoisy; }

// One row, in the columns of kHeader.
std::string row(std::string_view name, std::string_view value, std::string_view unit, std::string_view spread,
                std::string_view reference, std::string_view ratio, std::string_view bar) {
  const std::string text =
      fmt::format("{:<36} {:>12} {:<8} {:>8} {:>12} {:>8}  {}", name, value, unit, spread, reference, ratio, bar);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

cli::Json object_of(const bench::Benchmark& benchmark, const bench::Measurement& measured, bool verbose) {
  cli::Json object{{"name", benchmark.name},
                   {"value", measured.value.value},
                   {"unit", benchmark.unit},
                   {"spread", number_or_null(measured.value.spread)},
                   {"reference", number_or_null(measured.reference)},
                   {"ratio", number_or_null(ratio_of(measured))}};
  if (verbose) object["notes"] = measured.notes;
  return object;
}

void print(const bench::Benchmark& benchmark, const bench::Measurement& measured, const BenchOptions& options,
           cli::Console& console) {
  if (options.json) return console.out.write(cli::to_line(object_of(benchmark, measured, options.verbose)));
  console.out.write(row(benchmark.name, number_text(measured.value), benchmark.unit, spread_text(measured.value.spread),
                        number_text(measured.reference), number_text(ratio_of(measured)), benchmark.bar));
  if (!options.verbose) return;
  for (const std::string& note : measured.notes) console.out.write(fmt::format("    {}\n", note));
}

void list(const std::vector<bench::Benchmark>& benchmarks, bool json, cli::Console& console) {
  for (const bench::Benchmark& benchmark : benchmarks) {
    if (json) {
      console.out.write(cli::to_line(
          {{"name", benchmark.name}, {"unit", benchmark.unit}, {"what", benchmark.what}, {"bar", benchmark.bar}}));
    } else {
      console.out.write(
          fmt::format("{:<36} {}{}\n", benchmark.name, benchmark.what,
                      benchmark.bar.empty() ? "" : fmt::format(" ({} {})", benchmark.bar, benchmark.unit)));
    }
  }
}

// One that cannot be measured is reported and does not keep the others from being measured.
cli::ExitCode measure_all(const std::vector<bench::Benchmark>& benchmarks, const BenchOptions& options,
                          cli::Console& console) {
  cli::ExitCode code = cli::ExitCode::ok;
  std::vector<std::string_view> noisy;
  for (const bench::Benchmark& benchmark : benchmarks) {
    if (console.out.failed()) break;
    if (const auto measured = benchmark.measure()) {
      print(benchmark, *measured, options, console);
      if (is_noisy(*measured)) noisy.push_back(benchmark.name);
    } else {
      Error error = measured.error();
      error.message = fmt::format("{}: {}", benchmark.name, error.message);
      (void)cli::report_error(error, options.json, console);
      code = cli::ExitCode::host_failure;
    }
  }
  if (!noisy.empty()) {
    console.error.write(
        fmt::format("note: the machine is noisy: samples lie more than {:.0f} % apart in {}; measure "
                    "again when nothing else runs\n",
                    kSpreadNoisy * 100, fmt::join(noisy, ", ")));
  }
  return code;
}

}  // namespace

cli::ExitCode run_benchmarks(const std::vector<bench::Benchmark>& benchmarks, const BenchOptions& options,
                             cli::Console& console) {
  auto chosen = choose(benchmarks, options.names);
  if (!chosen) return cli::report_error(chosen.error(), options.json, console);
  if (options.list) {
    list(*chosen, options.json, console);
    return cli::ExitCode::ok;
  }
  if (options.names.empty()) std::erase_if(*chosen, [](const bench::Benchmark& one) { return one.only_when_named; });
  if (!options.json) console.out.write(row("name", "value", "unit", "spread", "reference", "ratio", "bar"));
  return measure_all(*chosen, options, console);
}

CLI::App* add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command = app.add_subcommand("bench", "Measures what things cost on this machine");
  // Names are what is left over: CLI11 would take "[a,b]" in a list of positionals apart, as deep as brackets go.
  command->allow_extras();
  command->add_flag("--list", options.list, "Only say what there is and what it measures");
  command->add_flag("--verbose", options.verbose, "Also what a value is made of, where it is made of many");
  command->add_flag("--json", options.json, "One JSON object a line: name, value, unit, spread, reference, ratio");
  command->footer(
      "Names of benchmarks may follow, petri-dev bench [OPTIONS] NAME...; without any, all are run\n"
      "but those that --list calls long.\n"
      "The spread is half the distance between the quartiles of what the value is the median of; above 10 % the\n"
      "machine is called noisy. The ratio is value / reference.\n\n"
      "Example: petri-dev bench prepare_us --json");
  return command;
}

cli::ExitCode execute(const BenchOptions& options, cli::Console& console) {
  return run_benchmarks(bench::benchmarks(), options, console);
}

}  // namespace petri::developer
