#include "base/threads/stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/threads/large_thread.h"
#include "base/threads/thread_pool.h"

namespace petri {
namespace {

// A pool's thread gives its pages back when it sees that its stack was deep.
Result<void> run_on_pool(ThreadPool& threads, void (*call)(void* data), void* data) {
  return threads.run(1, [=](unsigned) {
    call(data);
    this_stack_was_deep = true;
  });
}

Result<void> run_on_own_thread(std::size_t stack_bytes, void (*call)(void* data), void* data) {
  PETRI_TRY(const auto thread,
            LargeThread::start({.name = "petri-stack", .stack_bytes = stack_bytes}, [=] { call(data); }));
  return {};
}

}  // namespace

constinit thread_local std::uintptr_t this_stack_end = 0;
constinit thread_local bool this_stack_was_deep = false;

void return_stack_pages() {
  constexpr std::size_t kKept = std::size_t{64} << 10;
  const std::size_t left = stack_bytes_left();
  if (left <= 2 * kKept) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t first = (here - left + kKept) / page * page;
  const std::uintptr_t last = (here - kKept) / page * page;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

std::uintptr_t find_stack_end() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  // Only a machine out of memory fails here; then the stack counts as used up, which is safe.
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return UINTPTR_MAX;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest);
}

Result<void> run_with_stack_erased(ThreadPool* threads, std::size_t bytes_needed, void (*call)(void* data),
                                   void* data) {
  // The program's thread-local variables lie at the top of a thread's stack, then come its first frames.
  constexpr std::size_t kThreadStartBytes = std::size_t{2} << 20;
  // A quarter of all addresses is more than any machine has, and can be added to without wrapping round.
  const std::size_t bytes = std::min(bytes_needed, SIZE_MAX / 4) + kStackReserveBytes;
  if (stack_bytes_left() >= bytes) {
    call(data);
    return {};
  }
  if (threads != nullptr && bytes + kThreadStartBytes <= kLargeStackBytes) return run_on_pool(*threads, call, data);
  return run_on_own_thread(bytes + kThreadStartBytes, call, data);
}

}  // namespace petri
