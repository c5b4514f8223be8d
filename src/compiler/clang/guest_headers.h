// The headers of guest/c, which every source may include without having them in its folder.
#pragma once

#include <vector>

#include "compiler/clang_job.h"

namespace petri {

// The folder that compilers search for them after the source's own.
inline constexpr const char* kGuestHeaderFolder = "__petri/guest";

const std::vector<JobFile>& guest_headers();

}  // namespace petri
