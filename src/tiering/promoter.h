// Compiles hot artifacts in the background while they continue interpreted.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/threads/large_thread.h"
#include "engine/caller.h"
#include "tiering/compiled_modules.h"
#include "tiering/fair_job_queue.h"
#include "tiering/lru_map.h"

namespace petri {

// The compilation of one artifact, under way or done. Any thread.
class Promotion {
 public:
  // The compiled code once it exists; nullptr before that, and for good when it was given up.
  CodePtr code() const { return ready_.load(std::memory_order_acquire) ? code_ : nullptr; }

 private:
  friend class Promoter;
  std::atomic<bool> ready_{false};
  CodePtr code_;
};
using PromotionPtr = std::shared_ptr<const Promotion>;

struct PromoterOptions {
  std::uint64_t fuel = 0;                // to be burned before an artifact is compiled,
  std::uint64_t fuel_per_byte = 0;       // and this for each byte of its code
  std::chrono::nanoseconds time_max{0};  // of one compilation
  MachineCodeOptions compile;            // apart from its time_max
  // Called once, on the promoter's thread, when there is no compile worker: everything stays interpreted.
  std::function<void(const Error&)> on_unavailable;
};

// Any thread; nobody but its own threads ever waits for a compilation. One thread is for small modules, so that they do
// not wait for large ones; each serves the client that has had the least of its time. A pool's threads would start jobs
// in the order they come.
class Promoter {
 public:
  // Artifacts whose fuel is remembered from one evaluation to the next.
  static constexpr std::size_t kWatchedMax = 4'096;
  static constexpr std::size_t kQueueMax = 1'024;  // of small modules, and of large ones
  static constexpr std::size_t kQueueOfClientMax = 128;

  Promoter(PromoterOptions options, const Clock& clock, CompiledModules& modules);
  // Abandons the compilation under way, which takes no time unless it is done in this process; those that wait are
  // dropped.
  ~Promoter();
  Promoter(const Promoter&) = delete;
  Promoter& operator=(const Promoter&) = delete;

  // The fuel that a module has to burn before it is compiled.
  std::uint64_t threshold(const ModuleFacts& facts) const;
  // Evaluations that burn less than this say nothing, so that most candidates never come here.
  static std::uint64_t worth_reporting(std::uint64_t threshold) { return threshold / 16; }

  // The fuel that earlier evaluations of the artifact burned.
  std::uint64_t burned(const ArtifactId& artifact) EXCLUDES(mutex_);
  // Remembers fuel for later evaluations; the artifact reported longest ago is forgotten beyond kWatchedMax.
  void add_burned(const ArtifactId& artifact, std::uint64_t fuel) EXCLUDES(mutex_);

  // Starts its threads if it has none yet. For callers that will promote() where they cannot wait for a thread
  // to start.
  void prepare() EXCLUDES(mutex_);
  // Has the artifact compiled, once, and put among the modules. Nothing when it was given up before, or when too many
  // wait already. Given up means: it took longer than time_max, or failed. A worker that was killed is replaced, and
  // the compilation tried once more. The client is any address that stands for who asks: a sandbox.
  PromotionPtr promote(const ArtifactPtr& artifact, const BoundImports& imports, const void* client = nullptr)
      EXCLUDES(mutex_);
  // True if the artifact cannot be compiled, so that promote() would return nullptr again.
  bool has_given_up(const ArtifactId& artifact) EXCLUDES(mutex_);

  std::uint64_t promotions() const { return promotions_.load(std::memory_order_relaxed); }
  // True once the compile worker was found missing: nothing is compiled any more.
  bool is_unavailable() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return unavailable_;
  }
  std::uint64_t given_up() const { return given_up_.load(std::memory_order_relaxed); }

 private:
  struct Job {
    ArtifactPtr artifact;
    BoundImports imports;
    std::shared_ptr<Promotion> promotion;
  };
  // Facts about an artifact that is not compiled, or was not when it was last looked at.
  struct Watched {
    std::uint64_t burned = 0;
    bool given_up = false;
    std::shared_ptr<Promotion> promotion;  // on its way
  };
  struct Hash {
    std::size_t operator()(const ArtifactId& artifact) const { return hash_of(artifact); }
  };

  // A queue of jobs and the thread that takes them.
  struct Side {
    FairJobQueue<Job> waiting{{.jobs_max = kQueueMax, .jobs_of_client_max = kQueueOfClientMax}};
    std::unique_ptr<LargeThread> thread;
  };

  Watched& watched(const ArtifactId& artifact) REQUIRES(mutex_);
  Side& side_for(const Artifact& artifact) REQUIRES(mutex_);
  bool start_thread(Side& side) REQUIRES(mutex_);
  void work(Side& side) EXCLUDES(mutex_);
  std::optional<FairJobQueue<Job>::Taken> take(Side& side) EXCLUDES(mutex_);
  void compile(const Job& job) EXCLUDES(mutex_);
  Result<CodePtr> load(const Job& job) EXCLUDES(mutex_);
  void report_unavailable(const Error& error) EXCLUDES(mutex_);
  void finish(const Job& job, CodePtr code) EXCLUDES(mutex_);

  const PromoterOptions options_;
  const Clock& clock_;
  CompiledModules& modules_;
  std::atomic<std::uint64_t> promotions_{0};
  std::atomic<std::uint64_t> given_up_{0};
  Mutex mutex_;
  Condition changed_;
  LruMap<ArtifactId, Watched, Hash> watched_ GUARDED_BY(mutex_){kWatchedMax};
  bool ending_ GUARDED_BY(mutex_) = false;
  bool unavailable_ GUARDED_BY(mutex_) = false;
  std::stop_source stop_;
  // Threads are started by prepare() or the first promotion. Last: they use all of the above.
  Side small_ GUARDED_BY(mutex_), large_ GUARDED_BY(mutex_);
};

}  // namespace petri
