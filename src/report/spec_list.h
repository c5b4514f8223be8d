// What was evaluated, under which limits.
#pragma once

#include <string>

#include "petri/records.h"

namespace petri {

std::string spec_list(const RecordsHeader& header);

}  // namespace petri
