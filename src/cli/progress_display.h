// A progress line on a terminal, drawn over itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "cli/console.h"
#include "cli/progress_line.h"

namespace petri::cli {

// Draws now and then, however often it is called; without a terminal, or when it is not wanted, it draws nothing. Safe
// to use from any thread, as long as nobody else writes to the stream. A terminal that is held up (Ctrl-S) loses lines
// and holds up nobody.
class ProgressDisplay {
 public:
  static constexpr auto kInterval = std::chrono::milliseconds(100);

  enum class Shown : bool { no, yes };
  ProgressDisplay(OutputStream& stream, const Clock& clock, Shown shown);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  bool is_shown() const { return shown_; }
  // `elapsed` is since the display was made, whatever the state says.
  void show(ProgressState state) EXCLUDES(mutex_);
  // The same state again, later.
  void refresh() EXCLUDES(mutex_);
  // Takes the line away, so that other words can follow.
  void clear() EXCLUDES(mutex_);

 private:
  void draw_if_due() REQUIRES(mutex_);
  void draw(const std::string& line) REQUIRES(mutex_);
  OutputStream& stream_;
  const Clock& clock_;
  const bool shown_;
  const Clock::TimePoint start_;
  Mutex mutex_;
  std::optional<ProgressState> state_ GUARDED_BY(mutex_);
  Clock::TimePoint next_draw_ GUARDED_BY(mutex_);
  std::size_t drawn_ GUARDED_BY(mutex_) = 0;  // columns on the terminal now
};

// While it lives, refreshes the display: one slow candidate after many quick ones would otherwise leave an old state on
// the terminal. A thread of its own, unless the display shows nothing.
class ProgressTicker {
 public:
  explicit ProgressTicker(ProgressDisplay& display);

 private:
  std::jthread thread_;
};

}  // namespace petri::cli
