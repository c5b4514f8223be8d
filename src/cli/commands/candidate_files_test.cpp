#include "cli/commands/candidate_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/commands/candidate_batch.h"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CandidateFolder : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).native(); }
  std::string make(const std::string& name, std::string_view contents = "(module)") const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << contents;
    return path(name);
  }
  static std::string refusal(const std::vector<std::string>& names) {
    const auto found = find_candidates(names);
    return found ? "it was accepted" : found.error().message;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / fmt_name();

 private:
  static std::string fmt_name() {
    return std::string("petri_candidates_") + testing::UnitTest::GetInstance()->current_test_info()->name();
  }
};

TEST_F(CandidateFolder, IsSearchedToItsDepthAndInTheOrderOfPaths) {
  const std::string b = make("b.wat");
  const std::string nested = make("a/deep/z.wasm");
  const std::string upper = make("B.wat");
  make("notes.md");
  make("a/wasm");
  const auto found = find_candidates({root_.native()});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->paths, ElementsAre(upper, nested, b));
  EXPECT_EQ(found->ignored, 2U);
}

TEST_F(CandidateFolder, StandsWhereItIsNamedAmongOthers) {
  const std::string last = make("pop/1.wat");
  const std::string first = make("z.wat");
  const auto found = find_candidates({first, path("pop"), first});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->paths, ElementsAre(first, last, first));
}

TEST_F(CandidateFolder, FollowsLinksToFilesButNotToFolders) {
  const std::string file = make("pop/1.wat");
  const std::string link = path("pop/2.wat");
  fs::create_symlink("1.wat", link);
  fs::create_directory_symlink(root_, path("pop/loop"));
  fs::create_symlink("nowhere.wat", path("pop/3.wat"));
  const auto found = find_candidates({path("pop")});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->paths, ElementsAre(file, link));
  EXPECT_EQ(found->ignored, 2U);
}

TEST_F(CandidateFolder, WithoutACandidateIsRefused) {
  EXPECT_THAT(refusal({root_.native()}), HasSubstr("there is nothing to evaluate"));
  make("a.txt");
  make("b.txt");
  EXPECT_THAT(refusal({root_.native()}), HasSubstr("2 other files"));
}

TEST_F(CandidateFolder, IsNotNeededForAFileOfTheRightName) {
  EXPECT_THAT(refusal({make("notes.txt")}), HasSubstr("ends in .wasm, .wat, .c, "));
  EXPECT_THAT(refusal({path("missing.wat")}), HasSubstr("missing.wat: there is no such file or folder"));
  EXPECT_THAT(refusal({path("missing")}), HasSubstr("missing: there is no such file or folder"));
  EXPECT_EQ(refusal({""}), "the name of a candidate is empty");
  EXPECT_THAT(refusal({std::string("a\0.wat", 6)}), HasSubstr("NUL"));
  ASSERT_EQ(::mkfifo(path("fifo.wat").c_str(), 0600), 0);
  EXPECT_THAT(refusal({path("fifo.wat")}), HasSubstr("neither a regular file nor a folder"));
}

TEST_F(CandidateFolder, HasARowForWhatIsTooLargeWithoutReadingIt) {
  const std::vector<std::string> paths{make("large.wasm"), make("small.wat")};
  ASSERT_EQ(::truncate(paths[0].c_str(), 20LL << 30), 0);
  ASSERT_TRUE(find_candidates(paths));
  const auto batch = CandidateBatch::read(paths, {}, {.file_bytes_max = 1'024});
  ASSERT_TRUE(batch) << batch.error().message;
  const Error& why = *std::get<std::shared_ptr<const Error>>(batch->candidates()[0].form());
  EXPECT_EQ(why.code, ErrorCode::module_too_large);
  EXPECT_EQ(why.message, "the module has 21474836480 bytes and module_bytes_max allows 1024");
  EXPECT_EQ(batch->candidates()[0].origin()->name, paths[0]);
  EXPECT_EQ(std::get<std::string_view>(batch->candidates()[1].form()), "(module)");
}

TEST_F(CandidateFolder, IsReadInBatchesWhoseRowsKeepOneGibibyteAtMost) {
  const EvaluationSpec spec{.memory_bytes_max = 16ULL << 20};
  EXPECT_EQ(BatchSize::for_rows_of(spec, 1).rows_max, 50'000U);
  EXPECT_EQ(BatchSize::for_rows_of(spec, 1'000'000).rows_max, 15U);
  EXPECT_EQ(BatchSize::for_rows_of(spec, 100'000'000).rows_max, 1U);
}

TEST_F(CandidateFolder, IsReadInBatchesThatFit) {
  const std::vector<std::string> paths{make("1.wat", "(module)"), make("2.wasm", "twelve bytes"), make("3.wat", "(")};
  const auto two = CandidateBatch::read(paths, {}, {.rows_max = 2});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->candidates().size(), 2U);
  const auto one = CandidateBatch::read(paths, {}, {.bytes_max = 1});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->candidates().size(), 1U);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(CandidateBatch::read(paths, stop.get_token())->candidates().size(), 0U);
}

TEST_F(CandidateFolder, IsReadByContentFirstAndByNameThen) {  // B07
  const std::vector<std::string> paths{make("text.wat", "(module)"), make("text.wasm", "(module)"),
                                       make("binary.wat", std::string("\0asm", 4))};
  const auto batch = CandidateBatch::read(paths, {});
  ASSERT_TRUE(batch);
  EXPECT_EQ(std::get<std::string_view>(batch->candidates()[0].form()), "(module)");
  EXPECT_EQ(std::get<std::span<const std::uint8_t>>(batch->candidates()[1].form()).size(), 8U);
  EXPECT_EQ(std::get<std::span<const std::uint8_t>>(batch->candidates()[2].form()).size(), 4U);
  EXPECT_EQ(batch->candidates()[2].origin()->name, paths[2]);
}

TEST_F(CandidateFolder, ThatChangesMeanwhileIsAnError) {
  const std::string gone = make("gone.wat");
  fs::remove(gone);
  const auto batch = CandidateBatch::read(std::vector{gone}, {});
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code, ErrorCode::io_error);
  EXPECT_THAT(batch.error().message, HasSubstr("gone.wat"));
}

}  // namespace
}  // namespace petri::cli
