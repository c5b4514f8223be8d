// Events of a runtime, for those who subscribe, and the usage of its sandboxes. Events without a subscriber cost
// nothing.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "petri/result.h"
#include "petri/value.h"

namespace petri {

// The usage of a sandbox, summed over its whole tree of processes and its current runs.
struct Usage {
  std::uint64_t memory_bytes = 0;  // of its guests: memories, tables, answers
  std::uint64_t host_bytes = 0;    // that the host holds for them: messages, timers, children, listings, replies
  std::uint64_t processes = 0;
  std::uint64_t messages = 0;            // that wait in mailboxes
  std::uint64_t descriptors = 0;         // of the host that they have open
  std::uint64_t threads = 0;             // of the host that handle something for them, or wait to
  std::uint64_t fuel_used = 0;           // never falls
  std::chrono::nanoseconds cpu_time{0};  // never falls
  double cpu_percent = 0;                // of one core, over the last second
  std::chrono::nanoseconds uptime{0};
  bool operator==(const Usage&) const = default;
};

// The usage at one moment.
struct UsageSample {
  WallTime time;
  Usage usage;
  bool operator==(const UsageSample&) const = default;
};

// The name of sandbox_created is "sandbox.created", and so on: the family, a dot, the event.
// docs/reference/events.md has the details of each.
enum class EventKind : std::uint8_t {
  sandbox_created,
  sandbox_status,
  sandbox_destroyed,
  sandbox_failed,
  process_started,
  process_exited,
  process_restarted,
  process_gave_up,
  module_loaded,
  module_rejected,
  run_start,
  run_stop,
  run_exception,
  killed_resource_limit,
  killed_timeout,
  usage_sampled,
  limit_warning,
  limit_met,
  breaker_opened,
  breaker_half_open,
  breaker_closed,
  host_pressure,
  security_denied,
  security_quarantined,
  sandbox_recovery,
  module_staged,
  module_reloaded,
  module_rolled_back,
  module_no_change,
  compiling_unavailable,
  evaluate_start,
  evaluate_stop,
  evaluate_exception,
  batch_start,
  batch_stop,
  batch_exception,
  compile_start,
  compile_stop,
  compile_exception,
  gc_collected,
  watch_reloaded,
  watch_failed,
  watch_problem,
};
std::string_view name_of(EventKind kind);
std::optional<EventKind> event_kind_named(std::string_view name);
const std::vector<EventKind>& all_event_kinds();

// A set of kinds of events.
class EventKinds {
 public:
  constexpr EventKinds() = default;
  constexpr EventKinds(std::initializer_list<EventKind> kinds) {
    for (const EventKind kind : kinds) bits_ |= bit(kind);
  }
  // Every kind there is.
  static constexpr EventKinds all() { return EventKinds((bit(EventKind::watch_problem) << 1) - 1); }

  // True if the set has this kind; empty() if it has none.
  constexpr bool has(EventKind kind) const { return (bits_ & bit(kind)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  // The kinds of both sets.
  constexpr EventKinds with(EventKinds others) const { return EventKinds(bits_ | others.bits_); }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool operator==(const EventKinds&) const = default;

 private:
  explicit constexpr EventKinds(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t bit(EventKind kind) { return std::uint64_t{1} << static_cast<unsigned>(kind); }
  std::uint64_t bits_ = 0;
};

// The number that the events of one operation share; 0 is none.
struct Correlation {
  std::uint64_t id = 0;
  bool operator==(const Correlation&) const = default;
};

// The key of a detail: a literal, so that it outlives every event.
class EventKey {
 public:
  template <std::size_t Size>
  consteval EventKey(const char (&literal)[Size]) : text_(literal, Size - 1) {}
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// The value of a detail.
using EventValue = std::variant<std::string, std::int64_t, std::uint64_t, double>;

// One fact of an event.
struct EventDetail {
  std::string_view key;
  EventValue value;
  bool operator==(const EventDetail&) const = default;
};

// A string of a detail beyond this is cut and ends in "…".
constexpr std::size_t kEventTextBytesMax = 1'024;

// One thing that happened: what, when, to whom, and the facts of it.
struct Event {
  EventKind kind = EventKind::sandbox_created;
  std::uint64_t sequence = 0;  // grows from event to event of a runtime
  WallTime time;
  std::string sandbox;
  std::string process;  // empty when the event is about the sandbox as a whole
  Correlation correlation;
  std::vector<EventDetail> details;

  // The value of this key, or nullptr.
  const EventValue* detail(std::string_view key) const;
  // The value of this key if it is a string, else an empty one.
  std::string_view text(std::string_view key) const;
  // The value of this key if it is an integer and not negative, else 0.
  std::uint64_t count(std::string_view key) const;

  // Adds a detail, and returns the event.
  Event& add(EventKey key, std::string_view text);
  Event& add(EventKey key, std::chrono::nanoseconds duration) { return put(key, std::int64_t{duration.count()}); }
  Event& add(EventKey key, std::floating_point auto number) { return put(key, static_cast<double>(number)); }
  Event& add(EventKey key, std::signed_integral auto number) { return put(key, static_cast<std::int64_t>(number)); }
  Event& add(EventKey key, std::unsigned_integral auto number) { return put(key, static_cast<std::uint64_t>(number)); }
  Event& add(EventKey key, std::same_as<bool> auto truth) = delete;

 private:
  Event& put(EventKey key, EventValue value);
};
// An event is shared by all its subscribers.
using EventPtr = std::shared_ptr<const Event>;

// The queue of a subscription: its default and its maximum.
constexpr std::size_t kEventQueueDefault = 1'024;
constexpr std::size_t kEventQueueMax = 1'000'000;

// The events that a subscriber wants, and how many may wait.
struct SubscriptionOptions {
  std::string sandbox;  // empty: of all sandboxes
  std::string process;  // empty: of all processes, and what is about none
  EventKinds kinds = EventKinds::all();
  // Events that wait to be read, at most. When it is full the newest of whichever sandbox has most waiting are lost and
  // counted: of each, an unbroken run of events is kept that starts with the cause of a storm, nobody crowds out the
  // others, and the publishers never wait.
  std::size_t queue_max = kEventQueueDefault;
};

class EventChannel;

// Events as one subscriber gets them: in the order of their sequence, each once. It may outlive the runtime: then what
// waits can still be read, and nothing follows. All members but moves and the destructor may be called from any thread.
class Subscription {
 public:
  // A moment for wait_until().
  using TimePoint = std::chrono::steady_clock::time_point;

  Subscription() = default;  // an ended one
  ~Subscription();           // end()
  Subscription(Subscription&&) noexcept = default;
  Subscription& operator=(Subscription&& other) noexcept;

  // The next event that waits; nullptr when none does.
  EventPtr next();
  // Waits for one. nullptr when none can come any more, or when `stop` was requested.
  EventPtr wait(std::stop_token stop = {});
  // The next event, or nullptr once the deadline has passed.
  EventPtr wait_until(TimePoint deadline, std::stop_token stop = {});

  // How many events the queue had no room for.
  std::uint64_t lost() const;

  // Nothing arrives after it has returned; what waits can still be read.
  void close();
  // Closes the subscription and drops the events that wait.
  void end();

 private:
  friend class EventBus;
  explicit Subscription(std::shared_ptr<EventChannel> channel) : channel_(std::move(channel)) {}
  std::shared_ptr<EventChannel> channel_;
};

// A subscription whose events are handed to a callback, one at a time, on a thread of the listener's own.
class EventListener {
 public:
  // Called with each event.
  using Callback = std::function<void(const Event&)>;
  // How many more events the queue had no room for since this was last reported.
  using LossCallback = std::function<void(std::uint64_t lost)>;

  // A callback that throws ends the subscription. `on_lost` may be empty; it is called on the same thread, when no
  // event waits and after some hundred that did. `busy` when the machine gives no thread.
  static Result<EventListener> start(Subscription subscription, Callback callback, LossCallback on_lost = {});

  EventListener() = default;  // an ended one
  ~EventListener();           // end()
  EventListener(EventListener&&) noexcept = default;
  EventListener& operator=(EventListener&& other) noexcept;

  std::uint64_t lost() const;

  // Waits for a callback that is running: none runs after it has returned. The callback itself may call it, and may
  // destroy the listener; it is then the last one.
  void end();
  // As end(), once the callback has had all events that wait now.
  void finish();

 private:
  class Delivery;
  explicit EventListener(std::shared_ptr<Delivery> delivery) : delivery_(std::move(delivery)) {}
  std::shared_ptr<Delivery> delivery_;
};

}  // namespace petri
