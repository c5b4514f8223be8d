// Events as lines: text for people, JSON for programs, and a file that is written while events happen.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "petri/events.h"
#include "petri/result.h"

namespace petri {

// One object without a line end: {"event", "sequence", "time", "sandbox", "process", "correlation", "details"}. The
// time is UTC as RFC 3339 has it, cut to microseconds; "process" is left out where there is none. A number that JSON
// has no word for is a string: "nan", "inf", "-inf".
std::string to_json(const Event& event);

// A log record of OpenTelemetry for the event, a line as its collector reads them from files (OTLP/JSON): the event's
// name, time and severity, and an attribute "petri.KEY" for each fact: sequence, sandbox, process, correlation, the
// details.
std::string to_otlp_json(const Event& event);

// For people: the event, whom it is about, its correlation, then its details as key=value. A string that is more than
// one plain word stands in quotes:
//   process.exited orders/worker #7 reason=abnormal outcome=trapped message="no such order"
std::string to_text(const Event& event);

// The severity of an event for a reader of a log.
enum class EventLevel : std::uint8_t { debug, info, warning, error };
std::string_view name_of(EventLevel level);
EventLevel level_of(EventKind kind);

// The smallest bytes_max of a file.
constexpr std::uint64_t kEventFileBytesMin = std::uint64_t{128} << 10;

// The form of the lines of a file: to_json() or to_otlp_json().
enum class EventFormat : std::uint8_t { json, otlp_json };

// A file of events and its bounds.
struct EventFileOptions {
  std::string path;  // created if missing; otherwise appended to after the last complete line
  // A line that finds no room makes the file "PATH.1", in place of an older one, and starts a new one: the two hold
  // twice as much at most, whatever guests do.
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
  // The most that is written in a second, over a longer time; events wait for it as for a full disk.
  std::uint64_t bytes_per_second_max = std::uint64_t{16} << 20;
  std::chrono::nanoseconds retry_interval = std::chrono::seconds(1);  // of a file that cannot be written
  EventFormat format = EventFormat::json;
};

// Counts of a file of events, and what is wrong with it now.
struct EventFileStatus {
  std::uint64_t written = 0;  // events that are in the file, or were
  std::uint64_t lost = 0;     // events that are not: there was no room for them to wait, or at the end nowhere to write
  std::string problem;        // why the file cannot be written now; empty when it can
};

// Writes what a subscription gets as JSON Lines: one object an event, in the form that the options name.
// Events it had no room for are counted in a line of their own, "events.lost". While the file cannot be written, a full
// disk say, events wait in the subscription's queue, and those for which it has no room are lost and counted; the file
// is tried again each retry_interval. All members may be called from any thread.
class EventFile {
 public:
  // io_error names the path; busy when somebody else is writing the file, or the machine gives no thread;
  // validation_failed. The subscription is ended then.
  static Result<std::unique_ptr<EventFile>> start(Subscription subscription, EventFileOptions options);
  ~EventFile();  // close()
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  EventFileStatus status() const;

  // Writes what waits, then nothing more. io_error when the file cannot be written: the rest is lost and counted.
  Result<void> close();

 private:
  class Writer;
  explicit EventFile(std::unique_ptr<Writer> writer);
  std::unique_ptr<Writer> writer_;
};

}  // namespace petri
