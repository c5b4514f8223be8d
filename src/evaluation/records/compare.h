// Finds what differs between two records of the same candidate.
#pragma once

#include <optional>
#include <string>

#include "petri/evaluate.h"

namespace petri {

struct FieldDifference {
  std::string field;  // as the records file spells it
  std::string in_file;
  std::string found;
};

// The first field that is not the same, in the order of the file. The row and what it repeats are not compared.
std::optional<FieldDifference> first_difference(const Record& in_file, const Record& found);

}  // namespace petri
