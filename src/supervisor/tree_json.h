// Trees inside larger JSON documents.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>

#include "base/complaints.h"
#include "petri/tree.h"

namespace petri {

// Reads as far as it can; what it cannot is in `complaints`, below the path `where`, and holds the default in the tree.
SupervisorSpec read_tree(const nlohmann::json& json, const std::string& where, Complaints& complaints);
// One child that is a process, which a guest asks for. On the guest's clock: `go_on` is asked while it is parsed, false
// gives up. At most `bytes_max` bytes are read.
Result<ChildSpec> parse_child(std::string_view json, std::size_t bytes_max, const std::function<bool()>& go_on);
nlohmann::json write_tree(const SupervisorSpec& tree);

}  // namespace petri
