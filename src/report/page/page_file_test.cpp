#include "report/page/page.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

class PageFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return folder_ / name; }
  void make(const std::string& name, std::string_view text) const { std::ofstream(at(name)) << text; }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path folder_ =
      testing::TempDir() + "petri_page_file_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(PageFile, IsReplacedAsAWhole) {
  make("page.html", "old");
  ASSERT_TRUE(write_page(at("page.html"), "new"));
  EXPECT_EQ(read("page.html"), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(PageFile, IsWrittenThroughALink) {
  make("page.html", "old");
  fs::create_symlink("page.html", at("link"));
  ASSERT_TRUE(write_page(at("link"), "new"));
  EXPECT_EQ(read("page.html"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
}

TEST_F(PageFile, LeavesNothingBehindWhenItCannotBeMoved) {
  fs::create_directories(at("page.html/full"));
  EXPECT_FALSE(write_page(at("page.html"), "new"));
  EXPECT_EQ(files(), 1U);
}

TEST_F(PageFile, CannotReplaceTheRecords) {
  make("out.jsonl", "records");
  fs::create_hard_link(at("out.jsonl"), at("same"));
  for (const char* name : {"out.jsonl", "./out.jsonl", "same"}) {
    const auto checked = check_page_path(at(name), at("out.jsonl"));
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, ErrorCode::validation_failed);
  }
}

TEST_F(PageFile, CannotBeAFolderOrADeviceOrStandInNone) {
  for (const std::string& path :
       {folder_.string(), std::string("/dev/null"), at("no/such/page"), std::string(), std::string("a\0b", 3)}) {
    const auto checked = check_page_path(path, at("out.jsonl"));
    ASSERT_FALSE(checked) << path;
    EXPECT_EQ(checked.error().code, ErrorCode::io_error);
  }
  EXPECT_TRUE(check_page_path(at("page.html"), at("out.jsonl")));
}

}  // namespace
}  // namespace petri
