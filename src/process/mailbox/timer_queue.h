// Callbacks that are to be called later, in the order of their time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace petri {

using TimerId = std::uint64_t;

// Callbacks of the same time are called in the order they came. The user guards it with a lock of its own.
template <typename Time>
class TimerQueue {
 public:
  using Callback = std::function<void()>;

  TimerId add(Time time, Callback callback) {
    const TimerId timer = ++last_;
    due_.emplace(std::pair(time, timer), std::move(callback));
    times_.emplace(timer, time);
    return timer;
  }
  // Returns false if the timer is not here any more.
  bool cancel(TimerId timer) {
    const auto found = times_.find(timer);
    if (found == times_.end()) return false;
    due_.erase({found->second, timer});
    times_.erase(found);
    return true;
  }

  bool empty() const { return due_.empty(); }
  std::size_t size() const { return due_.size(); }
  // The time of the first timer; there must be one.
  Time first_time() const { return due_.begin()->first.first; }
  Callback take_first() {
    auto first = due_.extract(due_.begin());
    times_.erase(first.key().second);
    return std::move(first.mapped());
  }

 private:
  std::map<std::pair<Time, TimerId>, Callback> due_;
  std::unordered_map<TimerId, Time> times_;
  TimerId last_ = 0;
};

}  // namespace petri
