// Moves a live instance between two calls to other code: from the interpreter to compiled code, or to another version
// of the same layout.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/instance/instance.h"

namespace petri {

// A new instance of `code` that continues where `from` stands: memory with its size and all mutable globals are
// carried, start and `_initialize` do not run again. The module is movable and `from` whole; `code` is of the same
// artifact, or of one with the same layout (check_same_layout). On failure `from` is as it was; `cancelled` when the
// time, unless it is null, ended it.
Result<std::unique_ptr<Instance>> move_instance(Instance& from, const Code& code, const HostHooks& hooks,
                                                std::uint64_t memory_bytes_max, const MakingTime* time = nullptr);

}  // namespace petri
