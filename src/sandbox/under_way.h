// Verbs that callers have under way: what they use of the runtime stays until they have returned.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/mutex.h"

namespace petri {

// Counts the work that is under way in one runtime. A sandbox keeps it, so that it may be asked when the runtime is
// gone. Any thread.
class UnderWay {
 public:
  // From before the verb asks whether its sandbox exists until it uses nothing of the runtime any more.
  class Verb {
   public:
    explicit Verb(std::shared_ptr<UnderWay> all) : all_(std::move(all)) {
      MutexLock lock(all_->mutex_);
      ++all_->count_;
    }
    ~Verb() {
      MutexLock lock(all_->mutex_);
      if (--all_->count_ == 0) all_->none_.notify_all();
    }
    Verb(const Verb&) = delete;
    Verb& operator=(const Verb&) = delete;

   private:
    const std::shared_ptr<UnderWay> all_;
  };

  // Waits once every sandbox is destroyed: what runs has been ended, and what starts finds no sandbox.
  void wait_until_none() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (count_ > 0) none_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  Condition none_;
  std::size_t count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
