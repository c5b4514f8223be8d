#include "runtime/batch_report.h"

namespace petri {

BatchReport::BatchReport(const Sinks& sinks, std::string_view verb, std::size_t rows, std::size_t concurrency_max)
    : sinks_(sinks),
      about_{.correlation = sinks.events.new_correlation()},
      verb_(verb),
      rows_(rows),
      started_(sinks.clock.now()) {
  sinks_.events.publish(EventKind::batch_start, about_,
                        [&](Event& event) { name_it(event).add("concurrency_max", concurrency_max); });
}

void BatchReport::ended(const BatchCounts& counts) {
  sinks_.metrics.batch_ended(counts.ok, counts.errors, counts.cancelled);
  sinks_.events.publish(EventKind::batch_stop, about_, [&](Event& event) {
    name_it(event).add("ok", counts.ok).add("errors", counts.errors).add("cancelled", counts.cancelled);
    event.add("duration_ns", took());
  });
}

void BatchReport::failed(const Error& error) {
  sinks_.metrics.batch_failed();
  sinks_.events.publish(EventKind::batch_exception, about_, [&](Event& event) {
    name_it(event).add("error", name_of(error.code)).add("message", error.message).add("duration_ns", took());
  });
}

}  // namespace petri
