#include "cli/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace petri::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kBytesMax = 1 << 20;

std::string input_refusal(std::string_view bytes) {
  const auto artifact = check_module("x.wasm", bytes, kBytesMax);
  return artifact ? "it was accepted" : std::string(name_of(artifact.error().code)) + ": " + artifact.error().message;
}

TEST(InputFile, TellsWasmFromTextByItsFirstBytes) {
  EXPECT_TRUE(starts_like_wasm(std::string_view("\0asm\1\0\0\0", 8)));
  EXPECT_FALSE(starts_like_wasm("(module)"));
  EXPECT_FALSE(starts_like_wasm(std::string_view("\0as", 3)));
}

TEST(InputFile, TakesBothKinds) {
  EXPECT_TRUE(check_module("x", std::string_view("\0asm\1\0\0\0", 8), kBytesMax));
  EXPECT_TRUE(check_module("x", "(module)", kBytesMax));
}

TEST(InputFile, SaysWhatIsNeither) {  // D01, D09
  EXPECT_EQ(input_refusal(""), "rejected: x.wasm: the file is empty");
  EXPECT_THAT(input_refusal(std::string_view("\0as", 3)), HasSubstr("neither wasm"));
  EXPECT_THAT(input_refusal("\x7f"
                            "ELF\xff"),
              HasSubstr("neither wasm"));
}

TEST(InputFile, NamesTheFileAndThePlaceOfAMistake) {  // D11
  const auto artifact = check_module("dir/broken.wat", "(module\n  (func (i32.const)))", kBytesMax);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, ErrorCode::parse_failed);
  EXPECT_THAT(artifact.error().message, ::testing::StartsWith("dir/broken.wat: "));
  EXPECT_EQ(artifact.error().detail("line"), "2");
  EXPECT_EQ(artifact.error().detail("path"), "dir/broken.wat");
}

TEST(InputFile, IsTooLargeBeforeItIsParsed) {
  const std::string path = ::testing::TempDir() + "petri_input_file_test.wat";
  std::ofstream(path) << std::string(2000, ' ');
  EXPECT_EQ(read_module(path, 1024).error().code, ErrorCode::module_too_large);
  EXPECT_EQ(read_input(path, 1024).error().code, ErrorCode::too_large);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace petri::cli
