// For tests: a folder of sources, a runtime that watches it, and the events that come of it.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "host/files/temporary_folder.h"
#include "petri/runtime.h"
#include "petri/testing/testing.h"

namespace petri {

// A counter whose state is a field, so that a reload carries it.
inline std::string counter_wat(int step) {
  return R"((module
  (global $count (export "state.count") (mut i32) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const )" +
         std::to_string(step) + R"())) (global.get $count))))";
}

class WatchFixture : public ::testing::Test {
 protected:
  static constexpr std::chrono::nanoseconds kDebounce = std::chrono::milliseconds(5);

  static RuntimeOptions with_clock(const Clock* clock) {
    RuntimeOptions options{.workers = 2};
    options.clock = clock;
    return options;
  }
  explicit WatchFixture(RuntimeOptions options = {.workers = 2})
      : runtime_(*Runtime::create(std::move(options))),
        events_(*runtime_->subscribe(
            {.kinds = {EventKind::compile_start, EventKind::compile_exception, EventKind::watch_reloaded,
                       EventKind::watch_failed, EventKind::watch_problem}})) {}

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  // A sandbox of one module, read from this file of the folder.
  Sandbox create(const std::string& id, const std::string& module, const std::string& file) {
    auto sandbox = runtime_->create_sandbox({.id = id, .modules = {{module, Source::file(path(file))}}});
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    return *sandbox;
  }
  void watch_folder(const std::string& id) {
    const auto watched = runtime_->watch(id, {.folder = folder_.path().string(), .debounce = kDebounce});
    EXPECT_TRUE(watched) << watched.error().message;
  }
  // The next event of this kind; others are kept.
  EventPtr await(EventKind kind) {
    while (EventPtr event = events_.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(30))) {
      seen_.push_back(event);
      if (event->kind == kind) return event;
      if (kind == EventKind::watch_reloaded && event->kind == EventKind::watch_failed) {
        ADD_FAILURE() << event->text("message");
      }
    }
    ADD_FAILURE() << "the event " << name_of(kind) << " has not come";
    return std::make_shared<Event>();
  }
  std::size_t seen(EventKind kind) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(seen_, [kind](const EventPtr& event) { return event->kind == kind; }));
  }
  static std::int32_t call(Sandbox& sandbox, std::string_view function, std::string process = {}) {
    const auto outcome = sandbox.call(function, {}, {.process = std::move(process)});
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -1;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Runtime> runtime_;
  Subscription events_;
  std::vector<EventPtr> seen_;
};

}  // namespace petri
