// The messages between the host and a compile server, as bytes over sockets of one machine. petri-compile-server
// includes this header and nothing else of petri.
#pragma once

#include <cstdint>

namespace petri {

// The descriptor where a server finds its end of the control socket. Each message there is one byte, which starts a
// job, with the descriptors of JobDescriptor.
inline constexpr int kControlDescriptor = 0;

// job: a stream socket; the request is read from it, and the folder of results and the report are sent over it.
// messages: where the program writes to. folder: only without a jail, the folder that the job works in.
enum JobDescriptor : int { kJobSocket, kJobMessages, kJobFolder, kJobDescriptors };

inline constexpr std::uint32_t kJobMark = 0x706a6f62;  // "pjob": a request of this version

// Followed by `arguments` texts that each end in NUL, then by `files`, each a JobFileHeader, its path and its bytes.
struct JobHeader {
  std::uint32_t mark = kJobMark;
  std::uint32_t arguments = 0;
  std::uint32_t files = 0;
  std::uint32_t processor_seconds_max = 0;
  std::uint64_t memory_bytes_max = 0;  // of address space, beyond what the server has
  std::uint64_t file_bytes_max = 0;    // of any file that the program writes
  std::uint64_t folder_bytes_max = 0;  // of all files of the job together
  std::uint64_t body_bytes = 0;        // that follow
};

struct JobFileHeader {
  std::uint32_t path_bytes = 0;
  std::uint32_t unused = 0;
  std::uint64_t bytes = 0;
};

// Below the folder that a job works in: the program starts in the first, and writes to ../out.
inline constexpr const char* kJobSourceFolder = "src";
inline constexpr const char* kJobOutputFolder = "out";
// In a jail the folder that a job works in is a file system of its own there.
inline constexpr const char* kJailWorkFolder = "/work";

// Sent by the job, with the descriptor of its folder of results, right before the program starts.
inline constexpr char kJobStarted = 's';

// Sent by the server once the program has ended.
struct JobReport {
  std::uint32_t mark = kJobMark;
  std::int32_t wait_status = 0;  // as of waitpid()
  std::uint64_t processor_us = 0;
  std::uint64_t memory_bytes_peak = 0;
};

// Exit status of a job whose jail could not be set up; it has written why to its messages.
inline constexpr int kJobNotStarted = 126;

// The name in place of a program, in petri-compile-server NAME, of the server that starts a program of its own for each
// job: the first argument of the job. Such jobs may start further processes and threads, which end with them.
inline constexpr const char* kAnyProgram = "--any-program";

// Environment of the server: set if it stands in a jail, where it may mount.
inline constexpr const char* kJailedVariable = "PETRI_JAILED";

}  // namespace petri
