#include "cli/commands/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "base/json/bounded_json.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/commands/compile_text.h"
#include "cli/commands/source_excerpts.h"
#include "cli/json.h"
#include "cli/option_error.h"
#include "cli/shell/command_loop.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/verb.h"
#include "petri/compile.h"

namespace petri::cli {
namespace {

constexpr std::string_view kSandbox = "watched";

// Everything that a person sees of the sources while they are watched.
class WatchedSession {
 public:
  WatchedSession(const WatchOptions& options, ShellSession& session, Console& console)
      : options_(options), session_(session), console_(console) {
    std::error_code unknown;
    is_folder_ = std::filesystem::is_directory(options.source, unknown);
  }

  // Starts what the sources are now, or says what is wrong with them and waits for them to be better.
  Result<void> start() {
    PETRI_TRY(CompileReport report, petri::compile(source()));
    if (!options_.json) print(report);
    const auto sandbox =
        session_.runtime().create_sandbox({.id = std::string(kSandbox), .modules = modules_of(report)});
    if (!sandbox && !session_.runtime().find(kSandbox)) return fail(sandbox.error());
    if (!sandbox && !report.error) say(fmt::format("error: {}\n", without_full_stop(sandbox.error().message)));
    PETRI_TRY(const auto watched, session_.runtime().watch(kSandbox, spec()));
    PETRI_TRY(session_.listen({.sandbox = std::string(kSandbox),
                               .kinds = {EventKind::watch_reloaded, EventKind::watch_failed, EventKind::watch_problem,
                                         EventKind::module_reloaded, EventKind::module_rolled_back}}));
    learn(report);
    if (!options_.json) say(fmt::format("watching {}\n", escape_text(watched.front().path)));
    return {};
  }

  // A verb of the shell is one; anything else is a function of the watched code, after the name of a process if there
  // are several: "add 2 3", "adder add 2 3".
  std::vector<std::string> command_of(std::vector<std::string> words) const {
    if (words.empty() || find_verb(words.front()) != nullptr) return words;
    std::string address(kSandbox);
    if (words.size() > 1 && is_process(words.front())) {
      address += "/" + words.front();
      words.erase(words.begin());
    }
    words.insert(words.begin(), {"call", address});
    return words;
  }

  std::string text_of(const Event& event) {
    switch (event.kind) {
      case EventKind::watch_reloaded: learn(petri::compile(source())); return reloaded_text(event);
      case EventKind::watch_failed: return failed_text(event);
      case EventKind::module_reloaded: return module_text(event, "version");
      case EventKind::module_rolled_back: return module_text(event, "rolled back, version");
      default: return fmt::format("{}\n", escape_text(event.text("message")));
    }
  }

 private:
  bool is_process(const std::string& word) const {
    const auto sandbox = session_.runtime().find(kSandbox);
    if (!sandbox) return false;
    const std::vector<ChildInfo> children = sandbox->children();
    return std::ranges::find(children, word, &ChildInfo::address) != children.end();
  }
  Source source() const { return is_folder_ ? Source::folder(options_.source) : Source::file(options_.source); }
  WatchSpec spec() const {
    WatchSpec spec{.patterns = options_.patterns, .debounce = options_.debounce};
    if (is_folder_) spec.folder = options_.source;
    if (!is_folder_) spec.files = {options_.source};
    return spec;
  }

  // Sources that do not compile have names only: the sandbox waits with them for code.
  std::vector<ModuleSpec> modules_of(const CompileReport& report) const {
    std::vector<ModuleSpec> modules;
    for (const CompiledSource& module : report.modules) {
      const std::filesystem::path path =
          is_folder_ ? std::filesystem::path(options_.source) / module.file : std::filesystem::path(options_.source);
      Source code =
          report.error ? source()
                       : Source::compiled(module.artifact, module.language, module.text == nullptr ? "" : *module.text);
      modules.push_back({.name = module.module, .source = std::move(code).read_from(path.string()), .needs = {}});
    }
    return modules;
  }

  // So that numbers are read in the types of the functions.
  void learn(const Result<CompileReport>& report) {
    const auto sandbox = session_.runtime().find(kSandbox);
    if (!report || !sandbox) return;
    for (const CompiledSource& module : report->modules) session_.learn_code(*sandbox, module.artifact);
  }

  void say(const std::string& text) { console_.error.write(text); }
  void print(CompileReport& report) {
    const std::string text = diagnostics_of(report);
    console_.error.is_terminal() ? console_.error.write_control(text) : console_.error.write(text);
    say(summary_text(report) + "\n");
  }
  std::string diagnostics_of(CompileReport& report) const {
    name_from_here(report, options_.source);
    return excerpts_text(report, CompileOptions().source_bytes_max, console_.error.is_terminal());
  }

  std::string reloaded_text(const Event& event) const {
    const auto took = [&](std::string_view key) {
      return format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(event.count(key))));
    };
    if (event.count("reloaded") == 0)
      return fmt::format("saved, and the code came out as it was: {}\n", took("duration_ns"));
    return fmt::format("reloaded {} in {}, of it {} to compile\n", escape_text(event.text("modules")),
                       took("duration_ns"), took("compile_ns"));
  }

  // With what the compiler says, if it was the compiler that failed.
  std::string failed_text(const Event& event) const {
    const auto info = session_.runtime().info(kSandbox);
    std::string text;
    if (info && info->compile != nullptr && event.count("errors") > 0) {
      CompileReport report = *info->compile;
      text = diagnostics_of(report);
    }
    return text + fmt::format("not reloaded: {}; what ran continues\n",
                              escape_text(without_full_stop(event.text("message")), kMessageShownMax));
  }

  static std::string module_text(const Event& event, std::string_view what) {
    std::string text = fmt::format("{}: {} {} to {}", escape_text(event.text("module")), what, event.count("from"),
                                   event.count("version"));
    if (!event.text("state").empty()) text += fmt::format(", state: {}", event.text("state"));
    const auto plan = parse_json(event.text("plan"));
    if (!plan || !plan->is_object()) return text + "\n";
    for (const auto& step : plan->value("steps", nlohmann::json::array())) {
      const std::string field = step.value("to", step.value("from", std::string()));
      text += fmt::format("\n  {}: {}", escape_text(field), step.value("action", std::string()));
    }
    return text + "\n";
  }

  static constexpr std::size_t kMessageShownMax = 1'000;
  const WatchOptions& options_;
  ShellSession& session_;
  Console& console_;
  bool is_folder_ = false;
};

ExitCode run_lines(CommandLoop& loop, ShellSession& session, Console& console, SessionSignals& signals, bool typed) {
  const IdleWork idle{.is_due = [&loop] { return loop.has_news(); }, .act = [&loop] { loop.print_news(); }};
  if (typed) {
    LineEditor editor(
        console, signals,
        {.history = std::nullopt, .known_names = [&session] { return session.known_names(); }, .idle = idle});
    return loop.run(editor);
  }
  DescriptorLines lines(STDIN_FILENO, signals, idle);
  return loop.run(lines);
}

Result<ExitCode> watch_source(const WatchOptions& options, Console& console) {
  SessionSignals signals;  // before the runtime has threads
  PETRI_TRY(const auto session, ShellSession::create({}));
  WatchedSession watched(options, *session, console);
  PETRI_TRY(watched.start());
  const bool typed = ::isatty(STDIN_FILENO) == 1 && console.out.is_terminal();
  CommandLoop loop(*session, console,
                   {.json = options.json,
                    .typed = typed,
                    .command_of = [&](std::vector<std::string> words) { return watched.command_of(std::move(words)); },
                    .event_text = [&](const Event& event) { return watched.text_of(event); }});
  return run_lines(loop, *session, console, signals, typed);
}

}  // namespace

CLI::App* add_watch(CLI::App& app, WatchOptions& options) {
  CLI::App* command = app.add_subcommand("watch", "Runs source code, and reloads it whenever it is saved");
  command->add_option("SOURCE", options.source, "A file, or a folder of modules")->type_name("")->required();
  command
      ->add_option("--pattern", options.patterns,
                   "The files of the folder that count: *.c, src/**/*.h; may be repeated; default: all sources")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command
      ->add_option_function<std::string>(
          "--debounce",
          [&options](const std::string& text) {
            const auto time = parse_duration(text);
            if (!time) throw OptionError("--debounce", time.error().message);
            options.debounce = *time;
          },
          fmt::format("Without a change before it is compiled; default {}", format_duration(options.debounce)))
      ->type_name("TIME");
  command->add_flag("--json", options.json, "One JSON object on stdout for each answer and event");
  command->footer(
      "Each reload is shown with its time and what became of the state, and each edit that does not compile with the\n"
      "lines that are wrong; what ran continues. A line that is typed calls a function, after the name of its module "
      "if\n"
      "there are several, or is a verb of petri shell. It ends with Ctrl-D or quit.\n\n"
      "Example: petri watch src\n"
      "         petri watch counter.c --debounce 20ms");
  return command;
}

ExitCode execute(const WatchOptions& options, Console& console) {
  const auto code = watch_source(options, console);
  return code ? *code : report_error(code.error(), options.json, console);
}

}  // namespace petri::cli
