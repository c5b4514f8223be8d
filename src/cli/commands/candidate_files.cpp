#include "cli/commands/candidate_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text/units.h"
#include "cli/input_file.h"
#include "petri/compile.h"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

// ".wasm, .wat, .c ... or .rs"
std::string candidate_endings() {
  std::vector<std::string> endings{".wasm"};
  for (const SourceLanguage& language : source_languages()) {
    endings.insert(endings.end(), language.endings.begin(), language.endings.end());
  }
  const std::string last = std::move(endings.back());
  endings.pop_back();
  return fmt::format("{} or {}", fmt::join(endings, ", "), last);
}

std::unexpected<Error> refuse_path(const std::string& path, ErrorCode code, std::string why) {
  return fail(name_file(path, Error{.code = code, .message = std::move(why), .details = {}}));
}

std::string words_for(int why) {
  if (why == ENOENT || why == ENOTDIR) return "there is no such file or folder";
  if (why == EACCES || why == EPERM) return "it may not be read";
  return fmt::format("it cannot be read ({})", std::generic_category().message(why));
}

Result<void> check_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0) {
    return refuse_path(path, ErrorCode::io_error, words_for(errno));
  }
  if (S_ISREG(status.st_mode)) return {};
  return refuse_path(path, ErrorCode::io_error, "this is neither a regular file nor a folder");
}

// Looks through one folder: candidates, further folders, and the number of other things.
Result<void> look_into(const fs::path& folder, std::vector<fs::path>& folders, CandidateFiles& found) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;  // between listing and looking; then it is no regular file
    const bool is_candidate = names_a_candidate(entry->path().native()) && entry->is_regular_file(gone);
    if (entry->symlink_status(gone).type() == fs::file_type::directory) {
      folders.push_back(entry->path());
    } else if (is_candidate) {
      found.paths.push_back(entry->path().native());
    } else {
      ++found.ignored;
    }
  }
  if (error) return refuse_path(folder.native(), ErrorCode::io_error, words_for(error.value()));
  return {};
}

Result<void> add_folder(const std::string& name, CandidateFiles& found) {
  const auto before = static_cast<std::ptrdiff_t>(found.paths.size());
  std::vector<fs::path> folders{name};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    PETRI_TRY(look_into(folder, folders, found));
  }
  std::sort(found.paths.begin() + before, found.paths.end());
  return {};
}

Result<void> add(const std::string& name, CandidateFiles& found) {
  if (name.empty()) return fail(ErrorCode::validation_failed, "the name of a candidate is empty");
  if (name.find('\0') != std::string::npos) {
    return refuse_path(name, ErrorCode::validation_failed, "a path cannot hold a NUL");
  }
  std::error_code error;
  if (fs::is_directory(name, error)) return add_folder(name, found);
  found.paths.push_back(name);
  if (names_a_candidate(name)) return {};
  PETRI_TRY(check_file(name));  // that it is missing matters more than what it is called
  return refuse_path(name, ErrorCode::validation_failed,
                     fmt::format("a candidate is a folder or a file that ends in {}", candidate_endings()));
}

std::unexpected<Error> nothing_found(const std::vector<std::string>& names, std::size_t ignored) {
  std::vector<std::string> titles;
  for (const std::string& name : names) titles.push_back(file_title(name));
  const std::string others = ignored == 0   ? ""
                             : ignored == 1 ? ", but 1 other file"
                                            : fmt::format(", but {} other files", format_count(ignored));
  return fail(ErrorCode::validation_failed,
              fmt::format("there is nothing to evaluate: no file that ends in {} is in {}{}", candidate_endings(),
                          fmt::join(titles, ", "), others));
}

}  // namespace

bool names_a_candidate(std::string_view path) { return path.ends_with(".wasm") || language_of_file(path) != nullptr; }

Result<CandidateFiles> find_candidates(const std::vector<std::string>& names) {
  CandidateFiles found;
  for (const std::string& name : names) PETRI_TRY(add(name, found));
  if (found.paths.empty()) return nothing_found(names, found.ignored);
  for (const std::string& path : found.paths) PETRI_TRY(check_file(path));
  return found;
}

Result<std::vector<std::string>> modules_in_folder(const std::string& folder) {
  CandidateFiles found;
  PETRI_TRY(add_folder(folder, found));
  if (found.paths.empty())
    return refuse_path(folder, ErrorCode::validation_failed, "no .wasm or .wat file is in this folder");
  return std::move(found.paths);
}

}  // namespace petri::cli
