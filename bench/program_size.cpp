#include "bench/program_size.h"

#include "bench/build_files.h"

namespace petri::bench {
namespace {

Result<Measurement> measure_program_size() {
  PETRI_TRY(const auto program, build_file("five_lines", "bench_five_lines"));
  return Measurement{.value = static_cast<double>(std::filesystem::file_size(program)) / (1 << 20)};
}

}  // namespace

Benchmark five_line_program_mib() {
  return {.name = "five_line_program_mib",
          .unit = "MiB",
          .what = "size of a stripped program of five lines, linked with libpetri as another project links it",
          .bar = "",
          .measure = measure_program_size};
}

}  // namespace petri::bench
