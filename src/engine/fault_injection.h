// For tests: makes the engines fail where they must not.
#pragma once

#include <cstdint>

namespace petri {

enum class EngineStep : std::uint8_t { none, prepare, load, instantiate, call, drop, scan };

// The next such step on this thread panics inside the crate, once; `none` takes an earlier wish back.
void panic_at_next(EngineStep step);

}  // namespace petri
