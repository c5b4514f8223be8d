// Precompiled headers of the C++ standard library, kept in the folder of the cache.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "compiler/cache/compile_cache.h"
#include "compiler/clang_job.h"

namespace petri {

// The source of the precompiled header, which a job that starts from it needs among its files.
JobFile standard_headers();

// True if the text includes a header of the C++ standard library that the precompiled header has.
bool includes_standard_library(std::string_view source);

// Any thread.
class HeaderStore {
 public:
  explicit HeaderStore(CacheUse& use) : use_(use) {}

  // The name of the file in the folder that a job with these flags starts from, made if it is not there; empty if that
  // fails: then the job does without. `identity` is the toolchain's. The first time in this process a file is held to
  // its checksum.
  std::string header_for(const ClangJob& job, ClangRunner& runner, const CacheFolder& cache,
                         const std::string& identity) EXCLUDES(mutex_);

 private:
  bool is_good(const CacheFolder& cache, const std::string& name) EXCLUDES(mutex_);
  bool make(const ClangJob& job, ClangRunner& runner, const CacheFolder& cache, const std::string& name);

  CacheUse& use_;
  Mutex mutex_;
  std::set<std::string> checked_ GUARDED_BY(mutex_);  // paths, with size and time
};

}  // namespace petri
