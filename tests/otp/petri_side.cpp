// Writes random traces for the oracle, and what petri does with them.
//
//   petri_side SEED FIRST COUNT TRACES_FILE LOG_FILE
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "replay.h"

int main(int count, char** arguments) {
  using namespace petri::otp;
  if (count != 6) {
    fmt::print(stderr, "usage: petri_side SEED FIRST COUNT TRACES_FILE LOG_FILE\n");
    return 2;
  }
  const auto number = [&](int index) { return std::strtoull(arguments[index], nullptr, 10); };
  std::ofstream traces(arguments[4]);
  std::ofstream log(arguments[5]);
  for (std::uint64_t index = number(2); index < number(2) + number(3); ++index) {
    const Trace trace = make_trace(number(1), index);
    traces << to_erlang(trace) << '\n';
    log << replay(trace);
  }
  traces.close();
  log.close();
  if (traces && log) return 0;
  fmt::print(stderr, "petri_side: cannot write {} and {}\n", arguments[4], arguments[5]);
  return 1;
}
