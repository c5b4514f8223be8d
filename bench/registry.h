// The benchmarks `petri-dev bench` knows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/statistics.h"
#include "petri/result.h"

namespace petri::bench {

// The result of one benchmark, in its unit. The reference is the bare engine, or whatever `what` names, measured in the
// same run.
struct Measurement {
  Sampled value = 0;
  std::optional<Sampled> reference;
  std::vector<std::string> notes = {};  // what the value is made of, a line each; shown when asked for
};

struct Benchmark {
  std::string name;  // as `petri-dev bench NAME` and JSON spell it; ends in its unit where it has one
  std::string unit;
  std::string what;  // one line: what is measured, against what
  std::string bar;   // what is expected, "<= 12"; empty: reported only
  std::function<Result<Measurement>()> measure;
  bool only_when_named = false;  // takes too long to be run with the others
};

// All of them, in the order they are run.
const std::vector<Benchmark>& benchmarks();

}  // namespace petri::bench
