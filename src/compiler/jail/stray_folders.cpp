#include "compiler/jail/stray_folders.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <vector>

#include "base/files/owned_descriptor.h"

namespace petri {
namespace {

// The name may stand for a link or for the folder of another user by now: only a folder of this user is looked at.
bool is_stray(const std::filesystem::path& path, std::chrono::nanoseconds age) {
  const OwnedDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts{};
  if (!folder || ::fstat(folder.get(), &facts) != 0 || facts.st_uid != ::geteuid()) return false;
  if (std::chrono::seconds(std::time(nullptr) - facts.st_mtime) < age) return false;
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

void mark_used(int folder) { ::flock(folder, LOCK_SH); }

std::size_t remove_stray_folders(std::chrono::nanoseconds age) {
  std::error_code ignored;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(ignored);
  std::vector<std::filesystem::path> stray;
  for (std::filesystem::directory_iterator entry(temporary, ignored), end; entry != end; entry.increment(ignored)) {
    if (!entry->path().filename().string().starts_with(kJobFolderPrefix)) continue;
    if (is_stray(entry->path(), age)) stray.push_back(entry->path());
  }
  for (const std::filesystem::path& path : stray) std::filesystem::remove_all(path, ignored);
  return stray.size();
}

}  // namespace petri
