// The descent of a sandbox, its fitness, and whether it is kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "petri/population.h"

namespace petri {

// Small where nothing of it was said. Any thread; its lock is taken with no other.
class Descent {
 public:
  Descent(std::vector<std::string> parents, std::string mutation) {
    if (parents.empty() && mutation.empty()) return;
    origin_ = std::make_unique<const Origin>(Origin{std::move(parents), std::move(mutation)});
  }

  const std::vector<std::string>& parents() const { return origin().parents; }
  const std::string& mutation() const { return origin().mutation; }
  std::uint64_t depth() const { return depth_; }
  // Before anybody else knows of the sandbox.
  void set_depth(std::uint64_t depth) { depth_ = depth; }

  std::optional<Fitness> fitness() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return fitness_ == nullptr ? std::nullopt : std::optional(*fitness_);
  }
  // Replaces the fitness before.
  void record(const Fitness& fitness) EXCLUDES(mutex_) {
    auto recorded = std::make_unique<const Fitness>(fitness);
    MutexLock lock(mutex_);
    fitness_.swap(recorded);
  }

  bool is_kept() const { return kept_; }
  void set_kept(bool kept) { kept_ = kept; }

 private:
  struct Origin {
    std::vector<std::string> parents;
    std::string mutation;
  };
  const Origin& origin() const {
    static const Origin none;
    return origin_ == nullptr ? none : *origin_;
  }

  std::unique_ptr<const Origin> origin_;
  std::uint64_t depth_ = 0;
  std::atomic<bool> kept_{false};
  mutable Mutex mutex_;
  std::unique_ptr<const Fitness> fitness_ GUARDED_BY(mutex_);
};

}  // namespace petri
