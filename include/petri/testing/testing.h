// Helpers for users who test their own sandboxes; petri's tests use them too. They need no test framework: the fault is
// returned as a string, empty when all is well.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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

// These return what is there instead of what was wanted; empty when it is as it should be.
std::string not_running(const Sandbox& sandbox);
std::string not_kind(const Result<Outcome>& outcome, OutcomeKind wanted);
std::string not_value(const Result<Outcome>& outcome, Value wanted);
std::string not_error(const Result<Outcome>& outcome, ErrorCode wanted);
std::string not_error(const Error* error, ErrorCode wanted);  // nullptr: it went well
// Overload for a Result of anything.
template <typename T>
std::string not_error(const Result<T>& result, ErrorCode wanted) {
  return not_error(result ? nullptr : &result.error(), wanted);
}
// The active version of a module.
std::string not_version(const Sandbox& sandbox, std::string_view module, std::uint64_t wanted);
// One field of the described state of a process, or one element of a list.
struct StateWanted {
  std::string field;
  StateValue value;
  std::uint32_t index = 0;
  std::string process;  // empty: the only one
};
std::string not_state(Sandbox& sandbox, const StateWanted& wanted);

// Waits until the condition returns an empty string: it is asked at once, and again after every event of the runtime,
// so nothing sleeps. Returns the last string when the time is over.
std::string eventually(Runtime& runtime, const std::function<std::string()>& what_is_wrong,
                       std::chrono::nanoseconds patience = std::chrono::seconds(10));

// A slow operation on a thread of its own: a reload, a fork, a compilation.
//   Pending reloading([&] { return sandbox.reload("m", source); });
//   Result<ReloadReport> report = reloading.wait();
// The destructor waits for it.
template <typename T>
class Pending {
 public:
  template <typename Function>
  explicit Pending(Function function) : result_(std::async(std::launch::async, std::move(function)).share()) {}

  bool done() const { return result_.wait_for(std::chrono::nanoseconds(0)) == std::future_status::ready; }
  // Waits for its report or its error; `timeout` when the patience is over, and the operation continues.
  Result<T> wait(std::chrono::nanoseconds patience = std::chrono::seconds(10)) const {
    if (result_.wait_for(patience) == std::future_status::ready) return result_.get();
    return fail(ErrorCode::timeout, "what was begun is not done yet");
  }

 private:
  std::shared_future<Result<T>> result_;
};
// The type of the result follows from the operation.
template <typename Function>
Pending(Function) -> Pending<typename std::invoke_result_t<Function>::value_type>;

// A guest whose state is described by a table at `petri_state`, with these values to begin with. `more` is put into the
// module: functions, imports. The memory is called $memory; state starts at the address a function finds in $state, and
// lies there as StateDocument::bytes() has it. validation_failed for fields or values that no document could have.
Result<Source> state_guest(std::span<const StateEntry> fields, std::string_view more = {});

// The state of a sandbox's processes now, to be compared with a later one, also in another version.
class StateCheck {
 public:
  explicit StateCheck(Sandbox sandbox);
  // The fields that do not have the value they had, by process; empty when all have. Fields that are new do not count.
  // The renames are those of the reload.
  std::string changes(const StateHints& renames = {}) const;

 private:
  mutable Sandbox sandbox_;
  std::map<std::string, Result<StateDocument>> before_;  // by process
};

// Carries the state by this plan to the new version and back again and compares: a property test does so for each
// document it makes. Empty when nothing is lost; `initial` is the new version's own document.
std::string lost_on_the_way(const StatePlan& plan, const StateDocument& document, const StateDocument& initial);

// Time that a test moves by hand: timers of guests, time-outs of call_async, shutdown times, restart windows, samples,
// uptime and what guests read from the clock follow it. It starts at the machine's time and stands still. How long a
// guest may run without a break (execution_time_max, the time-out of a run) is measured by the machine all the same.
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
  // Work that has become due starts soon, on threads of the runtime's: wait for it with eventually().
  void advance(Runtime& runtime, std::chrono::nanoseconds duration);
  // Sets the time that calendars show; decisions do not follow it.
  void set_wall(WallTime time);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Counts a process's threads, descriptors, children, sandboxes and files now, to be compared with a later count.
// Compile workers that petri keeps for the next module do not count.
class LeakCheck {
 public:
  // With a runtime its own threads do not count, and its sandboxes do. Files are those below the folder, if one is
  // given.
  explicit LeakCheck(const Runtime* runtime = nullptr, std::string folder = {});
  // The things there are more of, by name; empty when nothing is left over.
  std::string leaks() const;

 private:
  struct Found {
    std::map<std::string, int> threads;              // by name
    std::map<std::string, std::string> descriptors;  // number and target, by number and file
    std::set<int> children;                          // by process number, alive or not yet waited for
    std::set<std::string> sandboxes;
    std::set<std::string> files;
  };
  Found look() const;
  const Runtime* runtime_;
  const std::string folder_;
  Found before_;
};

// How much stress() does, and from which seed.
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
// Mixed verbs on a few sandboxes from many threads. Destroys what it created.
StressReport stress(Runtime& runtime, const StressOptions& options);

}  // namespace petri::testing
