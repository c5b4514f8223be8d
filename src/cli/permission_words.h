// Permissions, and changes of them, as people type them.
#pragma once

#include <string>
#include <vector>

#include "petri/policy.h"

namespace petri::cli {

// "+clock" grants, "-clock" takes away, in the order they stand. Without a sign the words are the whole set, as
// "log,clock" or "log clock"; "none" is the empty one. Both ways in one line, and unknown names, are validation_failed.
Result<Permissions> change_permissions(Permissions permissions, const std::vector<std::string>& words);

// The value of --allow: "log,clock", "none", or changes of these permissions, "+file_write,-clock".
Result<Permissions> permissions_of_list(Permissions permissions, const std::string& list);

}  // namespace petri::cli
