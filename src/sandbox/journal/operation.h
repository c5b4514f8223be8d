// The correlation that the events of one verb share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "telemetry/event_bus.h"

namespace petri {

// The correlation of the last operation that changed what runs: what its processes do on other threads, and later by
// themselves, is reported with it. Any thread.
class CurrentOperation {
 public:
  // The numbers of the runtime; a verb of a handle that has outlived it is an operation, too.
  explicit CurrentOperation(std::shared_ptr<Correlations> numbers) : numbers_(std::move(numbers)) {}

  // The correlation of the operation that this thread carries out, else of the last one.
  Correlation correlation() const;

 private:
  friend class Operation;
  const std::shared_ptr<Correlations> numbers_;
  std::atomic<std::uint64_t> last_{0};
};

// While this lives, this thread carries out an operation of its own; one inside another is a part of it, except a run.
class Operation {
 public:
  // run: what this thread does in one run. thread: what this thread does. sandbox: also what others do because of it.
  enum class Reach : std::uint8_t { run, thread, sandbox };

  explicit Operation(CurrentOperation& current, Reach reach = Reach::sandbox);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

 private:
  const CurrentOperation* before_;
  std::uint64_t id_before_;
};

}  // namespace petri
