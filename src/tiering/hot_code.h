// Counts how much the live processes that share an artifact's code have burned, and has it compiled once it is hot.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/caller.h"
#include "tiering/promoter.h"

namespace petri {

// Asks for a compilation once, after enough fuel or with enough instances: an interpreted page of memory takes all of
// its 64 KiB, a compiled one what is touched. Any thread.
class HotCode {
 public:
  // The promoter outlives it. The artifact is not kept alive by this. Hot are the promoter's threshold of fuel, or
  // `instances_max` instances at once.
  HotCode(Promoter& promoter, const ArtifactPtr& artifact, BoundImports imports, std::uint64_t instances_max);

  // Processes add what they burned in lumps of worth_reporting().
  std::uint64_t worth_reporting() const { return Promoter::worth_reporting(threshold_); }
  void add_burned(std::uint64_t fuel, const void* client = nullptr);
  // One more live instance, until remove_instance(). Neither call waits for a compilation.
  void add_instance(const void* client = nullptr);
  // Asks for the compilation whatever was burned. The client is the promoter's.
  void promote(const void* client = nullptr);
  void remove_instance() { instances_.fetch_sub(1, std::memory_order_relaxed); }

  // The compiled code once it exists; nullptr until then, and for good when the promoter gave up. Takes one load.
  CodePtr compiled() const { return asked_.load(std::memory_order_acquire) ? promotion_->code() : nullptr; }

 private:
  Promoter& promoter_;
  const std::weak_ptr<const Artifact> artifact_;
  const BoundImports imports_;
  const std::uint64_t threshold_;
  const std::uint64_t instances_max_;
  std::atomic<std::uint64_t> burned_{0};
  std::atomic<std::uint64_t> instances_{0};
  std::atomic<bool> asking_{false};
  std::atomic<bool> asked_{false};  // promotion_ is there
  PromotionPtr promotion_;
};

}  // namespace petri
