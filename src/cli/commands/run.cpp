#include "cli/commands/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/commands/function_choice.h"
#include "cli/guest_output.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/limit_options.h"
#include "cli/option_error.h"
#include "cli/outcome_text.h"
#include "cli/permission_option.h"
#include "cli/value_options.h"
#include "petri/run.h"

namespace petri::cli {
namespace {

// More input than a guest can be asked to read; the bytes are held in memory until the run ends.
constexpr std::uint64_t kInputBytesMax = 256ULL << 20;

// How long a reader of stderr is waited for once the guest's time is over.
constexpr auto kSummaryWait = std::chrono::seconds(1);

void set_environment(RunOptions& options, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw OptionError("--env",
                        fmt::format("\"{}\" is not of the form NAME=VALUE", escape_text(text, kWordShownBytesMax)));
    }
    options.environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
}

void add_call_options(CLI::App& command, RunOptions& options) {
  command
      .add_option("--call,--function", options.function,
                  "The exported function; without it _start, or the only one there is")
      ->type_name("NAME");
  command.add_option("--args", options.arguments, "Its arguments, numbers in the types of its parameters")
      ->type_name("NUMBER")
      ->allow_extra_args(false);
  command.add_option("--input", options.input, "Bytes for input_read and for WASI's stdin; - is stdin")
      ->type_name("FILE");
  add_tier_option(command, options.tier);
  add_compile_options(command, options.compile);
  add_code_cache_option(command, options.compile);
}

void add_world_options(CLI::App& command, RunOptions& options) {
  add_permission_option(command, options.permissions);
  command.add_option("--folder", options.folder, "The one folder whose files WASI shows; without it there are none")
      ->type_name("DIR");
  command
      .add_option_function<std::vector<std::string>>(
          "--env", [&](const std::vector<std::string>& texts) { set_environment(options, texts); },
          "An environment variable for WASI; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_seed_option(command, options.seed);
  command.add_flag("--deterministic", options.deterministic, "Virtual time: the clock follows fuel, not the wall");
}

Result<RunSpec> make_spec(const RunOptions& options, const Artifact& artifact) {
  RunSpec spec{.limits = options.limits,
               .permissions = options.permissions,
               .tier = options.tier,
               .seed = options.seed,
               .deterministic = options.deterministic,
               .folder = options.folder,
               .program_arguments = options.program_arguments,
               .environment = options.environment,
               .compile = options.compile};
  PETRI_TRY(const ExportInfo* function, name_file(options.file, choose_function(artifact, options.function)));
  PETRI_TRY(spec.arguments, parse_arguments(*function, options.arguments));
  spec.function = function->name;
  if (options.input) {
    PETRI_TRY(spec.input, read_input(*options.input, kInputBytesMax));
  }
  return spec;
}

using TimePoint = std::chrono::steady_clock::time_point;
using GiveUp = std::function<bool()>;

GiveUp give_up_after(TimePoint end, const Interrupt& interrupt) {
  return [end, &interrupt] { return interrupt.token().stop_requested() || std::chrono::steady_clock::now() > end; };
}

// Lets the guest's words through while it runs. A reader that went away stops the guest; one that is slow is waited for
// until the guest's own time is over.
void connect(RunSpec& spec, bool json, Console& console, Interrupt& interrupt, TimePoint end) {
  const GiveUp give_up = give_up_after(end, interrupt);
  spec.on_log = [give_up, &console](LogLevel level, std::string_view text) {
    console.error.write(log_line(level, text), give_up);
  };
  spec.on_stderr = [give_up, &console](std::string_view bytes) { console.error.write(bytes, give_up); };
  if (json) return;  // stdout is kept for the one object, which holds the output
  spec.on_stdout = [give_up, &console, &interrupt](std::string_view bytes) {
    console.out.write(bytes, give_up);
    if (console.out.failed()) interrupt.stop();
  };
}

// Words of ours begin on a line of their own, where both streams are the same terminal.
void end_line_of_guest(const Outcome& outcome, Console& console, const GiveUp& give_up) {
  const bool shared = console.out.is_terminal() && console.error.is_terminal();
  if (shared && !outcome.output.empty() && !outcome.output.ends_with('\n')) console.error.write("\n", give_up);
}

void print_output(const Outcome& outcome, Console& console) {
  console.out.write(outcome.output);
  if (!outcome.output.empty() && !outcome.values.empty() && !outcome.output.ends_with('\n')) console.out.write("\n");
  for (const Value& value : outcome.values) console.out.write(to_text(value) + "\n");
}

void print(const Outcome& outcome, const RunOptions& options, Console& console, const GiveUp& give_up) {
  if (options.json) return console.out.write(to_line({{"outcome", to_json(outcome)}}));
  print_output(outcome, console);
  if (outcome.values.empty()) end_line_of_guest(outcome, console, give_up);
  const std::string reason = reason_text(outcome, options.limits);
  if (!reason.empty()) console.error.write(reason + "\n" + backtrace_text(outcome), give_up);
  if (!options.quiet) console.error.write(summary_text(outcome) + "\n", give_up);
}

Result<ExitCode> run_file(const RunOptions& options, Console& console) {
  PETRI_TRY(validate(options.limits));
  if (options.file == "-" && options.input == "-") {
    return fail(ErrorCode::validation_failed, "FILE and --input cannot both be read from stdin");
  }
  PETRI_TRY(const ArtifactPtr artifact,
            read_module(options.file, options.limits.module_bytes_max, ModuleBounds::program));
  PETRI_TRY(RunSpec spec, make_spec(options, *artifact));
  Interrupt interrupt;
  const TimePoint end = std::chrono::steady_clock::now() + spec.limits.execution_time_max;
  connect(spec, options.json, console, interrupt, end);
  auto result = petri::run(artifact, HostFunctions(), spec, interrupt.token());
  if (!result && result.error().code == ErrorCode::link_error) result = name_file(options.file, std::move(result));
  PETRI_TRY(const Outcome outcome, std::move(result));
  // The guest's words may have filled the pipe: who has not read them by the end of its time does not get ours.
  print(outcome, options, console,
        give_up_after(std::max(end, std::chrono::steady_clock::now() + kSummaryWait), interrupt));
  return interrupt.signalled() ? ExitCode::interrupted : exit_code_for(outcome);
}

}  // namespace

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "Runs a function of a .wat or .wasm file in a fresh instance");
  command->add_option("FILE", options.file, "wat text or wasm bytes, told apart by content; - is stdin")
      ->type_name("")
      ->required();
  add_call_options(*command, options);
  add_world_options(*command, options);
  add_limit_options(*command, options.limits);
  command->add_flag("--quiet", options.quiet, "No summary line on stderr");
  command->add_flag("--json", options.json, "One JSON object on stdout: outcome or error");
  command->footer(
      "What follows -- are the arguments of a WASI program.\n\n"
      "Example: petri run add.wat --call add --args 2 3 --fuel 1000\n"
      "         petri run tool.wasm --folder data -- list all");
  return command;
}

ExitCode execute(const RunOptions& options, Console& console) {
  const auto code = run_file(options, console);
  return code ? *code : report_error(code.error(), options.json, console);
}

}  // namespace petri::cli
