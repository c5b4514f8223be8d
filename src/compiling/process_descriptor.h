// A descriptor that becomes readable when a process ends.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace petri {

// Negative when the kernel gives none. Closed with close().
inline int open_process_descriptor(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); }

}  // namespace petri
