// Whether a tree inside a larger spec makes sense.
#pragma once

#include <span>
#include <string>

#include "base/complaints.h"
#include "petri/tree.h"

namespace petri {

// What validate() finds, as complaints about places below the path `where`.
void check_tree(const SupervisorSpec& tree, std::span<const std::string> modules, const std::string& where,
                Complaints& complaints);

}  // namespace petri
