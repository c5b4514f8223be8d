// Queues of jobs, one for each client: the client that has been served the least is next.
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

// A client is known by an address, which is never dereferenced. A client that comes back after a while has no credit
// for the time it was away: it is served like those that are served now. Not for several threads at once.
template <typename Job>
class FairJobQueue {
 public:
  struct Bounds {
    std::size_t jobs_max;
    std::size_t jobs_of_client_max;
  };
  explicit FairJobQueue(Bounds bounds) : bounds_(bounds) {}

  bool empty() const { return jobs_ == 0; }
  // False when all queues together, or that of this client, are full: push() must not follow.
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
  // Takes the oldest job of the client that has been served the least. There is one.
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
  // Adds the time that a job of the client took.
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
