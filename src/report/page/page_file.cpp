#include "report/page/page.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/files/file.h"
#include "base/text/escape.h"

namespace petri {
namespace {

std::string reason(int why) {
  if (why == ENOSPC || why == EDQUOT) return "the disk is full";
  if (why == ENOENT || why == ENOTDIR) return "there is no such folder";
  if (why == EACCES || why == EPERM || why == EROFS) return "it is not allowed here";
  return errno_text(why);
}

std::unexpected<Error> refuse(const std::string& path, std::string_view why, ErrorCode code = ErrorCode::io_error) {
  Error error{.code = code,
              .message = fmt::format("{}: the page cannot be written: {}", escape_text(path, 4'096), why),
              .details = {}};
  return fail(std::move(error).with("path", path));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

// The file a link names, when it names one that is there.
std::string behind_links(const std::string& path) {
  std::error_code unresolved;
  const std::string resolved = std::filesystem::canonical(path, unresolved);
  return unresolved ? path : resolved;
}

constexpr std::string_view kStandardOutput = "-";

Result<void> write_to_descriptor(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return refuse("stdout", reason(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<void> check_page_path(const std::string& page_path, const std::string& records_path) {
  if (page_path == kStandardOutput) return {};
  if (page_path.empty()) return refuse(page_path, "its name is empty");
  if (page_path.find('\0') != std::string::npos) return refuse(page_path, "a path cannot hold a NUL");
  struct stat folder{}, page{}, records{};
  if (::stat(folder_of(page_path).c_str(), &folder) != 0) return refuse(page_path, reason(errno));
  if (::access(folder_of(page_path).c_str(), W_OK) != 0) return refuse(page_path, reason(errno));
  if (::stat(page_path.c_str(), &page) != 0) return {};
  if (S_ISDIR(page.st_mode)) return refuse(page_path, "this is a folder; name a file in it");
  if (!S_ISREG(page.st_mode)) return refuse(page_path, "this is not a regular file");
  const bool same =
      ::stat(records_path.c_str(), &records) == 0 && records.st_dev == page.st_dev && records.st_ino == page.st_ino;
  if (same)
    return refuse(page_path, "these are the records themselves; name another file", ErrorCode::validation_failed);
  return {};
}

Result<void> write_page(const std::string& page_path, std::string_view text) {
  if (page_path == kStandardOutput) return write_to_descriptor(STDOUT_FILENO, text);
  const int why = replace_file(behind_links(page_path), text, 0666);
  if (why != 0) return refuse(page_path, reason(why));
  return {};
}

}  // namespace petri
