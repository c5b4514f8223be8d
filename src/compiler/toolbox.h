// Threads, compilers and caches that all compiles of this process share.
#pragma once

#include <cstddef>
#include <functional>

#include "base/threads/thread_pool.h"

namespace petri {

// Any thread.
class Toolbox {
 public:
  Toolbox();

  // Calls the work for each index below `count`, `jobs` at a time (0: one a core), on threads that all compiles share.
  void for_each(std::size_t count, unsigned jobs, const std::function<void(std::size_t index)>& work);

 private:
  ThreadPool threads_;
};

// Lives as long as the process.
Toolbox& shared_toolbox();

}  // namespace petri
