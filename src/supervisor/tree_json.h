// Trees inside larger JSON documents.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "petri/tree.h"
#include "supervisor/tree_complaints.h"

namespace petri {

// Reads as far as it can; what it cannot is in `complaints`, below the path `where`, and holds the default in the tree.
SupervisorSpec read_tree(const nlohmann::json& json, const std::string& where, TreeComplaints& complaints);
nlohmann::json write_tree(const SupervisorSpec& tree);

}  // namespace petri
