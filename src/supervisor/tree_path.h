// Where something stands in a tree: "children[0].children[1].intensity".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/complaints.h"

namespace petri {

std::string child_path(const std::string& parent, std::size_t index);
std::string field_path(const std::string& parent, std::string_view field);

// One validation_failed for a tree that stands alone, with a detail "field" for each complaint.
Result<void> tree_result(const Complaints& complaints);

}  // namespace petri
