#include "cli/commands/new.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "cli/command_error.h"
#include "cli/commands/guest_templates.h"
#include "cli/json.h"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameMax = 64;

struct NewFile {
  std::string name;
  std::string text;
  bool is_program = false;
};

// A name that is also the name of a module, of a file and of a sandbox.
Result<std::string> name_of_folder(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.filename().string();
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (name.empty() || name.size() > kNameMax || name.front() == '-' || !std::ranges::all_of(name, is_plain)) {
    return fail(ErrorCode::validation_failed,
                fmt::format("{} is no name of a module; use up to {} letters, digits, _ and -",
                            in_quotes(name.empty() ? folder : name), kNameMax));
  }
  return name;
}

Result<const GuestTemplate*> template_of(const std::string& language) {
  std::string known;
  for (const GuestTemplate& one : guest_templates()) {
    if (one.language == language) return &one;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one.language);
  }
  return fail(ErrorCode::validation_failed,
              fmt::format("there is no language {}; the languages are {}", in_quotes(language), known));
}

std::string replaced(std::string_view text, std::string_view word, std::string_view by) {
  std::string done(text);
  for (std::size_t at = done.find(word); at != std::string::npos; at = done.find(word, at + by.size())) {
    done.replace(at, word.size(), by);
  }
  return done;
}

std::vector<NewFile> files_of(const std::string& name, const GuestTemplate& guest) {
  const std::string source = name + std::string(guest.ending);
  std::string test = replaced(guest_test_template(), "@NAME@", name);
  test = replaced(replaced(test, "@FILE@", source), "@EDIT@", guest.edit);
  const Json modules{{name, {{"sources", Json::array({source})}}}};
  return {{.name = "petri.json", .text = to_line({{"modules", modules}})},
          {.name = source, .text = std::string(guest.source)},
          {.name = "test.sh", .text = std::move(test), .is_program = true}};
}

Error not_made(const std::string& folder, int why) {
  const std::string shown = escape_text(folder, kPathShownBytesMax);
  if (why == EEXIST) {
    return {.code = ErrorCode::already_exists,
            .message = fmt::format("{}: there is something of this name already; choose another", shown),
            .details = {{"path", folder}}};
  }
  return {.code = ErrorCode::io_error,
          .message = fmt::format("{}: the folder cannot be made: {}", shown, errno_text(why)),
          .details = {{"path", folder}}};
}

Result<void> write_all(const std::string& folder, const std::vector<NewFile>& files) {
  for (const NewFile& file : files) {
    const std::string path = folder + "/" + file.name;
    PETRI_TRY(write_file(path, file.text));
    if (file.is_program) ::chmod(path.c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH);
  }
  return {};
}

// The folder with all of its files, or nothing.
Result<void> make(const std::string& folder, const std::vector<NewFile>& files) {
  if (::mkdir(folder.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) != 0) return fail(not_made(folder, errno));
  auto written = write_all(folder, files);
  std::error_code ignored;
  if (!written) fs::remove_all(folder, ignored);
  return written;
}

Result<std::vector<NewFile>> make_guest(const NewOptions& options) {
  PETRI_TRY(const std::string name, name_of_folder(options.folder));
  PETRI_TRY(const GuestTemplate* const guest, template_of(options.language));
  std::vector<NewFile> files = files_of(name, *guest);
  PETRI_TRY(make(options.folder, files));
  return files;
}

}  // namespace

CLI::App* add_new(CLI::App& app, NewOptions& options) {
  CLI::App* command = app.add_subcommand("new", "Makes a folder with a guest that works, and its test");
  command->add_option("NAME", options.folder, "The folder that is made, and the module in it")
      ->type_name("")
      ->required();
  command->add_option("--language", options.language, "c (default), cpp, wat, assemblyscript or rust")
      ->type_name("LANGUAGE");
  command->add_flag("--json", options.json, "One JSON object on stdout: new or error");
  command->footer(
      "test.sh in the folder compiles the guest, calls it and replaces its code while it runs.\n\n"
      "Example: petri new adder --language c");
  return command;
}

ExitCode execute(const NewOptions& options, Console& console) {
  const auto files = make_guest(options);
  if (!files) return report_error(files.error(), options.json, console);
  Json names = Json::array();
  for (const NewFile& file : *files) {
    names.push_back(file.name);
    if (!options.json) console.out.write(escape_text((fs::path(options.folder) / file.name).string()) + "\n");
  }
  if (options.json) {
    console.out.write(to_line({{"new", {{"folder", options.folder}, {"files", std::move(names)}}}}));
  }
  return ExitCode::ok;
}

}  // namespace petri::cli
