#include "cli/verify.h"

#include <CLI/CLI.hpp>

#include "cli/interrupt.h"
#include "cli/progress_display.h"
#include "cli/report.h"
#include "cli/value_options.h"
#include "cli/verification_text.h"
#include "evaluation/spec_check.h"

namespace petri::cli {
namespace {

ExitCode exit_code_for(const Verification& verification) {
  if (verification.difference) return ExitCode::difference;
  return verification.cancelled ? ExitCode::interrupted : ExitCode::ok;
}

// What the first line says of how far the file can be compared.
Result<VerificationReport> begin_report(const std::string& file) {
  PETRI_TRY(const auto reader, RecordsReader::open(file));
  return VerificationReport{
      .file = file, .verification = {}, .scored_by = reader->header().scored_by, .receipts = reader->header().receipts};
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
       .on_progress = [&display](std::size_t done, std::size_t total) { display.show({.done = done, .total = total}); },
       .stop = interrupt.token()});
}

Result<ExitCode> verify_and_tell(const VerifyFileOptions& options, Console& console) {
  PETRI_TRY(VerificationReport report, begin_report(options.file));
  PETRI_TRY(report.verification, verify_file(options, console));
  console.out.write(options.json ? to_line({{"verification", to_json(report)}}) : to_text(report));
  return exit_code_for(report.verification);
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
  command->add_flag("--quiet", options.quiet, "No progress on the terminal");
  command->add_flag("--json", options.json, "One JSON object on stdout: verification or error");
  command->footer(
      "The first difference is told, with its line and field, and makes the exit code 6.\n\n"
      "Example: petri verify out.jsonl --tier compiled --sample 100");
  return command;
}

ExitCode execute(const VerifyFileOptions& options, Console& console) {
  const auto code = verify_and_tell(options, console);
  return code ? *code : report_error(code.error(), options.json, console);
}

}  // namespace petri::cli
