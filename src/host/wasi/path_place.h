// Paths that a WASI guest names: where they start, and how a refusal is answered.
#pragma once

#include <string>
#include <string_view>

#include "host/host_function.h"
#include "host/wasi/errno.h"

namespace petri {

constexpr std::uint32_t kLookupFollow = 1;

// A path and the host's descriptor of the folder it starts from.
struct PathPlace {
  int at = -1;
  std::string path;
};

// badf or notdir unless `number` is an open folder, else as read_path().
WasiResult<PathPlace> find_place(FileCall& call, std::uint32_t number, std::uint32_t path, std::uint32_t length);

// A path that leads out of the folder, or over a link, is more than a mistake: it counts as a denial.
WasiErrno refuse_path(FileCall& call, WasiErrno why, Permission permission);

// success, or the refusal of a change.
WasiErrno answer_change(FileCall& call, WasiErrno end);

// The row of a function that takes a path.
HostFunctionRow path_row(std::string_view name, Permission permission);

}  // namespace petri
