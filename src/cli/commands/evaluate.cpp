#include "cli/commands/evaluate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/commands/candidate_batch.h"
#include "cli/commands/evaluation_job.h"
#include "cli/commands/evaluation_summary.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/limit_options.h"
#include "cli/option_error.h"
#include "cli/progress_display.h"
#include "cli/value_options.h"
#include "evaluation/spec_check.h"
#include "petri/records.h"

namespace petri::cli {
namespace {

void set_instances(EvaluateOptions& options, const std::string& text) {
  for (const Instances instances : {Instances::per_candidate, Instances::per_case}) {
    if (name_of(instances) != text) continue;
    options.instances = instances;
    return;
  }
  throw OptionError("--instances", fmt::format("\"{}\" is neither per_candidate nor per_case", escape_text(text, 80)));
}

void set_scorer(EvaluateOptions& options, const std::string& text) {
  for (const Scorer scorer : {Scorer::squared_error, Scorer::exact, Scorer::tolerance, Scorer::metrics}) {
    if (name_of(scorer) == text) options.scorer = scorer;
  }
  if (options.scorer) return;
  throw OptionError("--scorer", fmt::format("\"{}\" is no scorer; there are squared_error, exact, tolerance, metrics",
                                            escape_text(text, 80)));
}

void set_tolerance(EvaluateOptions& options, const std::string& text) {
  const auto value = parse_value(text, ValueType::f64);
  if (!value) throw OptionError("--tolerance", value.error().message);
  options.tolerance = value->f64();
}

void set_metrics(EvaluateOptions& options, std::string_view text) {
  for (;;) {
    const std::size_t comma = text.find(',');
    options.metrics.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

void set_keep_output(EvaluateOptions& options, const std::string& text) {
  const auto bytes = parse_bytes(text);
  if (!bytes) throw OptionError("--keep-output", bytes.error().message);
  options.keep_output_bytes = *bytes;
}

void add_scorer_options(CLI::App& command, EvaluateOptions& options) {
  command
      .add_option_function<std::string>(
          "--scorer", [&](const std::string& text) { set_scorer(options, text); },
          "How a score follows from the cases (default: exact where an output is expected, else squared_error)")
      ->type_name("SCORER");
  command
      .add_option_function<std::string>(
          "--tolerance", [&](const std::string& text) { set_tolerance(options, text); },
          "How far numbers may be apart for the scorer tolerance (default 1e-6)")
      ->type_name("NUMBER");
  command
      .add_option_function<std::string>(
          "--metrics", [&](const std::string& text) { set_metrics(options, text); },
          "Names of the numbers that the harness returns, with commas between; the first is the score")
      ->type_name("NAME");
}

void add_spec_options(CLI::App& command, EvaluateOptions& options) {
  command
      .add_option("--function,--call", options.function,
                  "The exported function each candidate is called by, or of the harness")
      ->type_name("NAME")
      ->required();
  command.add_option("--harness", options.harness, "A module that is called instead; it imports from \"candidate\"")
      ->type_name("FILE");
  command.add_option("--cases", options.cases, "JSON: {\"cases\": [[1, 2], ...], \"targets\": [3, ...]}; - is stdin")
      ->type_name("FILE")
      ->required();
  command
      .add_option_function<std::string>(
          "--instances", [&](const std::string& text) { set_instances(options, text); },
          "A fresh instance per_candidate (default) or per_case")
      ->type_name("WHEN");
  command.add_flag("--all-cases", options.all_cases,
                   "Run the cases after the first that failed, too; without it a candidate stops there");
  add_scorer_options(command, options);
  add_seed_option(command, options.seed);
}

void add_work_options(CLI::App& command, EvaluateOptions& options) {
  add_tier_option(command, options.tier);
  add_count_option(command, options.workers,
                   {.name = "--workers", .about = "Threads (default: one a core)", .max = kWorkersMax});
  command
      .add_option("--records", options.records,
                  "Write one line a candidate, the same in every run and tier; compact when the name ends with "
                  ".records; -: stdout")
      ->type_name("FILE");
  command.add_flag("--append", options.append, "Continue the records file, if there is one");
  command.add_flag("--force", options.force, "Overwrite the records file, if there is one");
  command
      .add_option_function<std::string>(
          "--keep-output", [&](const std::string& text) { set_keep_output(options, text); },
          "Keep the first bytes of what each case writes in the records")
      ->type_name("SIZE");
  command.add_option("--timings", options.timings, "Write what differs from run to run: tier, time, cache")
      ->type_name("FILE");
  command.add_flag("--no-receipts", options.no_receipts, "Records without the hashes that bind them");
  add_count_option(command, options.top, {.name = "--top", .about = "How many of the best to show (default 5)"});
  command.add_flag("--quiet", options.quiet, "No progress on the terminal");
  command.add_flag("--json", options.json, "One JSON object on stdout: evaluation or error");
}

constexpr std::string_view kNoCompiler =
    "warning: there is no petri-compile-worker beside petri, so that hot candidates stayed interpreted; the records "
    "are "
    "the same\n";

// The error that ends an evaluation early, and who is to blame.
struct Failure {
  Error error;
  ExitCode code = ExitCode::host_failure;
};

struct Outputs {
  std::unique_ptr<RecordsWriter> records;
  std::unique_ptr<TimingsWriter> timings;
  std::size_t lines() const { return records ? records->records() : 0; }
};

Result<Outputs> make_outputs(const EvaluateOptions& options) {
  Outputs outputs;
  // Records come last: should the other file not be possible, those of an earlier run are still there.
  if (!options.timings.empty()) {
    PETRI_TRY(outputs.timings, TimingsWriter::create(options.timings));
  }
  if (!options.records.empty()) {
    PETRI_TRY(outputs.records,
              options.append ? RecordsWriter::append(options.records) : RecordsWriter::create(options.records));
  }
  return outputs;
}

Result<void> close(Outputs& outputs, std::size_t not_evaluated) {
  if (outputs.records) PETRI_TRY(outputs.records->close(not_evaluated));
  if (outputs.timings) PETRI_TRY(outputs.timings->close());
  return {};
}

// Adds the batches before to the progress of this one.
ProgressState progress_state(const EvaluationSummary& before, const Progress& progress) {
  ProgressState state{.done = before.counts.rows + progress.done, .total = before.candidates};
  for (std::size_t kind = 0; kind < before.outcomes.size(); ++kind) {
    state.kinds.emplace_back(name_of(static_cast<OutcomeKind>(kind)), before.outcomes[kind] + progress.outcomes[kind]);
  }
  std::size_t errors = progress.errors;
  for (const auto& [code, count] : before.errors) errors += count;
  state.kinds.emplace_back("errors", errors);
  return state;
}

// One invocation, batch by batch. Lives on the main thread; progress is drawn by whichever worker reports it.
class Session {
 public:
  Session(const EvaluateOptions& options, const EvaluationJob& job, Outputs& outputs, Console& console)
      : options_(options),
        job_(job),
        outputs_(outputs),
        display_(console.error, clock_,
                 console.error.is_terminal() && !options.json && !options.quiet ? ProgressDisplay::Shown::yes
                                                                                : ProgressDisplay::Shown::no) {
    summary_.candidates = job.files.paths.size();
    summary_.ignored_files = job.files.ignored;
  }

  // Nothing when it came to its end, or was interrupted.
  std::optional<Failure> run();

  const EvaluationSummary& summary() const { return summary_; }
  bool lacked_compiler() const { return evaluator_.statistics().compiling_unavailable; }
  bool interrupted() const { return interrupt_.signalled(); }

 private:
  std::optional<Failure> run_batches();
  std::optional<Failure> run_batch(const CandidateBatch& batch, std::span<const std::string> names);
  EvaluationOptions options_of_batch();

  const EvaluateOptions& options_;
  const EvaluationJob& job_;
  Outputs& outputs_;
  const SystemClock clock_;
  Interrupt interrupt_;  // before anything that has threads
  Evaluator evaluator_;
  ProgressDisplay display_;
  const ProgressTicker ticker_{display_};
  EvaluationSummary summary_;
};

std::optional<Failure> Session::run() {
  display_.show(progress_state(summary_, {}));
  std::optional<Failure> failure = run_batches();
  display_.clear();
  auto closed = close(outputs_, summary_.candidates - summary_.counts.rows);
  if (!closed && !failure) failure = Failure{.error = std::move(closed.error())};
  return failure;
}

std::optional<Failure> Session::run_batches() {
  std::span<const std::string> left = job_.files.paths;
  while (!left.empty() && !interrupt_.token().stop_requested()) {
    auto batch = CandidateBatch::read(left, interrupt_.token(), BatchSize::for_rows_of(job_.spec, job_.cases.size()));
    if (!batch) return Failure{.error = batch.error(), .code = exit_code_for(batch.error())};
    if (auto failure = run_batch(*batch, left)) return failure;
    left = left.subspan(batch->candidates().size());
  }
  return std::nullopt;
}

std::optional<Failure> Session::run_batch(const CandidateBatch& batch, std::span<const std::string> names) {
  const auto evaluation = evaluator_.evaluate(batch.candidates(), job_.cases, job_.spec, options_of_batch());
  // All that was given is checked by now, but for the file that is continued: what else fails here is the machine.
  if (!evaluation && options_.append)
    return Failure{.error = name_file(options_.records, evaluation.error()), .code = exit_code_for(evaluation.error())};
  if (!evaluation) return Failure{.error = evaluation.error()};
  add(summary_, *evaluation, names, options_.top);
  if (evaluation->write_error) return Failure{.error = *evaluation->write_error};
  return std::nullopt;
}

EvaluationOptions Session::options_of_batch() {
  EvaluationOptions options = evaluation_options(options_);
  options.on_progress = [this](const Progress& progress) {
    // The last report of an evaluation that was stopped counts what never ran.
    if (!interrupt_.token().stop_requested()) display_.show(progress_state(summary_, progress));
  };
  options.stop = interrupt_.token();
  options.records = outputs_.records.get();
  options.timings = outputs_.timings.get();
  return options;
}

// "stopped: 1,234 of 10,000 candidates done; their records are in out.jsonl"
std::string stopped_text(const EvaluationSummary& summary, const EvaluateOptions& options, std::size_t lines) {
  const std::size_t done = summary.counts.done();
  std::string text =
      fmt::format("stopped: {} of {} candidates done", format_count(done), format_count(summary.candidates));
  if (options.records.empty()) return text;
  const std::string which = lines == done && done > 0 ? "their records are"
                            : lines == 1              ? "1 record is"
                                                      : fmt::format("{} records are", format_count(lines));
  return text + fmt::format("; {} in {}", which, options.records == "-" ? "stdout" : file_title(options.records));
}

void print_json(const EvaluationSummary& summary, const std::optional<Failure>& failure, bool interrupted,
                Console& console) {
  Json object;
  if (failure) object["error"] = to_json(failure->error);
  object["evaluation"] = to_json(summary);
  object["evaluation"]["interrupted"] = interrupted;
  console.out.write(to_line(object));
}

Result<ExitCode> evaluate_files(const EvaluateOptions& options, Console& console) {
  if (options.json && options.records == "-") {
    return fail(ErrorCode::validation_failed,
                "--json and --records - would both write to stdout; name a file for the records");
  }
  PETRI_TRY(const EvaluationJob job, prepare_job(options));
  PETRI_TRY(Outputs outputs, make_outputs(options));
  Session session(options, job, outputs, console);
  const std::optional<Failure> failure = session.run();
  const EvaluationSummary& summary = session.summary();
  if (options.json) print_json(summary, failure, session.interrupted(), console);
  OutputStream& summary_stream = options.records == "-" ? console.error : console.out;
  if (!options.json && summary.counts.done() > 0) summary_stream.write(to_text(summary));
  if (failure && !options.json) (void)report_error(failure->error, false, console);
  if (failure || session.interrupted()) console.error.write(stopped_text(summary, options, outputs.lines()) + "\n");
  if (session.lacked_compiler()) console.error.write(kNoCompiler);
  if (failure) return failure->code;
  return session.interrupted() ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace

CLI::App* add_evaluate(CLI::App& app, EvaluateOptions& options) {
  CLI::App* command =
      app.add_subcommand("evaluate", "Calls a function of many .wat or .wasm files with every case, as records");
  // Candidates are what is left over: CLI11 would split "[a,b]" in a list of positionals.
  command->allow_extras();
  add_spec_options(*command, options);
  add_work_options(*command, options);
  for (const std::string_view limit : {"fuel_max", "memory_bytes_max", "execution_time_max", "call_depth_max",
                                       "output_bytes_max", "module_bytes_max"}) {
    add_limit_option(*command, options.limits, limit);
  }
  command->footer(
      "Candidates are files and folders, petri evaluate CANDIDATE... [OPTIONS]; of a folder all .wasm and .wat\n"
      "files in it are taken, in the order of their paths. Limits hold for each case. A candidate that fails is a\n"
      "row of the records and no failure of the command.\n\n"
      "Example: petri evaluate population --function f --cases cases.json --records out.jsonl");
  return command;
}

ExitCode execute(const EvaluateOptions& options, Console& console) {
  const auto code = evaluate_files(options, console);
  return code ? *code : report_error(code.error(), options.json, console);
}

}  // namespace petri::cli
