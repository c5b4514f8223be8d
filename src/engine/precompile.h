// The compiler by itself: what the compile worker does for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace petri {

// The result of a compilation; valid inside the call that is handed it.
struct Precompiled {
  std::span<const std::uint8_t> machine_code;  // empty: it failed,
  std::string_view message;                    // and this says why
};

// Compiles a rewritten module and runs nothing of it. Needs 4 MiB of stack.
void precompile(std::span<const std::uint8_t> metered, bool frugal,
                const std::function<void(const Precompiled&)>& take);

// A second thread for this process, with so much stack, to which precompile() hands a part of each module. It runs when
// this returns. Only the thread that calls this compiles from then on, and the process forks no more. False: the
// machine gives no thread, and modules are compiled as before.
bool start_compile_helper(std::size_t stack_bytes);

}  // namespace petri
