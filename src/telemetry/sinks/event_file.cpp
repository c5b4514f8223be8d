#include <fmt/format.h>

#include <new>
#include <optional>

#include "base/mutex.h"
#include "petri/event_sinks.h"
#include "telemetry/sinks/event_json.h"
#include "telemetry/sinks/rate_limit.h"
#include "telemetry/sinks/rolling_file.h"

namespace petri {
namespace {

Result<void> check(const EventFileOptions& options) {
  std::string problems;
  const auto add = [&](std::string_view problem) { problems.append(problems.empty() ? "" : " ").append(problem); };
  if (options.path.empty()) add("a file of events needs a path");
  if (options.bytes_max < kEventFileBytesMin) {
    add(fmt::format("bytes_max is {} but is at least {}, so that every line finds room", options.bytes_max,
                    kEventFileBytesMin));
  }
  if (options.bytes_per_second_max == 0) add("bytes_per_second_max is at least 1");
  if (options.retry_interval <= std::chrono::nanoseconds(0)) add("retry_interval is more than 0");
  if (problems.empty()) return {};
  return fail(ErrorCode::validation_failed, std::move(problems));
}

}  // namespace

// The work of the listener's thread. The file and what follows it belong to that thread until it has ended.
class EventFile::Writer {
 public:
  Writer(std::unique_ptr<RollingFile> file, const EventFileOptions& options)
      : is_otlp_(options.format == EventFormat::otlp_json),
        retry_interval_(options.retry_interval),
        file_(std::move(file)),
        rate_limit_(options.bytes_per_second_max) {}

  Result<void> listen(Subscription subscription);
  EventFileStatus status() const EXCLUDES(mutex_);
  Result<void> close() EXCLUDES(mutex_);

 private:
  void write_event(const Event& event);
  void write_loss(std::uint64_t count);
  bool write(std::string line);
  bool try_again_later(Error problem) EXCLUDES(mutex_);
  void wait_until(Clock::TimePoint time) REQUIRES(mutex_);

  const bool is_otlp_;
  const std::chrono::nanoseconds retry_interval_;
  const std::unique_ptr<RollingFile> file_;
  RateLimit rate_limit_;
  std::uint64_t sequence_ = 0;  // of the last event, with its time
  WallTime time_;

  mutable Mutex mutex_;
  Condition changed_;
  bool closing_ GUARDED_BY(mutex_) = false;
  std::uint64_t written_ GUARDED_BY(mutex_) = 0;
  std::uint64_t not_written_ GUARDED_BY(mutex_) = 0;
  std::optional<Error> problem_ GUARDED_BY(mutex_);
  std::optional<Error> gave_up_ GUARDED_BY(mutex_);  // the first problem that nothing was left to try after
  EventListener listener_;                           // the last, so that its thread ends before the rest goes
};

Result<void> EventFile::Writer::listen(Subscription subscription) {
  PETRI_TRY(listener_, EventListener::start(
                           std::move(subscription), [this](const Event& event) { write_event(event); },
                           [this](std::uint64_t lost) { write_loss(lost); }));
  return {};
}

void EventFile::Writer::write_event(const Event& event) {
  bool written = false;
  try {
    sequence_ = event.sequence;
    time_ = event.time;
    written = write(is_otlp_ ? to_otlp_json(event) : to_json(event));
  } catch (const std::bad_alloc&) {  // it is lost, and the next may find memory
  }
  const MutexLock lock(mutex_);
  ++(written ? written_ : not_written_);
}

void EventFile::Writer::write_loss(std::uint64_t count) {
  try {
    write(is_otlp_ ? lost_otlp_json(count, sequence_, time_) : lost_json(count, sequence_, time_));
  } catch (const std::bad_alloc&) {  // status() still counts them
  }
}

// Stays with this line until it is in the file, so that events wait in the queue, which is bounded. When the file is
// closed each line has one more try.
bool EventFile::Writer::write(std::string line) {
  line += '\n';
  for (;;) {
    auto written = file_->append(line);
    if (!written && try_again_later(std::move(written.error()))) continue;
    if (!written) return false;
    const MutexLock lock(mutex_);
    problem_.reset();
    wait_until(rate_limit_.take(line.size(), std::chrono::steady_clock::now()));
    return true;
  }
}

bool EventFile::Writer::try_again_later(Error problem) {
  const MutexLock lock(mutex_);
  problem_ = std::move(problem);
  if (closing_) {
    if (!gave_up_) gave_up_ = problem_;
    return false;
  }
  wait_until(std::chrono::steady_clock::now() + retry_interval_);
  return true;
}

// Or until the file is being closed.
void EventFile::Writer::wait_until(Clock::TimePoint time) {
  while (!closing_ && std::chrono::steady_clock::now() < time) changed_.wait_until(mutex_, time);
}

EventFileStatus EventFile::Writer::status() const {
  const std::uint64_t lost = listener_.lost();
  const MutexLock lock(mutex_);
  return {.written = written_, .lost = lost + not_written_, .problem = problem_ ? problem_->message : std::string()};
}

Result<void> EventFile::Writer::close() {
  {
    const MutexLock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  listener_.finish();
  const MutexLock lock(mutex_);
  if (gave_up_) return fail(*gave_up_);
  return file_->close();
}

Result<std::unique_ptr<EventFile>> EventFile::start(Subscription subscription, EventFileOptions options) {
  PETRI_TRY(check(options));
  PETRI_TRY(auto file, RollingFile::open(std::move(options.path), options.bytes_max));
  auto writer = std::make_unique<Writer>(std::move(file), options);
  PETRI_TRY(writer->listen(std::move(subscription)));
  return std::unique_ptr<EventFile>(new EventFile(std::move(writer)));
}

EventFile::EventFile(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

EventFile::~EventFile() { static_cast<void>(close()); }

EventFileStatus EventFile::status() const { return writer_->status(); }

Result<void> EventFile::close() { return writer_->close(); }

}  // namespace petri
