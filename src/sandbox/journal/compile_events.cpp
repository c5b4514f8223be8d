#include "sandbox/journal/compile_events.h"

namespace petri {
namespace {

void add_source(Event& event, const Source& source) {
  if (source.kind() == Source::Kind::code) event.add("language", source.language());
  if (!source.path().empty()) event.add("path", source.path());
}

}  // namespace

void publish_compile_start(EventBus& events, const EventSubject& subject, const Source& source) {
  events.publish(EventKind::compile_start, subject, [&](Event& event) { add_source(event, source); });
}

void publish_compile_end(EventBus& events, Metrics& metrics, const EventSubject& subject, const Source& source,
                         const Result<CompileReport>& report, Clock::Duration took) {
  if (report && !report->error) {
    metrics.compile_ended();
    events.publish(EventKind::compile_stop, subject, [&](Event& event) {
      add_source(event, source);
      event.add("modules", report->modules.size());
      if (report->modules.size() == 1) {
        const Artifact& artifact = *report->modules.front().artifact;
        event.add("artifact", artifact.id().hex()).add("bytes", artifact.bytes().size());
      }
      event.add("duration_ns", took);
    });
    return;
  }
  metrics.compile_failed();
  const Error& error = report ? *report->error : report.error();
  events.publish(EventKind::compile_exception, subject, [&](Event& event) {
    add_source(event, source);
    event.add("error", name_of(error.code)).add("message", error.message).add("duration_ns", took);
  });
}

}  // namespace petri
