// Parses the words after `petri`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/commands/audit.h"
#include "cli/commands/cache.h"
#include "cli/commands/compile.h"
#include "cli/commands/evaluate.h"
#include "cli/commands/inspect.h"
#include "cli/commands/new.h"
#include "cli/commands/population.h"
#include "cli/commands/records.h"
#include "cli/commands/report.h"
#include "cli/commands/run.h"
#include "cli/commands/scan.h"
#include "cli/commands/show.h"
#include "cli/commands/verify.h"
#include "cli/commands/version.h"
#include "cli/commands/watch.h"
#include "cli/manual/command_description.h"
#include "cli/manual/manual.h"
#include "cli/shell/shell.h"
#include "petri/result.h"

namespace petri::cli {

struct HelpText {
  std::string text;
};

using Command =
    std::variant<HelpText, RunOptions, CompileCommandOptions, CacheOptions, NewOptions, InspectOptions, ScanOptions,
                 EvaluateOptions, VerifyFileOptions, ConvertOptions, ShowOptions, ReportPageOptions, PopulationOptions,
                 ShellOptions, WatchOptions, AuditVerifyOptions, ManualOptions, CompletionOptions, VersionOptions>;

// Reads the arguments without the program's own name. Touches nothing: no file is opened, nothing is printed.
// What cannot be meant is validation_failed, in one sentence that names the word.
Result<Command> parse_command_line(const std::vector<std::string>& arguments);

struct HelpPage {
  std::string command;  // "petri", "petri run", ...
  std::string text;
};
// The help of petri and of each command, in the order they are listed.
std::vector<HelpPage> help_pages();
// The grammar as data: commands with their options, arguments and possible values.
std::vector<CommandDescription> command_descriptions();

ExitCode execute(const Command& command, Console& console);

}  // namespace petri::cli
