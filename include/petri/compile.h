// How modules are compiled: in a process of its own that is killed when it takes too long or too much.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace petri {

// Of whoever loads code for the compiled tier. The interpreted tier has no use for it.
struct CompileOptions {
  // Of one compilation, waiting for a worker included; then the worker is killed and the load is a `timeout`.
  std::chrono::nanoseconds time_max = std::chrono::seconds(10);
  // What the worker may take beyond what it starts with; then it is killed and the load is `limit_exceeded`.
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30;
  // The executable petri-compile-worker. Empty: the environment variable PETRI_COMPILE_WORKER, else one in the folder
  // of the running program, or in ../bin or ../libexec/petri from there.
  std::string worker;
  // Compile inside this process, with neither bound: for programs that trust their modules and cannot start others.
  bool in_process = false;
};

}  // namespace petri
