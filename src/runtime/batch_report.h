// Reports a batch as events and metrics.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "petri/result.h"
#include "telemetry/event_bus.h"
#include "telemetry/metrics/metrics.h"

namespace petri {

// Rows of a batch by result.
struct BatchCounts {
  std::size_t ok = 0, errors = 0, cancelled = 0;
  // Counts one row; without an error it is ok.
  void add(std::optional<ErrorCode> error) { ++(!error ? ok : *error == ErrorCode::cancelled ? cancelled : errors); }
};

// batch.start when it is made, and one of batch.stop and batch.exception.
class BatchReport {
 public:
  // All of it outlives the report.
  struct Sinks {
    EventBus& events;
    Metrics& metrics;
    const Clock& clock;
  };
  BatchReport(const Sinks& sinks, std::string_view verb, std::size_t rows, std::size_t concurrency_max);

  void ended(const BatchCounts& counts);
  void failed(const Error& error);

 private:
  Event& name_it(Event& event) const { return event.add("verb", verb_).add("rows", rows_); }
  Clock::Duration took() const { return sinks_.clock.now() - started_; }

  const Sinks sinks_;
  const EventSubject about_;
  const std::string_view verb_;
  const std::size_t rows_;
  const Clock::TimePoint started_;
};

}  // namespace petri
