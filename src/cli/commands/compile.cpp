#include "cli/commands/compile.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/commands/compile_text.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/option_error.h"
#include "cli/output_file.h"

namespace petri::cli {
namespace {

bool is_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void read_bytes_option(std::uint64_t& bytes, const std::string& option, const std::string& text) {
  const auto parsed = parse_bytes(text);
  if (!parsed) throw OptionError(option, parsed.error().message);
  bytes = *parsed;
}

void add_bounds(CLI::App& command, CompileOptions& compile) {
  command
      .add_option_function<std::string>(
          "--time-max",
          [&compile](const std::string& text) {
            const auto time = parse_duration(text);
            if (!time) throw OptionError("--time-max", time.error().message);
            compile.time_max = *time;
          },
          fmt::format("Of the whole compile; default {}", format_duration(compile.time_max)))
      ->type_name("TIME");
  const auto add = [&](const std::string& name, std::uint64_t& bytes, std::string_view about) {
    command
        .add_option_function<std::string>(
            name, [&bytes, name](const std::string& text) { read_bytes_option(bytes, name, text); },
            fmt::format("{}; default {}", about, format_bytes(bytes)))
        ->type_name("SIZE");
  };
  add("--memory-max", compile.memory_bytes_max, "Of one compiler process");
  add("--source-max", compile.source_bytes_max, "Of one source file");
  add("--artifact-max", compile.artifact_bytes_max, "Of one module");
}

Result<Source> source_of(const CompileCommandOptions& options) {
  if (options.source != "-") {
    return is_folder(options.source) ? Source::folder(options.source) : Source::file(options.source);
  }
  if (options.compile.language.empty()) {
    return fail(ErrorCode::validation_failed, "stdin has no name that tells the language; name it with --language");
  }
  PETRI_TRY(std::string text, read_input("-", options.compile.source_bytes_max));
  return Source::code(options.compile.language, std::move(text));
}

// Diagnostics name files inside the source; a caller finds them from where it stands.
void name_from_here(CompileReport& report, const std::string& source) {
  if (source == "-") return;
  const std::filesystem::path path(source);
  const std::filesystem::path folder = is_folder(source) ? path : path.parent_path();
  if (folder.empty()) return;
  for (Diagnostic& diagnostic : report.diagnostics) {
    const std::string name = (folder / diagnostic.file).lexically_normal().string();
    if (!diagnostic.file.empty() && std::filesystem::exists(name)) diagnostic.file = name;
  }
}

// The files of excerpts, each read once.
class SourceLines {
 public:
  explicit SourceLines(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  std::optional<std::string> find(const Diagnostic& diagnostic) {
    const auto [found, is_new] = texts_.try_emplace(diagnostic.file);
    if (is_new) found->second = read_file(diagnostic.file, bytes_max_).value_or("");
    std::string_view left = found->second;
    for (std::uint32_t line = 1; line < diagnostic.line; ++line) {
      const std::size_t end = left.find('\n');
      if (end == std::string_view::npos) return std::nullopt;
      left.remove_prefix(end + 1);
    }
    return left.empty() ? std::nullopt : std::optional<std::string>(left.substr(0, left.find('\n')));
  }

 private:
  const std::uint64_t bytes_max_;
  std::map<std::string, std::string> texts_;
};

void print_text(const CompileReport& report, const CompileCommandOptions& options, Console& console) {
  SourceLines lines(options.compile.source_bytes_max);
  const bool colours = console.error.is_terminal();
  for (const Diagnostic& diagnostic : report.diagnostics) {
    const std::string text = to_text(diagnostic, [&](const Diagnostic& one) { return lines.find(one); }, colours);
    if (colours) {
      console.error.write_control(text);
    } else {
      console.error.write(text);
    }
  }
  console.error.write(summary_text(report) + "\n");
}

// Compilers count columns in bytes, SARIF in units of UTF-16: a byte that starts a character is one unit, or two where
// the character has four bytes.
std::uint32_t utf16_column(std::string_view line, std::uint32_t column) {
  std::uint32_t units = 1;
  for (const char c : line.substr(0, column - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) units += byte >= 0xF0U ? 2 : 1;
  }
  return units;
}

CompileReport with_utf16_columns(CompileReport report, std::uint64_t source_bytes_max) {
  SourceLines lines(source_bytes_max);
  for (Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.column < 2) continue;
    if (const auto line = lines.find(diagnostic)) diagnostic.column = utf16_column(*line, diagnostic.column);
  }
  return report;
}

void print(const CompileReport& report, const CompileCommandOptions& options, Console& console) {
  switch (options.format) {
    case CompileFormat::text: return print_text(report, options, console);
    case CompileFormat::json: return console.out.write(to_line({{"compile", to_json(report)}}));
    case CompileFormat::sarif:
      return console.out.write(to_line(to_sarif(with_utf16_columns(report, options.compile.source_bytes_max))));
    case CompileFormat::lines:
      for (const Diagnostic& one : report.diagnostics) console.out.write(escape_text(line_of(one)) + "\n");
  }
}

Result<void> write_module(const std::string& path, const Artifact& artifact) {
  const auto bytes = artifact.bytes();
  return write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Nothing is written unless all modules are there.
Result<void> write_output(const CompileReport& report, const CompileCommandOptions& options) {
  if (options.output.empty() || report.error) return {};
  if (!is_folder(options.source)) return write_module(options.output, *report.modules.front().artifact);
  std::error_code failed;
  std::filesystem::create_directories(options.output, failed);
  if (failed) {
    return fail(Error{.code = ErrorCode::io_error,
                      .message = fmt::format("{}: the folder cannot be made ({})",
                                             escape_text(options.output, kPathShownBytesMax), failed.message()),
                      .details = {{"path", options.output}}});
  }
  for (const CompiledSource& module : report.modules) {
    PETRI_TRY(write_module(options.output + "/" + module.module + ".wasm", *module.artifact));
  }
  return {};
}

Result<ExitCode> compile_source(const CompileCommandOptions& options, Console& console) {
  PETRI_TRY(check_output(options.output, std::span(&options.source, 1)));
  PETRI_TRY(const Source source, source_of(options));
  const Interrupt interrupt;
  CompileOptions compile = options.compile;
  compile.stop = interrupt.token();
  compile.cache = !options.no_cache;
  PETRI_TRY(CompileReport report, petri::compile(source, compile));
  name_from_here(report, options.source);
  PETRI_TRY(write_output(report, options));
  print(report, options, console);
  if (!report.error) return ExitCode::ok;
  if (options.format == CompileFormat::text && report.errors == 0) return report_error(*report.error, false, console);
  return exit_code_for(*report.error);
}

}  // namespace

CLI::App* add_compile(CLI::App& app, CompileCommandOptions& options) {
  CLI::App* command = app.add_subcommand("compile", "Compiles source code to wasm, in a jail");
  command->add_option("SOURCE", options.source, "A file, a folder of modules, or - for stdin with --language")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", options.output,
                   "The module; for a folder of modules a folder. Without it nothing is written")
      ->type_name("FILE");
  command->add_option("--language", options.compile.language, "Where the file's name does not say")
      ->type_name("LANGUAGE");
  command->add_option("--optimise", options.compile.optimise, "0, 1, 2, 3, s or z; default 2")->type_name("N");
  command
      ->add_option("--flag", options.compile.flags,
                   "A flag for the compiler, from the list in docs/guides/compile.md: --flag=-Wall; may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command->add_flag("--warnings-are-errors", options.compile.warnings_are_errors, "A warning fails the compile");
  command->add_flag("--allow-unjailed", options.compile.allow_unjailed,
                    "Where bubblewrap is missing, compile with the rights of this process");
  command->add_flag("--no-cache", options.no_cache, "Compile again, and keep nothing");
  add_bounds(*command, options.compile);
  const std::map<std::string, CompileFormat> formats{{"text", CompileFormat::text},
                                                     {"json", CompileFormat::json},
                                                     {"lines", CompileFormat::lines},
                                                     {"sarif", CompileFormat::sarif}};
  command
      ->add_option_function<std::string>(
          "--format",
          [&options, formats](const std::string& text) {
            const auto found = formats.find(text);
            if (found == formats.end()) {
              throw OptionError(
                  "--format",
                  fmt::format("there is no form {}; the forms are text, json, lines and sarif", in_quotes(text)));
            }
            options.format = found->second;
          },
          "How findings are printed: text for people, lines for editors, json, sarif")
      ->type_name("OUTPUT");
  command->add_flag_callback(
      "--json",
      [&options] {
        options.json = true;
        options.format = CompileFormat::json;
      },
      "The same as --format=json: one JSON object on stdout, compile or error");
  command->footer(
      "A source that does not compile makes the exit code 4.\n\n"
      "Example: petri compile adder.c -o adder.wasm\n"
      "         petri compile candidates --format=sarif");
  return command;
}

ExitCode execute(const CompileCommandOptions& options, Console& console) {
  const auto code = compile_source(options, console);
  return code ? *code : report_error(code.error(), options.format == CompileFormat::json, console);
}

}  // namespace petri::cli
