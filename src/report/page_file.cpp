#include "report/page_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/escape.h"

namespace petri {
namespace {

std::string reason(int why) {
  if (why == ENOSPC || why == EDQUOT) return "the disk is full";
  if (why == ENOENT || why == ENOTDIR) return "there is no such folder";
  if (why == EACCES || why == EPERM || why == EROFS) return "it is not allowed here";
  std::array<char, 128> buffer{};
  return ::strerror_r(why, buffer.data(), buffer.size());
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

std::atomic<unsigned> made = 0;

// A file beside the page, gone with it unless it was moved.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& beside) : path_(fmt::format("{}.{}.{}.new", beside, ::getpid(), ++made)) {
    // One of that name can only be left from a process that ended in the middle and had the number this one has.
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0666);
  }
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!moved_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Each false with errno.
  bool is_open() const { return descriptor_ >= 0; }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(descriptor_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  bool move_to(const std::string& path) {
    moved_ = ::fsync(descriptor_) == 0 && ::rename(path_.c_str(), path.c_str()) == 0;
    return moved_;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool moved_ = false;
};

}  // namespace

Result<void> check_page_path(const std::string& page_path, const std::string& records_path) {
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
  const std::string place = behind_links(page_path);
  TemporaryFile file(place);
  if (!file.is_open() || !file.write(text) || !file.move_to(place)) return refuse(page_path, reason(errno));
  return {};
}

}  // namespace petri
