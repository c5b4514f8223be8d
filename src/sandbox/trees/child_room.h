// The part of their sandbox's memory that children take before they run, and the request for one.
#pragma once

#include <memory>
#include <string_view>

#include "petri/tree.h"
#include "process/account/tree_account.h"
#include "sandbox/trees/tree_runner.h"

namespace petri {

// Takes what the spec of a child occupies in its supervisor's table; it is on the account until the last who has this
// is gone. limit_exceeded when there is no room.
Result<std::shared_ptr<void>> must_have_room_for(const std::shared_ptr<TreeAccount>& account, const TreeChild& child);

// The request to a supervisor that has a template: the spec that its instance will have is held on the account. Where
// there is no template the supervisor refuses the request itself.
Result<AddInstance> instance_request(const std::shared_ptr<TreeAccount>& account, const TreeRunner& tree,
                                     const InstanceSpec& instance, std::string_view supervisor);

}  // namespace petri
