#include "process/turns/guest_threads.h"

#include <algorithm>

namespace petri {

GuestThreads::GuestThreads(Workers& workers, std::size_t threads_max, std::size_t reserve)
    : workers_(workers),
      threads_max_(std::max<std::size_t>(threads_max - std::min(threads_max, reserve / 2), 1)),
      unreserved_(std::max<std::size_t>(threads_max - std::min(threads_max, reserve), 1)) {}

// Half of the reserve is for those who have none, the rest for nobody who runs guests.
bool GuestThreads::may_start(const Share& share) const {
  if (share.running_ == 0) return running_ < threads_max_;
  const std::size_t left = unreserved_ - std::min(unreserved_, running_);
  return share.running_ < kThreadsFree ? left > 0 : share.running_ * kLeftForEach < left;
}

std::uint64_t GuestThreads::submit(Share& share, std::size_t share_max, Workers::Task task) {
  {
    MutexLock lock(mutex_);
    if (!share.waiting_.empty() || share.running_ >= share_max || !try_start(share)) {
      share.waiting_.emplace(++share.last_, std::move(task));
      if (share.running_ < share_max) list(share, share_max);
      return share.last_;
    }
  }
  start(share, share_max, std::move(task));
  return 0;
}

void GuestThreads::hurry(Share& share, std::size_t share_max, std::uint64_t number) {
  Workers::Task task;
  {
    MutexLock lock(mutex_);
    if (!share.waiting_.contains(number)) return;
    ++share.running_;
    ++running_;
    task = take(share, number);
    if (share.waiting_.empty() && std::exchange(share.listed_, false))
      std::erase_if(waiting_, [&share](const Waiting& one) { return one.share == &share; });
  }
  start(share, share_max, std::move(task));
}

// It counts as running from here on, and its memory as the sandbox's.
bool GuestThreads::try_start(Share& share) {
  if (!may_start(share)) return false;
  const bool pays = share.account_ != nullptr && share.running_ >= kThreadsFree;
  // Half of the memory is left for what the guests and their messages take.
  const bool fits = !pays || (share.paid_ + 1) * kThreadBytes <= share.account_->allowed() / 2;
  if (!fits || (pays && !share.account_->try_hold(kThreadBytes))) return false;
  share.paid_ += pays ? 1 : 0;
  ++share.running_;
  ++running_;
  return true;
}

void GuestThreads::end_one(Share& share) {
  --share.running_;
  --running_;
  if (share.paid_ == 0 || share.paid_ + kThreadsFree <= share.running_) return;
  --share.paid_;
  share.account_->let_go(kThreadBytes);
}

// Takes one of the tasks that wait.
Workers::Task GuestThreads::take(Share& share, std::uint64_t number) {
  const auto found = share.waiting_.find(number);
  Workers::Task task = std::move(found->second);
  share.waiting_.erase(found);
  return task;
}

void GuestThreads::start(Share& share, std::size_t share_max, Workers::Task task) {
  workers_.submit(
      [this, &share, share_max, task = std::move(task)] {
        task();
        finished(share, share_max);
      },
      &share);
}

void GuestThreads::list(Share& share, std::size_t share_max) {
  if (std::exchange(share.listed_, true)) return;
  waiting_.push_back({&share, share_max});
}

// A share without a thread goes first, then the one that waited longest.
void GuestThreads::finished(Share& share, std::size_t share_max) {
  Waiting next{};
  Workers::Task task;
  {
    MutexLock lock(mutex_);
    end_one(share);
    if (!share.waiting_.empty() && share.running_ < share_max) list(share, share_max);
    const auto starts = [this](const Waiting& one) REQUIRES(mutex_) { return try_start(*one.share); };
    auto found = std::ranges::find_if(
        waiting_, [&](const Waiting& one) REQUIRES(mutex_) { return one.share->running_ == 0 && starts(one); });
    if (found == waiting_.end()) found = std::ranges::find_if(waiting_, starts);
    if (found == waiting_.end()) return;
    next = *found;
    waiting_.erase(found);
    next.share->listed_ = false;
    task = take(*next.share, next.share->waiting_.begin()->first);
    const bool wants_more = !next.share->waiting_.empty() && next.share->running_ < next.share_max;
    if (wants_more) list(*next.share, next.share_max);
  }
  start(*next.share, next.share_max, std::move(task));
}

std::size_t GuestThreads::running(const Share& share) const {
  MutexLock lock(mutex_);
  return share.running_;
}

}  // namespace petri
