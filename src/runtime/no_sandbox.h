// The answer to an id that no sandbox has.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/ids.h"
#include "base/text/escape.h"
#include "petri/result.h"

namespace petri {

inline std::unexpected<Error> no_sandbox(std::string_view id) {
  return fail(ErrorCode::not_found, fmt::format("there is no sandbox {}", escape_text(id, kSandboxIdBytesMax)));
}

}  // namespace petri
