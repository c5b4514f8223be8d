// The labels of a sandbox, by which callers find it among others.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "petri/result.h"

namespace petri {

// In the order they were given. Any thread; its lock is taken with no other.
class Labels {
 public:
  // The id outlives them.
  Labels(const std::string& sandbox, std::vector<std::string> labels) : sandbox_(sandbox), labels_(std::move(labels)) {}

  // validation_failed for what is no label; one that is there already stays where it is.
  Result<void> add(std::string_view label) EXCLUDES(mutex_);
  Result<void> remove(std::string_view label) EXCLUDES(mutex_);
  bool contains(std::string_view label) const EXCLUDES(mutex_);
  std::vector<std::string> all() const EXCLUDES(mutex_);

 private:
  const std::string& sandbox_;
  mutable Mutex mutex_;
  std::vector<std::string> labels_ GUARDED_BY(mutex_);
};

}  // namespace petri
