// Threads, compilers and caches that all compiles of this process share.
#pragma once

#include <cstddef>
#include <functional>

#include "base/threads/thread_pool.h"
#include "compiler/cache/compile_cache.h"
#include "compiler/clang/clang_finder.h"
#include "compiler/clang/header_store.h"
#include "compiler/jail/server_pool.h"

namespace petri {

// Any thread.
class Toolbox {
 public:
  Toolbox();

  // Calls the work for each index below `count`, `jobs` at a time (0: one a core), on threads that all compiles share.
  void for_each(std::size_t count, unsigned jobs, const std::function<void(std::size_t index)>& work);

  ServerPool& servers() { return servers_; }
  ClangFinder& clang() { return clang_; }
  CacheUse& cache_use() { return cache_use_; }
  HeaderStore& headers() { return headers_; }

 private:
  ThreadPool threads_;
  ServerPool servers_;
  ClangFinder clang_{servers_};
  CacheUse cache_use_;
  HeaderStore headers_{cache_use_};
};

// Lives as long as the process.
Toolbox& shared_toolbox();

}  // namespace petri
