// Where an interpreted process trapped: the interpreter keeps no trace, so what the process did is repeated in compiled
// code, which does the same and does keep one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "petri/outcome.h"
#include "process/history.h"
#include "process/module_code.h"

namespace petri {

// The compiled code of a module that is there only to repeat what trapped. At most a tenth of the time is spent on
// that, so that a guest which traps again and again costs little more than before. Any thread.
class RetraceCode {
 public:
  static constexpr std::chrono::nanoseconds kCompileTimeMax = std::chrono::seconds(1);

  // False: somebody is at it, or it is too soon after the last time. After true, end() follows.
  bool try_start(Clock::TimePoint now);
  void end(Clock::TimePoint started, Clock::TimePoint now);

  // nullptr: it cannot be compiled in time. Between try_start() and end().
  CodePtr compiled_of(const ModuleCode& module, std::stop_token stop);

 private:
  std::atomic<bool> busy_{false};
  std::atomic<Clock::TimePoint::rep> not_before_{0};
  CodePtr compiled_;  // of whoever is busy with it
};

// One repetition.
struct Retrace {
  const ModuleCode& module;  // as it was loaded for the process
  const Code& compiled;
  HostSettings settings;  // those of the process; nothing that its guest does is passed on
  std::uint64_t seed = 0;
  std::string_view process;
  const std::atomic<std::uint32_t>& interrupt;

  // The backtrace of how this history ended, or nothing when the repetition comes to another end. Without a last
  // message it ended while it was started. Adds to `fuel_used` what the repetition takes.
  std::vector<Frame> run(const History& history, const Letter* last, const Outcome& ended, std::uint64_t& fuel_used);
};

}  // namespace petri
