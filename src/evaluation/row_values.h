// How much of a candidate's results its row may keep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "petri/evaluate.h"
#include "petri/result.h"

namespace petri {

// A module's gate allows no function more results.
constexpr std::size_t kResultsMax = 64;

constexpr std::uint64_t value_bytes(std::size_t cases, std::size_t results) {
  return std::uint64_t{cases} * results * sizeof(std::uint64_t);
}

// The number of cases is the caller's choice and the number of results the candidate's: one value a case may always be
// kept, several only as far as memory_bytes_max goes. too_large.
Result<void> check_row_values(const EvaluationSpec& spec, std::size_t cases, std::size_t results);

// What the row of any candidate keeps at most.
std::uint64_t row_bytes_max(const EvaluationSpec& spec, std::size_t cases);

}  // namespace petri
