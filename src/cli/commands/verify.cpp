#include "cli/commands/verify.h"

#include <CLI/CLI.hpp>

#include "base/assert.h"
#include "cli/command_error.h"
#include "cli/commands/verification_text.h"
#include "cli/interrupt.h"
#include "cli/option_error.h"
#include "cli/progress_display.h"
#include "cli/value_options.h"
#include "evaluation/spec_check.h"
#include "petri/limits.h"

namespace petri::cli {
namespace {

ExitCode exit_code_of(VerificationVerdict verdict) {
  switch (verdict) {
    case VerificationVerdict::verified: return ExitCode::ok;
    case VerificationVerdict::incomplete: return ExitCode::incomplete;
    case VerificationVerdict::different: return ExitCode::difference;
    case VerificationVerdict::stopped: return ExitCode::interrupted;
  }
  PETRI_UNREACHABLE();
}

struct LimitOption {
  const char* name;
  std::string_view rule;  // whose range and spelling it has
  const char* placeholder;
  const char* about;
};

void add_limit_option(CLI::App& command, const LimitOption& option, const std::function<void(std::uint64_t)>& set) {
  const LimitRule* const rule = limit_named(option.rule);
  PETRI_ASSERT(rule != nullptr);
  command
      .add_option_function<std::string>(
          option.name,
          [rule, option, set](const std::string& text) {
            const auto value = parse_limit(*rule, text);
            if (!value) throw OptionError(option.name, value.error().message);
            set(*value);
          },
          option.about)
      ->type_name(option.placeholder);
}

void add_limit_options(CLI::App& command, VerifyLimits& limits) {
  add_limit_option(command,
                   {"--fuel-max", "fuel_max", "N", "A row that needs more for a case is not run (default 1e9)"},
                   [&limits](std::uint64_t value) { limits.fuel_max = value; });
  add_limit_option(command,
                   {"--memory-max", "memory_bytes_max", "SIZE", "A row that needs more is not run (default 256MiB)"},
                   [&limits](std::uint64_t value) { limits.memory_bytes_max = value; });
  add_limit_option(command,
                   {"--time-max", "execution_time_max", "TIME", "A row that takes longer is given up (default 1m)"},
                   [&limits](std::uint64_t value) { limits.time_max = std::chrono::nanoseconds(value); });
}

// Starts a report with what the first line says of how far the file can be compared.
Result<VerificationReport> begin_report(const VerifyFileOptions& options) {
  PETRI_TRY(const auto reader, RecordsReader::open(options.file, options.limits.bounds()));
  return VerificationReport{.file = options.file,
                            .verification = {},
                            .scored_by = reader->header().scored_by,
                            .receipts = reader->header().receipts};
}

Result<Verification> verify_file(const VerifyFileOptions& options, Console& console) {
  const bool shown = console.error.is_terminal() && !options.json && !options.quiet;
  const SystemClock clock;
  const Interrupt interrupt;
  ProgressDisplay display(console.error, clock, shown ? ProgressDisplay::Shown::yes : ProgressDisplay::Shown::no);
  const ProgressTicker ticker(display);
  return petri::verify(
      options.file, {},
      {.tier = options.tier,
       .workers = static_cast<unsigned>(options.workers),
       .sample = options.sample,
       .sample_seed = options.sample_seed,
       .limits = options.limits,
       .on_progress = [&display](std::size_t done, std::size_t total) { display.show({.done = done, .total = total}); },
       .stop = interrupt.token()});
}

Result<ExitCode> verify_and_tell(const VerifyFileOptions& options, Console& console) {
  PETRI_TRY(Verification verification, verify_file(options, console));
  PETRI_TRY(VerificationReport report, begin_report(options));
  report.verification = std::move(verification);
  console.out.write(options.json ? to_line({{"verification", to_json(report)}}) : to_text(report));
  return exit_code_of(report.verification.verdict());
}

}  // namespace

CLI::App* add_verify(CLI::App& app, VerifyFileOptions& options) {
  CLI::App* command = app.add_subcommand("verify", "Runs the candidates of a records file again and compares");
  command->add_option("FILE", options.file, "What petri evaluate --records wrote")->type_name("")->required();
  add_tier_option(*command, options.tier);
  add_count_option(*command, options.sample, {.name = "--sample", .about = "Only so many rows, chosen by chance"});
  add_count_option(*command, options.sample_seed,
                   {.name = "--sample-seed", .about = "Where that chance starts (default 0)"});
  add_count_option(*command, options.workers,
                   {.name = "--workers", .about = "Threads (default: one a core)", .max = kWorkersMax});
  add_limit_options(*command, options.limits);
  command->add_flag("--quiet", options.quiet, "No progress on the terminal");
  command->add_flag("--json", options.json, "One JSON object on stdout: verification or error");
  command->footer(
      "The first difference is printed, with its line and field, and makes the exit code 6. Where there is none, but "
      "not\n"
      "everything could be compared or the file has no final line, the verdict is incomplete and the exit code 7.\n"
      "The limits hold whatever the file says.\n\n"
      "Example: petri verify out.jsonl --tier compiled --sample 100");
  return command;
}

ExitCode execute(const VerifyFileOptions& options, Console& console) {
  const auto code = verify_and_tell(options, console);
  return code ? *code : report_error(code.error(), options.json, console);
}

}  // namespace petri::cli
