// The lines of text that are printed about a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evolve/generations.h"

namespace evolve {

std::string with_commas(std::uint64_t number);
// "ok 20,480  trapped 3": those that happened.
std::string outcomes_text(const Tally& tally);

// A picture of the moment: numbers, and the best so far.
std::vector<std::string> moment(const Problem& problem, const Tally& tally);
// One line for a best that is better than the last; the same on every machine.
std::string milestone(const Problem& problem, const Tally& tally);
// How it ended and how quick it was.
std::string ending(const Problem& problem, const GenerationsEnd& end);
// The next steps that a user can take with a records file.
std::vector<std::string> next_steps(const std::string& records);

struct RunResult {
  std::uint64_t seed = 0;
  GenerationsEnd end;
};
// One object: {"seed":1,"solved":true,...}.
std::string to_json(const Problem& problem, const RunResult& result);
// "seed 7: solved, 18,176 evaluations, 0.4 s: 19 comparators ...".
std::string to_line(const Problem& problem, const RunResult& result);

}  // namespace evolve
