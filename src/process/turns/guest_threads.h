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
#include "process/account/tree_account.h"
#include "process/turns/workers.h"

namespace petri {

// A guest that waits, or has had its turn, keeps its thread, so guests could take all there are. What is submitted here
// waits until its sandbox may have one more, and has the memory for it. A sandbox has no more than a quarter of what is
// left to all, so that some are left however many sandboxes want as many as they can have. The reserve is for sandboxes
// that have none, and for what the runtime does itself: stops, restarts, recovery. Any thread.
class GuestThreads {
 public:
  // The part of the threads that one sandbox has. It outlives its tasks, which keep it alive.
  class Share final : public Workers::Client {
   public:
    explicit Share(TreeAccount* account = nullptr) : account_(account) {}

   private:
    friend class GuestThreads;
    TreeAccount* const account_;  // nullptr: nobody pays
    // The lock of the GuestThreads guards all that follows.
    std::size_t running_ = 0;
    std::size_t paid_ = 0;                              // how many of these the account pays for
    std::map<std::uint64_t, Workers::Task> waiting_{};  // tasks that wait until this sandbox, or all, have fewer
    std::uint64_t last_ = 0;                            // the number of the last that waited
    bool listed_ = false;
  };

  // The memory of the first ones is the host's: a guest that calls another, which is busy, must find it a thread.
  static constexpr std::size_t kThreadsFree = 2;
  // Beyond the first ones a sandbox has less than one for so many that are left: N that want all have 1/(4 + N) each,
  // and 4/(4 + N) stay free.
  static constexpr std::size_t kLeftForEach = 4;
  // Memory that an engine and the allocators keep for a thread whose guest waits, as measured: interpreted 1.0 MiB,
  // compiled 0.6 MiB.
  static constexpr std::uint64_t kThreadBytes = 1 << 20;

  // The workers outlive it.
  GuestThreads(Workers& workers, std::size_t threads_max, std::size_t reserve);

  // Runs the task on a thread of the workers once the share has fewer than `share_max`. Returns its number among the
  // tasks that wait; 0 when it has a thread.
  std::uint64_t submit(Share& share, std::size_t share_max, Workers::Task task) EXCLUDES(mutex_);
  // Gives a task that still waits a thread now, of the reserve where there is no other: for ends, which are not to wait
  // until another guest is done.
  void hurry(Share& share, std::size_t share_max, std::uint64_t number) EXCLUDES(mutex_);
  std::size_t running(const Share& share) const EXCLUDES(mutex_);

 private:
  bool may_start(const Share& share) const REQUIRES(mutex_);
  bool try_start(Share& share) REQUIRES(mutex_);
  void end_one(Share& share) REQUIRES(mutex_);
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
