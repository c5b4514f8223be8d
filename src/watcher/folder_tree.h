// One folder with those below it: its watches, and the changes that wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/owned_descriptor.h"
#include "watcher/globs.h"
#include "watcher/notice_table.h"

namespace petri {

struct WatchRequest {
  std::string folder;  // an absolute path without symbolic links
  std::vector<std::string>
      names;  // entries of this folder alone; empty: the folder and those below it, by the patterns
  Globs patterns;
  std::size_t folders_max = 1'000;
};

// The changes since the last time.
struct FolderChange {
  std::vector<std::string> files;  // paths below the folder, sorted; those that are gone too
  // Any file may have: notices were lost, a folder came, or more files changed than are kept.
  bool everything = false;
  std::vector<std::string> problems;  // sentences about what is not watched or not read
  bool has_change() const { return everything || !files.empty(); }
};

// Folders whose names start with a dot are left out, as they are when a folder is compiled. One thread at a time.
class FolderTree {
 public:
  static constexpr std::size_t kFilesMax = 1'000;
  static constexpr std::size_t kProblemsMax = 20;

  // The table outlives the tree.
  FolderTree(WatchRequest request, NoticeTable& table, NoticeTable::Owner owner)
      : request_(std::move(request)), table_(table), owner_(owner) {}
  ~FolderTree() { leave(); }
  FolderTree(const FolderTree&) = delete;
  FolderTree& operator=(const FolderTree&) = delete;

  // io_error when there is no such folder; limit_exceeded when not all of it can be watched.
  Result<void> open();
  // A notice about one of its folders. True if something has changed by it.
  bool handle(const NoticeTable::Place& place, const FileNotice& notice);
  // Notices were lost: all of it is looked at anew with the next take().
  void lost() { everything_ = stale_ = true; }  // what it watches may be wrong too
  // Clears what has changed; looks at the files, and whether the folder is still where it was.
  FolderChange take();

  std::size_t folders() const { return folders_.size(); }
  bool is_there() const { return static_cast<bool>(root_); }

 private:
  static std::string below(const std::string& folder, const std::string& name) {
    return folder.empty() ? name : folder + "/" + name;
  }
  Result<void> open_root();
  void scan(const std::string& path);
  void scan_one(const std::string& path, std::vector<std::string>& waiting);
  bool watch(int folder, const std::string& path);
  void drop(const std::string& path);
  void leave();
  void await_root();
  void look_for_root();
  void root_is_gone();
  bool moved_away() const;
  bool may_bring_root(const NoticeTable::Place& place, const FileNotice& notice) const;
  void note_folder(const std::string& path, const FileNotice& notice);
  void note_file(const std::string& path, const std::string& name);
  bool is_wanted(const std::string& path, const std::string& name) const;
  bool is_read(const std::string& path);
  void scan_problem(ErrorCode code, std::string sentence);
  void problem(std::string sentence);
  std::string shown(const std::string& path) const;

  const WatchRequest request_;
  NoticeTable& table_;
  const NoticeTable::Owner owner_;
  OwnedDescriptor root_;
  std::map<std::string, int> folders_;  // the watches, by path below the root
  std::map<std::string, int> above_;    // while the root is gone: the folder that it is expected in or above
  std::set<std::string> changed_;
  bool everything_ = false;
  bool stale_ = false;
  std::vector<std::string> problems_;
  std::set<std::string> reported_;  // problems of a scan: each is reported once until all of it is looked at anew
  std::optional<Error> limit_;      // that was met
  std::uint64_t noted_ = 0;         // changes and problems so far
};

}  // namespace petri
