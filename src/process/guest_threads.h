// The threads of the host that guests have: so many a sandbox, so many in all, and some that are kept for those who
// have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <utility>

#include "base/mutex.h"
#include "process/workers.h"

namespace petri {

// A guest that waits, or has had its turn, keeps its thread, so guests could take all there are. What is submitted here
// waits until its sandbox may have one more. The reserve is for sandboxes that have none, and for what the runtime does
// itself: stops, restarts, recovery. Any thread.
class GuestThreads {
 public:
  // What one sandbox has. Outlives its tasks, which keep it alive.
  class Share {
   public:
    Workers::Client& client() { return client_; }

   private:
    friend class GuestThreads;
    Workers::Client client_{};
    std::size_t running_ = 0;                           // all of the GuestThreads' mutex_
    std::map<std::uint64_t, Workers::Task> waiting_{};  // for this sandbox to have fewer, or all to have
    std::uint64_t last_ = 0;                            // the number of the last that waited
    bool listed_ = false;
  };

  // The workers outlive it.
  GuestThreads(Workers& workers, std::size_t threads_max, std::size_t reserve);

  // Runs the task on a thread of the workers once the share has fewer than `share_max`. Answers its number among those
  // that wait; 0 when it has a thread.
  std::uint64_t submit(Share& share, std::size_t share_max, Workers::Task task) EXCLUDES(mutex_);
  // Gives a task that still waits a thread now, of the reserve where there is no other: for ends, which are not to wait
  // until another guest is done.
  void hurry(Share& share, std::size_t share_max, std::uint64_t number) EXCLUDES(mutex_);
  std::size_t running(const Share& share) const EXCLUDES(mutex_);

 private:
  bool may_start(const Share& share) const REQUIRES(mutex_);
  void start(Share& share, std::size_t share_max, Workers::Task task);
  void finished(Share& share, std::size_t share_max) EXCLUDES(mutex_);
  void list(Share& share, std::size_t share_max) REQUIRES(mutex_);
  Workers::Task take(Share& share, std::uint64_t number) REQUIRES(mutex_);

  struct Waiting {
    Share* share;
    std::size_t share_max;
  };

  Workers& workers_;
  const std::size_t threads_max_, unreserved_;
  mutable Mutex mutex_;
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  std::list<Waiting> waiting_ GUARDED_BY(mutex_);  // shares that could use a thread, and there is none
};

}  // namespace petri
