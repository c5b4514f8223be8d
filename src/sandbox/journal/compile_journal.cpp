// The part of the journal that is about compilers.
#include "sandbox/journal/journal.h"

namespace petri {
namespace {

void add_source(Event& event, const Source& source) {
  if (source.kind() == Source::Kind::code) event.add("language", source.language());
  if (!source.path().empty()) event.add("path", source.path());
}

}  // namespace

void Journal::compile_started(const Source& source) {
  sinks_.events.publish(EventKind::compile_start, subject(), [&](Event& event) { add_source(event, source); });
}

void Journal::compile_failed(const Source& source, const Error& error, Clock::Duration took) {
  sinks_.metrics.compile_failed();
  sinks_.events.publish(EventKind::compile_exception, subject(), [&](Event& event) {
    add_source(event, source);
    event.add("error", name_of(error.code)).add("message", error.message).add("duration_ns", took);
  });
}

void Journal::compile_stopped(const Source& source, const Artifact& artifact, Clock::Duration took) {
  sinks_.metrics.compile_ended();
  sinks_.events.publish(EventKind::compile_stop, subject(), [&](Event& event) {
    add_source(event, source);
    event.add("artifact", artifact.id().hex()).add("bytes", artifact.bytes().size()).add("duration_ns", took);
  });
}

}  // namespace petri
