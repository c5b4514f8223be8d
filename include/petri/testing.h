// What petri gives its users for testing their own sandboxes, and uses itself. Needs no test framework: what is wrong
// comes back as a text, empty when all is well.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "petri/runtime.h"

namespace petri::testing {

// "name-1", "name-2", ...: never twice in a process.
std::string unique_id(std::string_view name);

// A sandbox that is destroyed with its scope, also when a test ends half-way.
class ScopedSandbox {
 public:
  // Gives the spec an id of its own unless it has one.
  static Result<ScopedSandbox> create(Runtime& runtime, SandboxSpec spec);
  ~ScopedSandbox();
  ScopedSandbox(ScopedSandbox&& other) noexcept
      : runtime_(std::exchange(other.runtime_, nullptr)), sandbox_(std::move(other.sandbox_)) {}
  ScopedSandbox& operator=(ScopedSandbox&&) = delete;

  Sandbox* operator->() { return &sandbox_; }
  Sandbox& operator*() { return sandbox_; }

 private:
  ScopedSandbox(Runtime& runtime, Sandbox sandbox) : runtime_(&runtime), sandbox_(std::move(sandbox)) {}
  Runtime* runtime_;
  Sandbox sandbox_;
};

// What is there instead of what was wanted; empty when it is as it should be.
std::string not_running(const Sandbox& sandbox);
std::string not_kind(const Result<Outcome>& outcome, OutcomeKind wanted);
std::string not_value(const Result<Outcome>& outcome, Value wanted);
std::string not_error(const Result<Outcome>& outcome, ErrorCode wanted);

// Waits until the condition gives an empty text: it is asked at once, and again after every event of the runtime, so
// nothing sleeps. Answers the last text when the time is over.
std::string eventually(Runtime& runtime, const std::function<std::string()>& what_is_wrong,
                       std::chrono::nanoseconds patience = std::chrono::seconds(10));

// Time that a test moves by hand: timers of guests, time-outs of call_async, shutdown times, restart windows, samples,
// uptime and what guests read from the clock follow it. It begins at the machine's and stands still. How long a guest
// may run without a break (execution_time_max, the time-out of a run) is measured by the machine all the same.
//   ManualTime time;
//   auto runtime = Runtime::create({.clock = time.clock()});
//   time.advance(**runtime, 5s);
class ManualTime {
 public:
  ManualTime();
  ~ManualTime();
  ManualTime(const ManualTime&) = delete;
  ManualTime& operator=(const ManualTime&) = delete;

  const Clock* clock() const;
  // What has become due is begun soon, on threads of the runtime's: wait for it with eventually().
  void advance(Runtime& runtime, std::chrono::nanoseconds duration);
  // What calendars show; decisions do not follow it.
  void set_wall(std::chrono::sys_time<std::chrono::nanoseconds> time);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What there is of a process's threads, descriptors and sandboxes now, to be compared with what there is later.
class LeakCheck {
 public:
  // With a runtime its own threads do not count, and its sandboxes do.
  explicit LeakCheck(const Runtime* runtime = nullptr);
  // What there is more of, by name; empty when nothing is left over.
  std::string leaks() const;

 private:
  struct Found {
    std::map<std::string, int> threads;  // by name
    std::set<std::string> descriptors;   // number and target
    std::set<std::string> sandboxes;
  };
  static Found look(const Runtime* runtime);
  const Runtime* runtime_;
  Found before_;
};

struct StressOptions {
  std::size_t threads = 4;
  std::size_t operations = 1'000;  // of each thread
  std::uint64_t seed = 1;
  std::size_t ids = 8;  // sandboxes they share
};
struct StressReport {
  std::uint64_t seed = 0;
  std::map<std::string, std::uint64_t> results;  // by verb and result: "call ok", "create already_exists"
  std::uint64_t operations() const;
};
// Mixed verbs on a few sandboxes from many threads. Destroys what it made.
StressReport stress(Runtime& runtime, const StressOptions& options);

}  // namespace petri::testing
