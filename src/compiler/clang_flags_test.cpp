#include "compiler/clang_flags.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

// C09, hostile I10
TEST(ClangFlags, AreAClosedList) {
  for (const char* const flag : {"-O2", "-Oz", "-std=c17", "-std=c++20", "-Wall", "-Wno-unused-variable",
                                 "-Werror=format", "-DN=5", "-DNAME", "-UNAME", "-ffast-math", "-w"}) {
    EXPECT_EQ(flag_refusal(flag), "") << flag;
  }
  for (const char* const flag :
       {"-fplugin=x.so", "@file",      "-o",          "../x",     "-o../x",  "-Wl,--export-all",
        "-Wp,-MD,x",     "-Wa,x",      "-Xclang",     "-load",    "-I/etc",  "-include/etc/passwd",
        "-imacros",      "-D",         "-D1X",        "-DX=`id`", "-DX=a b", "-DX=\"s\"",
        "-std=c++98",    "-O4",        "-",           "",         "-x",      "--sysroot=/",
        "-B/tmp",        "-fuse-ld=x", "-save-temps", "-Wx,y",    "-U",      "-UX=1",
        "-mllvm",        "a.c"}) {
    EXPECT_NE(flag_refusal(flag), "") << flag;
  }
}

TEST(ClangFlags, ARefusalNamesTheFlag) {
  EXPECT_EQ(
      flag_refusal("-fplugin=x.so"),
      "the flag \"-fplugin=x.so\" is not allowed; allowed are -O, -std=, -W with a warning's name, -D and -U with "
      "a name, and those that docs/guides/compile.md lists");
}

}  // namespace
}  // namespace petri
