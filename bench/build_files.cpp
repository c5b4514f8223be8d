#include "bench/build_files.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace petri::bench {

Result<std::filesystem::path> build_file(std::string_view name, std::string_view target) {
  std::error_code error;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
  auto file = command.parent_path().parent_path() / "bench" / "files" / name;
  if (!error && std::filesystem::is_regular_file(file, error)) return file;
  return fail(ErrorCode::io_error, fmt::format("{} is not there; `make bench` makes it and runs all benchmarks, "
                                               "`tools/build -D PETRI_BENCH_FILES=ON release {}` makes it alone",
                                               file.string(), target));
}

Result<std::filesystem::path> program_beside(std::string_view name) {
  std::error_code error;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
  auto program = command.parent_path() / name;
  if (!error && std::filesystem::is_regular_file(program, error)) return program;
  return fail(ErrorCode::io_error,
              fmt::format("{} is not there; `tools/build release {}` builds it", program.string(), name));
}

Result<Bytes> ordinary_module() {
  PETRI_TRY(const auto path, build_file("ordinary.wasm", "bench_ordinary_module"));
  std::ifstream file(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return fail(ErrorCode::io_error, "ordinary.wasm cannot be read");
  return bytes;
}

}  // namespace petri::bench
