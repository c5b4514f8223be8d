// Options for compiling modules, which happens in a process of its own that is killed when it takes too long or too
// much.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace petri {

// Options for code that is loaded for the compiled tier. The interpreted tier has no use for them.
struct CompileOptions {
  // The time of one compilation, waiting for a worker included; then the worker is killed and the load is a `timeout`.
  std::chrono::nanoseconds time_max = std::chrono::seconds(10);
  // The memory that the worker may take beyond its own at start; then it is killed and the load is `limit_exceeded`.
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30;
  // The executable petri-compile-worker. Empty: the environment variable PETRI_COMPILE_WORKER, else one in the folder
  // of the running program, or in ../bin or ../libexec/petri from there.
  std::string worker;
  // Compile inside this process, with neither bound: for programs that trust their modules and cannot start others. The
  // compiler keeps its buffers from one module to the next, half a mebibyte or more for each compilation that runs
  // beside others, until the process ends.
  bool in_process = false;
};

}  // namespace petri
