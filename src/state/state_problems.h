// What is wrong with a state, gathered until all of it is known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "petri/result.h"

namespace petri {

struct StateStep;

// A name as messages show it: escaped, quoted and not too long.
std::string shown_name(std::string_view name);

class StateProblems {
 public:
  // `what` is a whole clause that names the field, as in: "count" is a list of 0 elements. A field's name becomes a
  // detail "field", followed by the details given.
  void add(std::string_view field, std::string what, std::vector<ErrorDetail> details = {});
  // A step that a plan refuses: its field, both types and the reason.
  void add(const StateStep& refused);
  bool empty() const { return count_ == 0; }
  // One error with all of them, unless there are none: `opening`, then the clauses.
  Result<void> result(ErrorCode code, std::string_view opening) const;

 private:
  struct Problem {
    std::string what;
    std::vector<ErrorDetail> details;
  };
  std::vector<Problem> kept_;
  std::size_t count_ = 0;
};

}  // namespace petri
