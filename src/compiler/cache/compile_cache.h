// The results of earlier compiles, by the content of all that decides about it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "petri/compile.h"
#include "petri/result.h"

namespace petri {

// A record is a list of texts.
using CacheRecord = std::vector<std::string>;

// The folder of one cache: a file for each record, with a checksum. Several processes may use it: a record is put in
// its place whole, and one that is read while it is removed is a miss. Nothing here fails: what cannot be read is a
// miss, what cannot be written is not kept.
class CacheFolder {
 public:
  // Beyond `bytes_max` the records that were used longest ago are removed; other files in the folder do not count.
  CacheFolder(std::string folder, std::uint64_t bytes_max) : folder_(std::move(folder)), bytes_max_(bytes_max) {}

  std::optional<CacheRecord> find(const std::string& key, bool& damaged) const;
  void put(const std::string& key, const CacheRecord& record) const;

  // The folder of precompiled headers, made if it is not there; empty if that cannot be.
  std::string headers() const;
  const std::string& folder() const { return folder_; }

  void remove_oldest() const;
  void clear() const;
  CompileCacheInfo info() const;

 private:
  std::string path_of(const std::string& key) const;
  void make() const;

  const std::string folder_;
  const std::uint64_t bytes_max_;
};

// The folder that the options name, or this user's; empty if there is no home, or if others can write to the folder.
std::string cache_folder_of(const CompileOptions& options);

// A key over texts: 64 hexadecimal digits.
class CacheKey {
 public:
  CacheKey& add(std::string_view text);
  std::string hex() const;

 private:
  std::string bytes_;
};

// Counts, and keeps two threads from compiling the same at once. Any thread.
class CacheUse {
 public:
  void count_hit() EXCLUDES(mutex_);
  void count_miss() EXCLUDES(mutex_);
  void count_damaged() EXCLUDES(mutex_);
  void reset() EXCLUDES(mutex_);
  void add_to(CompileCacheInfo& info) const EXCLUDES(mutex_);
  // True once in a number of records: then it is time to look at the size of the folder.
  bool is_due() EXCLUDES(mutex_);

  // Held while a key is looked up, compiled and kept. Whoever comes second waits, until the deadline.
  class Claim {
   public:
    Claim(CacheUse& use, std::string key, std::chrono::steady_clock::time_point deadline);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    CacheUse& use_;
    const std::string key_;
    bool held_ = false;
  };

 private:
  mutable Mutex mutex_;
  Condition changed_;
  std::set<std::string> claimed_ GUARDED_BY(mutex_);
  std::uint64_t hits_ GUARDED_BY(mutex_) = 0;
  std::uint64_t misses_ GUARDED_BY(mutex_) = 0;
  std::uint64_t damaged_ GUARDED_BY(mutex_) = 0;
  std::uint64_t puts_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
