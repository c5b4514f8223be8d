// All trees that a runtime watches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/threads/large_thread.h"
#include "sandbox/timers/timers.h"
#include "watcher/debounce.h"
#include "watcher/folder_tree.h"
#include "watcher/wake_up.h"

namespace petri {

// Any thread may call. Its own thread waits for notices; time comes from the timers.
class Watcher {
 public:
  using Number = std::uint64_t;
  // Called on the watcher's thread with its lock held: returns at once, and calls no member of the watcher.
  using OnChange = std::function<void(FolderChange)>;

  // Timers and clock outlive it. Without notices, those of the kernel.
  static Result<std::unique_ptr<Watcher>> create(Timers& timers, const Clock& clock,
                                                 std::unique_ptr<FileNotices> notices = nullptr);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Reads the folders of the tree before it returns; on_change is called once changes have settled. Errors are those of
  // FolderTree::open().
  Result<Number> add(WatchRequest request, Clock::Duration quiet, OnChange on_change) EXCLUDES(mutex_);
  // No call comes after it has returned.
  void remove(Number tree) EXCLUDES(mutex_);
  // How many folders a tree watches now.
  std::size_t folders(Number tree) const EXCLUDES(mutex_);
  std::size_t trees() const EXCLUDES(mutex_);

  // For tests: returns once all notices were handled that the kernel has at the time of the call.
  void wait_until_read() EXCLUDES(mutex_);

 private:
  struct Watched {
    std::unique_ptr<FolderTree> tree;
    Debounce debounce;
    OnChange on_change;
    std::optional<Clock::TimePoint> timer;  // when it rings
  };

  Watcher(Timers& timers, const Clock& clock, std::unique_ptr<FileNotices> notices, std::shared_ptr<WakeUp> wake_up)
      : timers_(timers), clock_(clock), notices_(std::move(notices)), wake_up_(std::move(wake_up)), table_(*notices_) {}
  void work() EXCLUDES(mutex_);
  void read_notices() REQUIRES(mutex_);
  void dispatch(const FileNotice& notice) REQUIRES(mutex_);
  void note(Watched& watched) REQUIRES(mutex_);
  void set_timer(Watched& watched) REQUIRES(mutex_);
  void report_settled() REQUIRES(mutex_);

  Timers& timers_;
  const Clock& clock_;
  const std::unique_ptr<FileNotices> notices_;
  const std::shared_ptr<WakeUp> wake_up_;  // shared with timers, which may outlive the watcher
  mutable Mutex mutex_;
  Condition read_;
  NoticeTable table_ GUARDED_BY(mutex_);
  std::map<Number, Watched> watched_ GUARDED_BY(mutex_);
  Number last_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<LargeThread> thread_;
};

}  // namespace petri
