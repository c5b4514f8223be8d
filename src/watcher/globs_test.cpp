#include "watcher/globs.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

struct Case {
  std::string pattern, path;
  bool matches;
};

TEST(Globs, MatchNamesAnywhereAndPathsAsAWhole) {
  const std::vector<Case> cases{
      {"*.c", "adder.c", true},
      {"*.c", "src/deep/adder.c", true},
      {"*.c", "adder.cpp", false},
      {"*.c", ".c", true},
      {"a?.c", "ab.c", true},
      {"a?.c", "a.c", false},
      {"src/*.c", "src/adder.c", true},
      {"src/*.c", "src/deep/adder.c", false},
      {"src/*.c", "adder.c", false},
      {"src/**/*.c", "src/adder.c", true},
      {"src/**/*.c", "src/deep/down/adder.c", true},
      {"src/**/*.c", "src/xadder.cc", false},
      {"src/**/a.c", "src/xa.c", false},
      {"src/**", "src/a/b", true},
      {"**/adder.c", "adder.c", true},
      {"**/adder.c", "a/b/adder.c", true},
      {"adder.c", "x/adder.c", true},
      {"/**", "a", false},
      {"a[1].c", "a[1].c", true},
      {"a[1].c", "a1.c", false},
      {"$(rm -rf).c", "$(rm -rf).c", true},
      {"-rf", "-rf", true},
      {"line\nend", "line\nend", true},
  };
  for (const Case& one : cases) {
    const auto globs = Globs::create({one.pattern});
    if (!globs) {
      EXPECT_EQ(globs.error().code, ErrorCode::validation_failed);
      EXPECT_FALSE(one.matches);
      continue;
    }
    EXPECT_EQ(globs->match(one.path), one.matches) << one.pattern << " on " << one.path;
  }
}

TEST(Globs, MatchEverythingWhenThereIsNone) { EXPECT_TRUE(Globs::create({})->match("anything/at.all")); }

TEST(Globs, RefusePatternsThatLeadOutOfTheFolder) {
  for (const char* pattern : {"", "/etc/*", "..", "../*", "a/../../b", "a/.."}) {
    const auto globs = Globs::create({pattern});
    ASSERT_FALSE(globs) << pattern;
    EXPECT_EQ(globs.error().code, ErrorCode::validation_failed);
  }
  EXPECT_FALSE(Globs::create({std::string(257, 'a')}));
  EXPECT_FALSE(Globs::create(std::vector<std::string>(101, "*.c")));
}

TEST(Globs, TakeNoLongerForHostilePatterns) {
  std::string pattern;
  while (pattern.size() + 2 <= Globs::kPatternBytesMax) pattern += "*a";
  const auto globs = Globs::create({pattern});
  ASSERT_TRUE(globs);
  EXPECT_FALSE(globs->match(std::string(4'000, 'a') + "b"));
}

}  // namespace
}  // namespace petri
