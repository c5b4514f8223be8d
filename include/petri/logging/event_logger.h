// Events in a log of spdlog. Nothing else of petri knows spdlog: a program that includes this links spdlog::spdlog (or
// spdlog::spdlog_header_only) itself.
#pragma once

#include <spdlog/logger.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "petri/event_sinks.h"
#include "petri/events.h"

namespace petri {

// The level of spdlog that stands for this one.
inline spdlog::level::level_enum spdlog_level_of(EventLevel level) {
  switch (level) {
    case EventLevel::debug: return spdlog::level::debug;
    case EventLevel::info: return spdlog::level::info;
    case EventLevel::warning: return spdlog::level::warn;
    case EventLevel::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Logs each event of the subscription as one line, the text of to_text() at the level of its kind, and as a warning how
// many the subscription had no room for. The listener's end() stops it, finish() only once all that waits is logged.
// What the logger does itself when it cannot write is up to it; only this listener's thread waits for it.
inline Result<EventListener> log_events(Subscription subscription, std::shared_ptr<spdlog::logger> logger) {
  if (!logger) return fail(ErrorCode::validation_failed, "a log of events needs a logger");
  // As a string, never as a format: braces in it mean nothing.
  const auto log = [](spdlog::logger& to, spdlog::level::level_enum level, const std::string& text) {
    to.log(level, spdlog::string_view_t(text.data(), text.size()));
  };
  const auto on_event = [logger, log](const Event& event) {
    const auto level = spdlog_level_of(level_of(event.kind));
    if (logger->should_log(level)) log(*logger, level, to_text(event));
  };
  const auto on_lost = [logger = std::move(logger), log](std::uint64_t lost) {
    log(*logger, spdlog::level::warn, "events.lost count=" + std::to_string(lost));
  };
  return EventListener::start(std::move(subscription), on_event, on_lost);
}

}  // namespace petri
