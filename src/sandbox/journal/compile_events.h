// The events and metrics of a compile of source code.
#pragma once

#include "base/clock.h"
#include "petri/compile_report.h"
#include "petri/source.h"
#include "telemetry/event_bus.h"
#include "telemetry/metrics/metrics.h"

namespace petri {

void publish_compile_start(EventBus& events, const EventSubject& subject, const Source& source);
// One that found errors in the code, and one that did not begin, are both compile.exception.
void publish_compile_end(EventBus& events, Metrics& metrics, const EventSubject& subject, const Source& source,
                         const Result<CompileReport>& report, Clock::Duration took);

}  // namespace petri
