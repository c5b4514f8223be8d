#include "host/folder_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "host/beneath.h"
#include "host/open_folder.h"

namespace petri {
namespace {

class Measure {
 public:
  Measure(int root, std::uint64_t files_max, Pace pace) : root_(root), files_max_(files_max), pace_(pace) {}

  bool walk() {
    waiting_.emplace_back(".");
    while (!waiting_.empty()) {  // paced: by count_entries()
      const std::string path = std::move(waiting_.back());
      waiting_.pop_back();
      if (!count_entries(path)) return false;
    }
    return true;
  }
  FolderUsage usage() const { return usage_; }
  bool given_up() const { return given_up_; }

 private:
  bool count_entries(const std::string& path) {
    // The kernel walks all of the path.
    given_up_ = !pace_.step(8 * path.size());
    if (given_up_) return false;
    const OpenFolder folder = open_folder(root_, path);
    if (folder == nullptr) return false;
    for (;;) {  // paced: by count_entry()
      errno = 0;
      const dirent* entry = ::readdir(folder.get());
      if (entry == nullptr) return errno == 0;
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && !count_entry(folder.get(), path, entry->d_name)) return false;
    }
  }

  bool count_entry(DIR* folder, const std::string& path, const char* name) {
    struct stat status{};
    const int descriptor = ::dirfd(folder);
    if (descriptor < 0 || ++usage_.files > files_max_) return false;
    given_up_ = !pace_.step();
    if (given_up_) return false;
    if (::fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
    if (S_ISREG(status.st_mode)) usage_.bytes += static_cast<std::uint64_t>(status.st_size);
    if (S_ISDIR(status.st_mode)) waiting_.push_back(path + "/" + name);
    return true;
  }

  int root_;
  std::uint64_t files_max_;
  Pace pace_;
  bool given_up_ = false;
  FolderUsage usage_;
  std::vector<std::string> waiting_;  // folders not yet looked into, relative to the root
};

}  // namespace

FolderMeasure measure_folder(int folder, std::uint64_t files_max, Pace pace) {
  Measure measure(folder, files_max, pace);
  const bool whole = measure.walk();
  return {.usage = whole ? std::optional(measure.usage()) : std::nullopt, .given_up = measure.given_up()};
}

}  // namespace petri
