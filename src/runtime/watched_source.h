// A folder or file that sandboxes watch: compiled once for all of them when it changes.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/threads/thread_pool.h"
#include "petri/source.h"
#include "petri/watch.h"
#include "runtime/registry.h"
#include "sandbox/code/source_compiler.h"
#include "telemetry/event_bus.h"
#include "watcher/folder_tree.h"

namespace petri {

// A folder or file, and when a change of it counts. Sandboxes that ask for the same share a WatchedSource.
struct WatchedPlace {
  std::string path;  // absolute, without symbolic links
  bool is_folder = false;
  std::vector<std::string> patterns;
  std::chrono::nanoseconds debounce{};
  auto operator<=>(const WatchedPlace&) const = default;

  Source source() const { return is_folder ? Source::folder(path) : Source::file(path); }
};

// One sandbox that watches a source. Its lock is held while its modules are reloaded: whoever has ended it knows that
// no reload follows.
class WatchSubscriber {
 public:
  WatchSubscriber(const CorePtr& core, std::optional<ReloadPolicy> policy) : core_(core), policy_(std::move(policy)) {}

  // Waits for a reload that is under way, unless this thread carries it out.
  void end() EXCLUDES(mutex_);
  // The sandbox is destroyed: a reload that is under way fails, which nobody wants to know.
  void begin_end() { ended_ = true; }
  bool has_ended() const { return ended_; }
  bool is_of(const SandboxCore& core) const { return core_.lock().get() == &core; }
  CorePtr core() const { return core_.lock(); }
  const std::optional<ReloadPolicy>& policy() const { return policy_; }
  // Does the work unless it has ended.
  void unless_ended(const std::function<void(const CorePtr& core)>& work) EXCLUDES(mutex_);

 private:
  const std::weak_ptr<SandboxCore> core_;
  const std::optional<ReloadPolicy> policy_;
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> at_work_{0};  // the thread that reloads
  Mutex mutex_;
};
using SubscriberPtr = std::shared_ptr<WatchSubscriber>;

// Changes come from the watcher's thread and are only noted there. One task at a time compiles and reloads, and starts
// again as long as changes have come meanwhile: the last change is the last to be compiled. Any thread.
class WatchedSource : public std::enable_shared_from_this<WatchedSource> {
 public:
  // All of it outlives the source's tasks.
  struct Parts {
    const SourceCompiler& compiler;
    EventBus& events;
    Metrics& metrics;
    const Clock& clock;
    ThreadPool& threads;
    std::stop_token stop;
    // Before each compile: what has to be watched may be other files by now.
    std::function<void(WatchedSource&)> look;
    // Notes a change after this time.
    std::function<void(const std::shared_ptr<WatchedSource>&, std::chrono::nanoseconds)> later;
  };
  WatchedSource(Parts parts, WatchedPlace place) : parts_(std::move(parts)), place_(std::move(place)) {}

  const WatchedPlace& place() const { return place_; }
  void add(SubscriberPtr subscriber) EXCLUDES(mutex_);
  // True if none is left.
  bool remove(const SubscriberPtr& subscriber) EXCLUDES(mutex_);
  std::vector<SubscriberPtr> subscribers() const EXCLUDES(mutex_);

  void note(FolderChange change) EXCLUDES(mutex_);
  // No task starts any more.
  void end() EXCLUDES(mutex_);

 private:
  void work();
  std::optional<FolderChange> take() EXCLUDES(mutex_);
  void report_problems(const FolderChange& change) const;
  Result<CompileReport> compile() const;
  void compile_and_reload();
  Result<void> reload(const CorePtr& core, const WatchSubscriber& subscriber, const CompileReport& report) const;
  void fail_all(const Error& error) const;
  void report_failure(const CorePtr& core, const Error& error, const CompileReport* report) const;

  const Parts parts_;
  const WatchedPlace place_;
  mutable Mutex mutex_;
  std::vector<SubscriberPtr> subscribers_ GUARDED_BY(mutex_);
  std::optional<FolderChange> waiting_ GUARDED_BY(mutex_);
  bool at_work_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  int attempts_ = 0;  // by the task: at a reload that found a module being changed
};
using WatchedSourcePtr = std::shared_ptr<WatchedSource>;

}  // namespace petri
