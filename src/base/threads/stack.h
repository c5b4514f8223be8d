// How much native stack there is, and a way to have more.
//
// Guests recurse on the stack of the thread that runs them, and neither engine may meet its end before petri's own
// depth limit. Code that enters a guest therefore knows how much the guest may need and asks for it here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "petri/result.h"

namespace petri {

// The stack kept free beside the bytes asked for: host functions and signal handlers run on it.
constexpr std::size_t kStackReserveBytes = std::size_t{256} << 10;

// Where this thread's stack ends; 0 until it was looked for. Here so that asking costs no call.
extern constinit thread_local std::uintptr_t this_stack_end;
std::uintptr_t find_stack_end();

// Bytes between here and the end of this thread's stack.
inline std::size_t stack_bytes_left() {
  if (this_stack_end == 0) [[unlikely]]
    this_stack_end = find_stack_end();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here > this_stack_end ? here - this_stack_end : 0;
}

// Gives back to the machine what finished calls have left between here and the end of this thread's stack.
void return_stack_pages();

// Set by code that enters a guest that may recurse deeply; a thread that is kept for later looks, and returns its
// pages.
extern constinit thread_local bool this_stack_was_deep;
constexpr std::size_t kDeepStackBytes = std::size_t{256} << 10;

class ThreadPool;

// How many idle threads a pool for run_with_stack keeps.
constexpr std::size_t kIdleStackThreadsMax = 4;

// Runs `call(data)`, which must not throw, with at least this much stack: here if this thread has it, else on a thread
// of the pool while the caller waits. nullptr: on a thread that is started for it. `busy` when the machine gives no
// such thread: then nothing was run. What the call put on the other stack is given back to the machine.
Result<void> run_with_stack_erased(ThreadPool* threads, std::size_t bytes_needed, void (*call)(void* data), void* data);

// As above, for a callable that returns a Result<T>. Thread-local variables inside may be those of another thread.
template <typename Function>
std::invoke_result_t<Function&> run_with_stack(ThreadPool* threads, std::size_t bytes_needed, Function&& function) {
  using Answer = std::invoke_result_t<Function&>;
  struct Call {
    Function& function;
    std::optional<Answer> answer;
  } call{function, std::nullopt};
  const auto enter = [](void* data) noexcept {
    auto& entered = *static_cast<Call*>(data);
    entered.answer.emplace(entered.function());
  };
  PETRI_TRY(run_with_stack_erased(threads, bytes_needed, enter, &call));
  return std::move(*call.answer);
}

}  // namespace petri
