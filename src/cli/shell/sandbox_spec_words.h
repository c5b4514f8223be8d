// The arguments of `create` as the spec of a sandbox.
#pragma once

#include "cli/shell/bound_arguments.h"
#include "petri/sandbox.h"

namespace petri::cli {

// Files are read: every module of the spec has its bytes with it. Options stand over what a --spec file says.
// What is wrong with any of it is reported at once.
Result<SandboxSpec> read_spec(const BoundArguments& arguments);

// All of the spec's modules may have this many bytes; what is larger is refused with the runtime's own words.
constexpr std::uint64_t kShellModuleBytesMax = 100ULL << 20;

}  // namespace petri::cli
