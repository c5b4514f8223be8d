#include <fmt/format.h>

#include <array>

#include "base/complaints.h"
#include "compiler/clang_flags.h"
#include "petri/compile.h"

namespace petri {

Result<void> check_compile_options(const CompileOptions& options) {
  Complaints complaints;
  if (!is_optimisation(options.optimise)) complaints.add("optimise", "is not one of 0, 1, 2, 3, s and z");
  for (const std::string& flag : options.flags) {
    if (const std::string why = flag_refusal(flag); !why.empty()) complaints.add_sentence("flags", why);
  }
  if (options.time_max <= std::chrono::nanoseconds::zero()) complaints.add("time_max", "is not positive");
  if (options.memory_bytes_max < kMemoryBytesLeast) {
    complaints.add("memory_bytes_max", "is below the 192 MiB that a compiler needs for itself");
  }
  if (options.source_bytes_max == 0) complaints.add("source_bytes_max", "is 0");
  if (options.artifact_bytes_max == 0) complaints.add("artifact_bytes_max", "is 0");
  if (options.jobs > 256) complaints.add("jobs", "is above 256");
  return complaints.result();
}

}  // namespace petri
