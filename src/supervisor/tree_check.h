// Checks a tree inside a larger spec.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/complaints.h"
#include "petri/tree.h"

namespace petri {

// The start of the sentence about everything that is wrong with a tree.
constexpr std::string_view kTreeOpening = "the tree cannot be used";

// Adds what validate() finds, as complaints about places below the path `where`.
void check_tree(const SupervisorSpec& tree, std::span<const std::string> modules, const std::string& where,
                Complaints& complaints);

}  // namespace petri
