// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace petri {

// Calls work(index) once for each index below `count`, on as many threads as the machine has cores; this one is one of
// them. Returns when all are done. The work must not throw.
template <typename Work>
void in_parallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t index = 0; (index = next.fetch_add(1)) < count;) work(index);
  };
  const std::size_t threads = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(take);
  take();
}

}  // namespace petri
