// Random events in a random tree: what both supervisors are given.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "petri/tree.h"

namespace petri::otp {

// The words are those of Erlang; `shutdown_term` stands for {shutdown, Term}.
enum class Crash { normal, shutdown, shutdown_term, boom, kill };

struct CrashProcess {
  std::string address;
  Crash how = Crash::boom;
};
// The next starts of this process fail.
struct FailStarts {
  std::string address;
  std::uint32_t count = 1;
};
// When the process is next started (or told to stop), a sibling ends in the midst of it.
struct CrashDuring {
  bool stop = false;  // else start
  std::string address;
  std::string victim;
  Crash how = Crash::boom;
};
struct PassTime {
  std::uint32_t seconds = 0;
};
enum class Verb { add_child, add_instance, stop_one, restart_one, remove_one };
struct Ask {
  std::string supervisor;
  bool of_template = false;  // the supervisor is simple_one_for_one
  Verb verb = Verb::stop_one;
  std::string id;
  std::vector<TreeChild> child;  // one, with add_child
};
using BurstItem = std::variant<CrashProcess, FailStarts, Ask>;
// All of these are in the supervisor's inbox before it comes to the first.
struct Burst {
  std::string supervisor;
  std::vector<BurstItem> items;
};
using TraceStep = std::variant<CrashProcess, FailStarts, CrashDuring, PassTime, Ask, Burst>;

struct Trace {
  std::uint64_t number = 0;
  SupervisorSpec tree;
  std::vector<TraceStep> before;  // the tree is started; FailStarts and CrashDuring
  std::vector<TraceStep> steps;   // afterwards; the last act of every trace is an orderly stop
};

// The trace of a seed and number, always the same.
Trace make_trace(std::uint64_t seed, std::uint64_t number);
// One Erlang term on one line, with its full stop.
std::string to_erlang(const Trace& trace);

}  // namespace petri::otp
