#include "cli/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace petri::cli {
namespace {

std::string made(const std::string& name) {
  const std::string path = testing::TempDir() + "petri_output_" + name;
  std::ofstream(path) << "precious";
  return path;
}

TEST(OutputFile, MayNotBeOneThatIsRead) {
  const std::string input = made("input");
  const std::string link = testing::TempDir() + "petri_output_link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(input, link);
  for (const std::string& output : {input, link, testing::TempDir() + "./petri_output_input"}) {
    const auto checked = check_output(output, std::vector{std::string("missing"), input});
    ASSERT_FALSE(checked) << output;
    EXPECT_EQ(checked.error().code, ErrorCode::validation_failed);
  }
  std::filesystem::remove(link);
  std::filesystem::remove(input);
}

TEST(OutputFile, MayBeNewAnOldOneOrADevice) {
  const std::string old = made("old");
  EXPECT_TRUE(check_output(old, std::vector{std::string("/dev/null")}));
  EXPECT_TRUE(check_output("/dev/null", std::vector{std::string("/dev/null")}));
  EXPECT_TRUE(check_output("new", std::vector{old}));
  EXPECT_TRUE(check_output("", std::vector{old}));
  std::filesystem::remove(old);
}

TEST(OutputFile, IsTheSameByWhateverName) {
  const std::string one = made("one");
  EXPECT_TRUE(is_same_file(one, testing::TempDir() + "././petri_output_one"));
  EXPECT_TRUE(is_same_file("new", "./new"));
  EXPECT_FALSE(is_same_file(one, "new"));
  EXPECT_FALSE(is_same_file("", ""));
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null"));
  std::filesystem::remove(one);
}

}  // namespace
}  // namespace petri::cli
