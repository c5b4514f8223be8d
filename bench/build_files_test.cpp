#include "bench/build_files.h"

#include <gtest/gtest.h>

namespace petri::bench {
namespace {

std::filesystem::path folder_of_this_program() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

TEST(BuildFiles, SayHowToMakeOneThatIsNotThere) {
  const auto file = build_file("nothing.wasm", "bench_nothing");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::io_error);
  EXPECT_EQ(file.error().message, (folder_of_this_program().parent_path() / "bench/files/nothing.wasm").string() +
                                      " is not there; `make bench` makes it and runs all benchmarks, "
                                      "`tools/build -D PETRI_BENCH_FILES=ON release bench_nothing` makes it alone");
}

TEST(BuildFiles, SayHowToBuildAProgramThatIsNotThere) {
  const auto program = program_beside("nothing");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().message,
            (folder_of_this_program() / "nothing").string() + " is not there; `tools/build release nothing` builds it");
}

}  // namespace
}  // namespace petri::bench
