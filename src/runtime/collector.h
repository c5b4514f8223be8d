// Removes what is over: dead sandboxes, those that nobody uses, old generations, and what they leave in the stores.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "petri/runtime.h"
#include "runtime/registry.h"
#include "sandbox/code/artifact_store.h"
#include "sandbox/code/code_store.h"
#include "telemetry/event_bus.h"
#include "telemetry/metrics/metrics.h"

namespace petri {

// The newest generation of each label; that of sandboxes without a label has an empty one.
class NewestGenerations {
 public:
  void add(const SandboxCore& core);
  // True if it is so many generations behind the newest of each label it has. 0: never.
  bool is_old(const SandboxCore& core, std::uint64_t retained) const;
  bool empty() const { return newest_.empty(); }

 private:
  std::map<std::string, std::uint64_t, std::less<>> newest_;
};

// One collection at a time; another waits. It looks at a few sandboxes at a time, so that nobody waits for it, and
// never ends one that is used: that somebody has a handle of, calls, or that has work of its own. Any thread.
class Collector {
 public:
  // All of it outlives the collector.
  struct Parts {
    const RuntimeOptions& options;
    const Clock& clock;
    Registry& registry;
    ArtifactStore& artifacts;
    CodeStore& code;
    EventBus& events;
    Metrics& metrics;
    std::atomic<std::uint64_t>& destroyed;     // how many sandboxes were, in all
    std::function<void(SandboxCore&)> forget;  // one that was removed: nothing is watched for it any more
  };
  explicit Collector(const Parts& parts) : parts_(parts) {}

  // The cause is `interval` or `collect`.
  CollectionReport collect(std::string_view cause) EXCLUDES(mutex_);

 private:
  enum class Why : std::uint8_t { stays, dead, abandoned, generation };
  NewestGenerations newest() const;
  Why why(const SandboxCore& core, const NewestGenerations& newest) const;
  // Returns false if it stays, because somebody uses it after all.
  bool remove(const CorePtr& core, Why why);
  void publish(const CollectionReport& report, std::string_view cause, Clock::Duration took) const;

  const Parts parts_;
  Mutex mutex_;  // held for a whole collection
};

}  // namespace petri
