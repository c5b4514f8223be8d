// A consumer of telemetry: counts what guests do from their events, warns of those that are ended by a limit, keeps the
// events in a file, and compares its counts with the metrics at the end.
#include <petri/event_sinks.h>
#include <petri/runtime.h>

#include <charconv>
#include <iostream>
#include <map>

#include "shared/example.h"

namespace telemetry_consumer {
namespace {

using petri::EventKind;
using petri::Result;

constexpr const char* kGuest = R"((module
  (func (export "work") (param $steps i32) (result i32)
    (loop $again
      (local.set $steps (i32.sub (local.get $steps) (i32.const 1)))
      (br_if $again (i32.gt_s (local.get $steps) (i32.const 0))))
    (local.get $steps))
  (func (export "spin") (loop $again (br $again)))
  (func (export "crash") unreachable)))";

// Counts of one sandbox. Only the thread of the listener writes it, until finish() has returned.
struct Counts {
  std::map<std::string, std::uint64_t, std::less<>> runs;  // by outcome
  std::uint64_t fuel = 0;
  std::uint64_t killed = 0;
};

class Dashboard {
 public:
  void on_event(const petri::Event& event) {
    Counts& counts = by_sandbox_[event.sandbox];
    if (event.kind == EventKind::run_stop) {
      ++counts.runs[std::string(event.text("outcome"))];
      counts.fuel += event.count("fuel_used");
    } else if (++counts.killed == kKillsBeforeWarning) {
      std::cout << "warning: " << event.sandbox << " was ended " << counts.killed << " times, the last time by "
                << event.text("limit") << " = " << event.count("allowed") << '\n';
    }
  }

  std::uint64_t runs() const {
    std::uint64_t all = 0;
    for (const auto& [sandbox, counts] : by_sandbox_) {
      for (const auto& [outcome, count] : counts.runs) all += count;
    }
    return all;
  }

  void print() const {
    for (const auto& [sandbox, counts] : by_sandbox_) {
      std::cout << sandbox << ": " << counts.fuel << " fuel;";
      for (const auto& [outcome, count] : counts.runs) std::cout << ' ' << outcome << ' ' << count;
      std::cout << '\n';
    }
  }

 private:
  static constexpr std::uint64_t kKillsBeforeWarning = 3;
  std::map<std::string, Counts, std::less<>> by_sandbox_;
};

// The sum of a family of the metrics, over all of its labels.
std::uint64_t metric(const std::string& text, const std::string& family) {
  std::uint64_t sum = 0;
  for (std::size_t at = text.find('\n' + family); at != std::string::npos; at = text.find('\n' + family, at + 1)) {
    const std::size_t number = text.rfind(' ', text.find('\n', at + 1)) + 1;
    std::uint64_t value = 0;
    std::from_chars(text.data() + number, text.data() + text.size(), value);
    sum += value;
  }
  return sum;
}

// Some that work, one that loops, one that crashes.
Result<void> make_load(petri::Runtime& runtime) {
  const char* functions[]{"work", "work", "spin", "crash"};
  for (std::size_t i = 0; i < std::size(functions); ++i) {
    PETRI_TRY(auto sandbox, runtime.create_sandbox({.id = functions[i] + ("-" + std::to_string(i)),
                                                    .modules = {{"guest", petri::Source::wat(kGuest)}},
                                                    .limits = {.fuel_max = 50'000}}));
    std::vector<petri::Value> arguments;
    if (i < 2) arguments.emplace_back(100 * (static_cast<int>(i) + 1));
    for (int run = 0; run < 5; ++run) PETRI_TRY(sandbox.run("guest", functions[i], arguments));
  }
  return {};
}

Result<void> consume(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) {
    return petri::fail(petri::ErrorCode::validation_failed, "give the file for the events as the only argument");
  }
  // Without quarantine the one that loops is run every time, so that there is something to see.
  PETRI_TRY(const auto runtime, petri::Runtime::create({.quarantine = {.limits_max = 0}}));
  PETRI_TRY(auto everything, runtime->subscribe());
  PETRI_TRY(const auto file, petri::EventFile::start(std::move(everything), {.path = arguments[0]}));
  PETRI_TRY(auto ends, runtime->subscribe({.kinds = {EventKind::run_stop, EventKind::killed_resource_limit}}));
  Dashboard dashboard;
  PETRI_TRY(auto listener, petri::EventListener::start(
                               std::move(ends), [&](const petri::Event& event) { dashboard.on_event(event); },
                               [](std::uint64_t lost) { std::cout << lost << " events were lost\n"; }));
  PETRI_TRY(make_load(*runtime));
  listener.finish();
  PETRI_TRY(file->close());
  dashboard.print();
  const std::uint64_t runs = metric(runtime->metrics(), "petri_runs_total");
  std::cout << dashboard.runs() << " runs in the events, " << runs << " in the metrics, " << file->status().lost
            << " events lost\n";
  if (dashboard.runs() == runs) return {};
  return petri::fail(petri::ErrorCode::host_fault, "the events and the metrics differ");
}

}  // namespace
}  // namespace telemetry_consumer

int main(int count, char** words) { return example::run(count, words, telemetry_consumer::consume); }
