// Jobs in lines, one for each client: whoever has been served the least is next.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace petri {

// A client is whatever address stands for it. Whoever comes back after a while is not paid for the time it was away:
// it is served like those who are served now. Not for several threads at once.
template <typename Job>
class JobLines {
 public:
  struct Bounds {
    std::size_t jobs_max;
    std::size_t jobs_of_client_max;
  };
  explicit JobLines(Bounds bounds) : bounds_(bounds) {}

  bool empty() const { return jobs_ == 0; }
  bool has_room_for(const void* client) const {
    const auto line = lines_.find(client);
    return jobs_ < bounds_.jobs_max && (line == lines_.end() || line->second.jobs.size() < bounds_.jobs_of_client_max);
  }
  void push(const void* client, Job job) {
    forget_idle();
    Line& line = lines_[client];
    if (line.jobs.empty()) line.served = std::max(line.served, floor_);
    line.jobs.push_back(std::move(job));
    ++jobs_;
  }
  struct Taken {
    const void* client;
    Job job;
  };
  // Of the client that has been served the least, its oldest. There is one.
  Taken take() {
    const auto next = std::ranges::min_element(
        lines_, {}, [](const auto& one) { return std::pair(one.second.jobs.empty(), one.second.served); });
    Line& line = next->second;
    Taken taken{next->first, std::move(line.jobs.front())};
    line.jobs.pop_front();
    --jobs_;
    floor_ = line.served++;  // equals take turns
    return taken;
  }
  // So long it took to do a job of theirs.
  void charge(const void* client, std::chrono::nanoseconds time) {
    const auto line = lines_.find(client);
    if (line != lines_.end())
      line->second.served += static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  }
  void clear() {
    lines_.clear();
    jobs_ = 0;
  }

 private:
  struct Line {
    std::uint64_t served = 0;  // nanoseconds
    std::deque<Job> jobs;
  };

  // A client is remembered for what it was served, as long as there are few of them.
  void forget_idle() {
    if (lines_.size() < 2 * bounds_.jobs_max) return;
    std::erase_if(lines_, [](const auto& one) { return one.second.jobs.empty(); });
  }

  const Bounds bounds_;
  std::map<const void*, Line> lines_;
  std::size_t jobs_ = 0;
  std::uint64_t floor_ = 0;
};

}  // namespace petri
