#include "runtime/watch_places.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "compiler/source_files.h"
#include "watcher/globs.h"

namespace petri {
namespace {

std::unexpected<Error> path_error(ErrorCode code, const std::string& path, std::string_view why) {
  return fail(Error{.code = code,
                    .message = fmt::format("{}: {}", escape_text(path, kPathShownBytesMax), why),
                    .details = {{"path", path}}});
}

// Opening is for later: here it has to be there, and of the right kind.
Result<void> check_kind(const std::string& path, bool is_folder) {
  if (path.find('\0') != std::string::npos) return path_error(ErrorCode::io_error, path, "a path cannot hold a NUL");
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return path_error(ErrorCode::io_error, path, is_folder ? "there is no such folder" : "there is no such file");
  }
  if (is_folder && !S_ISDIR(status.st_mode)) {
    return path_error(ErrorCode::io_error, path, "this is no folder; name it among the files");
  }
  if (!is_folder && S_ISDIR(status.st_mode)) {
    return path_error(ErrorCode::io_error, path, "this is a folder and no file");
  }
  if (!is_folder && !S_ISREG(status.st_mode)) {
    return path_error(ErrorCode::io_error, path, "only regular files are watched");
  }
  return {};
}

Result<WatchedPlace> place_of(const std::string& path, bool is_folder, const WatchSpec& spec) {
  PETRI_TRY(check_kind(path, is_folder));
  return WatchedPlace{.path = plain_path(path),
                      .is_folder = is_folder,
                      .patterns = is_folder ? spec.patterns : std::vector<std::string>(),
                      .debounce = spec.debounce};
}

bool is_folder_path(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

std::string plain_path(const std::string& path) {
  std::error_code failed;
  std::string plain = std::filesystem::weakly_canonical(path, failed).string();
  if (failed) return path;
  if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

Result<void> check_watch(const WatchSpec& spec) {
  if (spec.debounce < kDebounceMin || spec.debounce > kDebounceMax) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the debounce is {}; it may be {} to {}", format_duration(spec.debounce),
                            format_duration(kDebounceMin), format_duration(kDebounceMax)));
  }
  PETRI_TRY(Globs::create(spec.patterns));
  return spec.reload ? check_reload_policy(*spec.reload) : Result<void>();
}

Result<std::vector<WatchedPlace>> watch_places(const WatchSpec& spec) {
  if (spec.folder.empty() == spec.files.empty()) {
    return fail(ErrorCode::validation_failed,
                "a watch is for one folder or for some files; name either a folder or files");
  }
  if (!spec.files.empty() && !spec.patterns.empty()) {
    return fail(ErrorCode::validation_failed, "patterns choose the files of a folder; files are named themselves");
  }
  std::vector<WatchedPlace> places;
  if (!spec.folder.empty()) {
    PETRI_TRY(places.emplace_back(), place_of(spec.folder, true, spec));
  }
  for (const std::string& file : spec.files) {
    PETRI_TRY(WatchedPlace place, place_of(file, false, spec));
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  return places;
}

Result<std::vector<WatchedPlace>> places_of(const std::vector<ModulePlace>& modules, const WatchSpec& spec) {
  if (!spec.folder.empty() || !spec.files.empty() || !spec.patterns.empty()) {
    return fail(ErrorCode::validation_failed,
                "auto-reload watches what the modules were read from; for other folders and files there is watch");
  }
  std::vector<WatchedPlace> places;
  for (const ModulePlace& module : modules) {
    if (module.path.empty()) continue;
    PETRI_TRY(WatchedPlace place, place_of(module.path, is_folder_path(module.path), spec));
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  if (!places.empty()) return places;
  return fail(ErrorCode::validation_failed,
              "no module of the sandbox was read from a file or folder, so there is nothing for auto-reload to watch");
}

}  // namespace petri
