// Repeats what an interpreted process did in compiled code, to find out where it trapped: the interpreter keeps no
// trace, and compiled code does the same and does keep one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "host/host_context.h"
#include "petri/outcome.h"
#include "process/history/history.h"
#include "process/instance/module_code.h"

namespace petri {

// The compiled code of a module that is there only to repeat what trapped. One thread at a time compiles and uses it;
// any thread may try to be that one.
class RetraceCode {
 public:
  static constexpr std::chrono::nanoseconds kCompileTimeMax = std::chrono::seconds(1);

  // Returns false if somebody else has entered. After true, leave() follows.
  bool try_enter() { return !busy_.exchange(true); }
  void leave() { busy_.store(false); }

  // For the thread that has entered. nullptr when the code cannot be compiled in time.
  CodePtr compiled_of(const ModuleCode& module, std::stop_token stop);

 private:
  std::atomic<bool> busy_{false};
  CodePtr compiled_;
};

// One repetition, on the thread that runs it. All that is referred to outlives it.
struct Retrace {
  const ModuleCode& module;  // as it was loaded for the process
  const Code& compiled;
  HostSettings settings;  // those of the process; nothing that its guest does is passed on
  std::uint64_t seed = 0;
  std::string_view process;
  const std::atomic<std::uint32_t>& interrupt;

  // The backtrace of how this history ended, or nothing when the repetition comes to another end. Without a last
  // message it ended while it was started. Adds to `fuel_used` what the repetition takes.
  std::vector<Frame> run(const History& history, const History::Step* last, const Outcome& ended,
                         std::uint64_t& fuel_used);
};

}  // namespace petri
