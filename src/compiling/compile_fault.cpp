#include "compiling/compile_fault.h"

#include <atomic>

namespace petri {
namespace {

std::atomic<CompileFault> injected{CompileFault::none};
std::atomic<int> left{0};

}  // namespace

void inject_compile_fault(CompileFault fault, int times) {
  injected.store(fault);
  left.store(times);
}

int compile_faults_left() { return left.load(); }

CompileFault take_compile_fault() {
  if (left.load(std::memory_order_relaxed) <= 0) return CompileFault::none;
  return left.fetch_sub(1) > 0 ? injected.load() : CompileFault::none;
}

}  // namespace petri
