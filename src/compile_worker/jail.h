// The rights that a compile worker gives up for good.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>

namespace petri {

// The stack of each thread. The compiler recurses over what it is given; the gate bounds its nesting.
constexpr std::size_t kCompileStackBytes = std::size_t{16} << 20;

// Called by the process that forks: no output, no core dumps, no folder, no new rights, nobody of the same user may
// look into it.
void enter_fork_server_jail();

// Called by a child before it has a second thread, so that both have the low priority: guests that run come first.
void lower_priority();

// Called by a child with all its threads, before it reads its module: no files, no sockets, no further threads, no
// processes.
void enter_compilation_jail();

// Called by a child that knows how much it may take beyond `memory_bytes_at_start`. Past the processor time, which is
// that of all its threads, it is killed.
void limit_compilation(std::uint64_t memory_bytes_at_start, std::uint64_t memory_bytes_max,
                       std::uint32_t processor_seconds_max);

// Keeps the address space small for as long as it lives, so that an allocator which would reserve a gigabyte at its
// first use, whose pages no limit would count later, reserves a small piece.
class SmallAddressSpace {
 public:
  SmallAddressSpace();
  ~SmallAddressSpace();
  SmallAddressSpace(const SmallAddressSpace&) = delete;
  SmallAddressSpace& operator=(const SmallAddressSpace&) = delete;

 private:
  rlimit before_{};
};

// Address space this process has; a guess when the kernel does not say.
std::uint64_t address_space_bytes();

}  // namespace petri
