// The tiers that can run code, and options of the compiler of the compiled one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petri {

// The two engines that can run the code, and the choice between them by how hot it is.
enum class Tier { interpreted, compiled, automatic };
std::string_view name_of(Tier tier);
std::optional<Tier> tier_named(std::string_view name);

// Options for code that is loaded for the compiled tier. The interpreted tier has no use for them.
struct MachineCodeOptions {
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
  // The folder in which machine code is kept, so that the next start of a large module takes milliseconds. It is made
  // if it is not there, belongs to this user, and nobody else may write it. Each file is authenticated by a key in it:
  // one that was changed is compiled again, never executed. Empty: nothing is kept.
  std::string cache;
};

}  // namespace petri
