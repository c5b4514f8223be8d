#include "cli/progress_display.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace petri::cli {
namespace {

constexpr std::size_t kColumnsOtherwise = 80;

bool do_not_wait() { return true; }

void refresh_until(const std::stop_token& stop, ProgressDisplay& display) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    display.refresh();
    stopped.wait_for(lock, stop, ProgressDisplay::kInterval, [] { return false; });
  }
}

}  // namespace

ProgressDisplay::ProgressDisplay(OutputStream& stream, const Clock& clock, Shown shown)
    : stream_(stream), clock_(clock), shown_(shown == Shown::yes), start_(clock.now()), next_draw_(start_) {}

void ProgressDisplay::show(ProgressState state) {
  if (!shown_) return;
  const MutexLock lock(mutex_);
  state_ = std::move(state);
  draw_if_due();
}

void ProgressDisplay::refresh() {
  const MutexLock lock(mutex_);
  draw_if_due();
}

void ProgressDisplay::draw_if_due() {
  const Clock::TimePoint now = clock_.now();
  if (!state_ || now < next_draw_) return;
  next_draw_ = now + kInterval;
  state_->elapsed = now - start_;
  draw(progress_line(*state_, stream_.columns().value_or(kColumnsOtherwise)));
}

void ProgressDisplay::clear() {
  const MutexLock lock(mutex_);
  state_.reset();
  if (drawn_ == 0) return;
  draw("");
  stream_.write_control("\r", do_not_wait);
}

// Spaces take away what is left of a longer line before: every terminal knows them.
void ProgressDisplay::draw(const std::string& line) {
  stream_.write_control("\r", do_not_wait);
  std::string text = line;
  if (line.size() < drawn_) text.append(drawn_ - line.size(), ' ');
  drawn_ = line.size();
  stream_.write(text, do_not_wait);
}

ProgressTicker::ProgressTicker(ProgressDisplay& display) {
  if (!display.is_shown()) return;
  thread_ = std::jthread([&display](const std::stop_token& stop) { refresh_until(stop, display); });
}

}  // namespace petri::cli
