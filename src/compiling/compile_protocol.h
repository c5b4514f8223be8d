// The messages between the host and a compile worker on their socketpair: a request with the module behind it, then a
// reply with machine code or a message behind it. Both run on one machine, so that numbers go as they are.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <cstdint>

namespace petri {

// Both change with the layout: a worker of another petri is found out by them, and so is a program that is none.
constexpr std::uint32_t kRequestMark = 0x50430001;
constexpr std::uint32_t kReplyMark = 0x70630001;

// For tests: what the worker does instead of compiling.
enum class CompileFault : std::uint32_t {
  none,
  never_ends,    // runs until it is killed
  eats_memory,   // until there is no more
  crashes,       // with a segmentation fault
  kills_itself,  // with SIGKILL, as somebody with a shell would
  opens_a_file,  // and answers with a message that says how that went
  connects,      // likewise, to the network
  forks,         // likewise, to a process of its own
  prints,        // likewise, to stderr
};

struct CompileRequest {
  std::uint32_t mark = kRequestMark;
  std::uint32_t frugal = 0;
  std::uint64_t module_bytes = 0;
  std::uint64_t memory_bytes_max = 0;
  std::uint32_t processor_seconds_max = 0;
  CompileFault fault = CompileFault::none;
};

enum class CompileStatus : std::uint32_t { machine_code, message };

struct CompileReply {
  std::uint32_t mark = kReplyMark;
  CompileStatus status = CompileStatus::message;
  std::uint64_t bytes = 0;
};

// How a worker whose compilation was ended by a signal exits: with this and the signal.
constexpr int kEndedBySignal = 128;

// Negative when the kernel gives none. Closed with close().
inline int open_process_descriptor(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); }

}  // namespace petri
