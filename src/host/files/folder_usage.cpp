#include "host/files/folder_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/owned_descriptor.h"
#include "host/files/beneath.h"
#include "host/files/open_folder.h"

namespace petri {
namespace {

class Measure {
 public:
  Measure(int root, std::uint64_t files_max, Pace pace) : root_(root), files_max_(files_max), pace_(pace) {}

  bool walk() {
    waiting_.push_back({.from = nullptr, .path = ".", .level = 0});
    while (!waiting_.empty()) {  // paced: by count_entries()
      const Place place = std::move(waiting_.back());
      waiting_.pop_back();
      if (!count_entries(place)) return false;
    }
    return true;
  }
  FolderUsage usage() const { return usage_; }
  bool given_up() const { return given_up_; }

 private:
  // A folder not yet looked into. The kernel takes no path of more than 4 KiB, so a long one starts further down.
  struct Place {
    std::shared_ptr<const OwnedDescriptor> from;  // nullptr: the root
    std::string path;
    std::uint64_t level = 0;
  };
  static constexpr std::size_t kPathBytesMax = 2'048;

  bool count_entries(const Place& place) {
    // The kernel walks all of the path.
    given_up_ = !pace_.step(8 * place.path.size());
    if (given_up_) return false;
    const OpenFolder folder = open_folder(place.from == nullptr ? root_ : place.from->get(), place.path);
    if (folder == nullptr) return false;
    usage_.levels = std::max(usage_.levels, place.level);
    if (place.path.size() > kPathBytesMax) return count_entries(folder.get(), start_here(folder.get(), place.level));
    return count_entries(folder.get(), place);
  }

  static Place start_here(DIR* folder, std::uint64_t level) {
    auto here = open_beneath(::dirfd(folder), ".", O_PATH | O_DIRECTORY);
    auto from = here ? std::make_shared<const OwnedDescriptor>(std::move(*here)) : nullptr;
    return {.from = std::move(from), .path = here ? "." : "", .level = level};
  }

  bool count_entries(DIR* folder, const Place& place) {
    if (place.path.empty()) return false;
    for (;;) {  // paced: by count_entry()
      errno = 0;
      const dirent* entry = ::readdir(folder);
      if (entry == nullptr) return errno == 0;
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && !count_entry(folder, place, entry->d_name)) return false;
    }
  }

  bool count_entry(DIR* folder, const Place& place, const char* name) {
    struct stat status{};
    const int descriptor = ::dirfd(folder);
    if (descriptor < 0 || ++usage_.files > files_max_) return false;
    given_up_ = !pace_.step();
    if (given_up_) return false;
    if (::fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
    if (S_ISREG(status.st_mode) && is_first_name(status)) usage_.bytes += static_cast<std::uint64_t>(status.st_size);
    if (S_ISDIR(status.st_mode)) waiting_.push_back({place.from, place.path + "/" + name, place.level + 1});
    return true;
  }

  // The bytes of a file with several names count once.
  bool is_first_name(const struct stat& status) {
    return status.st_nlink < 2 || linked_.emplace(status.st_dev, status.st_ino).second;
  }

  int root_;
  std::uint64_t files_max_;
  Pace pace_;
  bool given_up_ = false;
  FolderUsage usage_;
  std::vector<Place> waiting_;
  std::set<std::pair<dev_t, ino_t>> linked_;  // of the files that have several names
};

}  // namespace

FolderMeasure measure_folder(int folder, std::uint64_t files_max, Pace pace) {
  Measure measure(folder, files_max, pace);
  const bool whole = measure.walk();
  return {.usage = whole ? std::optional(measure.usage()) : std::nullopt, .given_up = measure.given_up()};
}

std::optional<std::uint64_t> levels_below(int root, int folder, std::uint64_t levels_max) {
  struct stat top{}, here{};
  if (::fstat(root, &top) != 0) return std::nullopt;
  OwnedDescriptor parent;
  for (std::uint64_t levels = 0; levels <= levels_max; ++levels) {  // bounded: by levels_max
    const int at = levels == 0 ? folder : parent.get();
    if (::fstat(at, &here) != 0) return std::nullopt;
    if (here.st_dev == top.st_dev && here.st_ino == top.st_ino) return levels;
    parent = OwnedDescriptor(::openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!parent) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace petri
