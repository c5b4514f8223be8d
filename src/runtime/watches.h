// All that the sandboxes of a runtime watch.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "runtime/watched_source.h"
#include "watcher/watcher.h"

namespace petri {

// Any thread. Its lock comes before those of the watcher and of the sources, and is not held while anything is compiled
// or reloaded.
class Watches {
 public:
  // All of it outlives the watches.
  struct Parts {
    const SourceCompiler& compiler;
    EventBus& events;
    Metrics& metrics;
    Timers& timers;
    const Clock& clock;
  };
  static Result<std::unique_ptr<Watches>> create(const Parts& parts);
  // Ends compiles and waits for reloads that are under way.
  ~Watches();
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

  // All of the spec's folder and files, or nothing.
  Result<std::vector<WatchInfo>> watch(const CorePtr& core, const WatchSpec& spec) EXCLUDES(mutex_);
  Result<std::vector<WatchInfo>> watch_modules(const CorePtr& core, const WatchSpec& spec) EXCLUDES(mutex_);
  Result<void> unwatch(const CorePtr& core, std::string_view path) EXCLUDES(mutex_);
  Result<void> unwatch_modules(const CorePtr& core) EXCLUDES(mutex_);
  // The sandbox is destroyed.
  void forget(SandboxCore& core) EXCLUDES(mutex_);

  std::size_t size() const EXCLUDES(mutex_);

 private:
  // The watcher's trees of a source, by the folder, with the names that are watched there; none: all of it.
  using Trees = std::map<std::string, std::pair<std::set<std::string>, Watcher::Number>>;
  struct Watched {
    WatchedSourcePtr source;
    Trees trees;
  };

  explicit Watches(const Parts& parts) : parts_(parts) {}
  Result<std::vector<WatchInfo>> watch_all(const CorePtr& core, const std::vector<WatchedPlace>& places,
                                           const WatchSpec& spec, bool automatic) EXCLUDES(mutex_);
  Result<void> add(const CorePtr& core, const WatchedPlace& place, const WatchSpec& spec) REQUIRES(mutex_);
  Result<Watched*> source_of(const WatchedPlace& place) REQUIRES(mutex_);
  Result<void> set_trees(Watched& watched) REQUIRES(mutex_);
  Result<void> set_tree(Watched& watched, const std::string& folder, const std::set<std::string>& names)
      REQUIRES(mutex_);
  // The files of a source that is a file are others when it includes others.
  void look(WatchedSource& source) EXCLUDES(mutex_);
  // Removes the watches of the sandbox for which it is true; the caller ends what it returns, without the lock.
  std::vector<SubscriberPtr> take(const SandboxCore& core, const std::function<bool(const WatchedPlace&)>& which)
      REQUIRES(mutex_);
  void remove_trees(Watched& watched) REQUIRES(mutex_);

  const Parts parts_;
  std::stop_source stop_;
  std::unique_ptr<Watcher> watcher_;
  mutable Mutex mutex_;
  std::map<WatchedPlace, Watched> sources_ GUARDED_BY(mutex_);
  ThreadPool threads_{{.name = "petri-reload", .idle_max = 1}};  // last: tasks use all of the above
};

}  // namespace petri
