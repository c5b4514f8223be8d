// Finds the types that the numbers of the cases have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "petri/result.h"
#include "petri/value.h"

namespace petri::cli {

// The function looked for in the candidates.
struct WantedFunction {
  std::string name;
  std::size_t arguments = 0;
  std::uint64_t module_bytes_max = 0;
};

// The parameter types of the first candidate that exports such a function with this many parameters. Candidates of
// other types are evaluated all the same and become rows that say so. not_found when there is none: then nothing could
// be called, which is a misspelt name rather than a bad generation.
Result<std::vector<ValueType>> find_argument_types(std::span<const std::string> paths, const WantedFunction& wanted);

}  // namespace petri::cli
