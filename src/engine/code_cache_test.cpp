// Machine code that is kept on disk: found again, and never believed when anybody else may have touched it.
#include "engine/code_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/loadable_artifact.h"

namespace petri {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder of a test's own, gone with everything in it.
class OwnFolder {
 public:
  OwnFolder() {
    std::string pattern = testing::TempDir() + "petri-code-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~OwnFolder() { fs::remove_all(path_); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  fs::path operator/(std::string_view name) const { return path_ / name; }

 private:
  fs::path path_;
};

class CodeCacheTest : public testing::Test {
 protected:
  CodeCacheTest() { ::setenv("XDG_STATE_HOME", (home_ / "state").c_str(), 1); }
  ~CodeCacheTest() override { ::unsetenv("XDG_STATE_HOME"); }

  std::string folder() const { return (home_ / "code").string(); }
  fs::path key() const { return home_ / "state/petri/machine-code.key"; }
  CodeCache open() const { return *CodeCache::open(folder()); }
  static Sha256 name(std::uint8_t number) {
    Sha256 name{};
    name.bytes[0] = number;
    return name;
  }
  fs::path file(std::uint8_t number) const { return fs::path(folder()) / name(number).hex(); }
  static fs::file_time_type long_ago() { return fs::file_time_type::clock::now() - std::chrono::hours(1'000); }
  void keep(std::uint8_t number) const { open().put(name(number), code_); }
  Error refusal() const {
    const auto opened = CodeCache::open(folder());
    EXPECT_FALSE(opened);
    return opened ? Error{} : opened.error();
  }
  static void change(const fs::path& path, std::streamoff at) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 1));
  }

  const std::vector<std::uint8_t> code_{1, 2, 3, 4, 5};
  OwnFolder home_;
};

TEST_F(CodeCacheTest, FindsWhatWasKept) {
  EXPECT_EQ(open().find(name(1)), std::nullopt);
  keep(1);
  EXPECT_EQ(open().find(name(1)), code_);
  EXPECT_EQ(open().find(name(2)), std::nullopt);
}

// The folder may be any that the user names: 3 GiB of something else there is neither counted nor removed.
TEST_F(CodeCacheTest, LeavesFilesAloneThatAreNotItsOwn) {
  keep(1);
  for (const char* const foreign : {"thesis.txt", "large.img", "machine-code.key"}) {
    std::ofstream(fs::path(folder()) / foreign) << "mine";
    fs::last_write_time(fs::path(folder()) / foreign, long_ago());
  }
  fs::resize_file(fs::path(folder()) / "large.img", CodeCache::kFolderBytesMax + CodeCache::kFolderBytesMax / 2);
  keep(2);
  for (const char* const foreign : {"thesis.txt", "large.img", "machine-code.key"}) {
    EXPECT_TRUE(fs::exists(fs::path(folder()) / foreign)) << foreign;
  }
  EXPECT_EQ(open().find(name(1)), code_);
}

// Sparse files, so that the disk needs no room for them.
TEST_F(CodeCacheTest, RemovesItsOwnFilesThatWereUsedLongestAgo) {
  keep(1);
  keep(2);
  fs::resize_file(file(1), CodeCache::kFolderBytesMax);
  fs::last_write_time(file(1), long_ago());
  keep(3);
  EXPECT_FALSE(fs::exists(file(1)));
  EXPECT_EQ(open().find(name(2)), code_);
  EXPECT_EQ(open().find(name(3)), code_);
}

TEST_F(CodeCacheTest, IsForThisUserAlone) {
  keep(1);
  struct stat status{};
  for (const fs::path& path : {key(), file(1)}) {
    ASSERT_EQ(::stat(path.c_str(), &status), 0) << path;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << path;
  }
  ASSERT_EQ(::stat(folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(CodeCacheTest, BelievesNoFileWithAnyByteChanged) {
  keep(1);
  const auto size = static_cast<std::streamoff>(fs::file_size(file(1)));
  for (std::streamoff at = 0; at < size; ++at) {
    keep(1);
    change(file(1), at);
    EXPECT_EQ(open().find(name(1)), std::nullopt) << at;
    EXPECT_FALSE(fs::exists(file(1)));
  }
}

TEST_F(CodeCacheTest, BelievesNoFileThatIsCutOrLonger) {
  keep(1);
  const std::uint64_t size = fs::file_size(file(1));
  for (std::uint64_t length = 0; length <= size + 3; ++length) {
    if (length == size) continue;
    keep(1);
    fs::resize_file(file(1), length);
    EXPECT_EQ(open().find(name(1)), std::nullopt) << length;
  }
}

TEST_F(CodeCacheTest, BelievesNoFileUnderAnotherName) {
  keep(1);
  fs::rename(file(1), file(2));
  EXPECT_EQ(open().find(name(2)), std::nullopt);
}

TEST_F(CodeCacheTest, BelievesNoFileThatWasWrittenWithAnotherKey) {
  keep(1);
  fs::remove(key());
  EXPECT_EQ(open().find(name(1)), std::nullopt);
}

TEST_F(CodeCacheTest, FollowsNoLinkAndWaitsForNoFifo) {
  keep(1);
  fs::rename(file(1), home_ / "elsewhere");
  fs::create_symlink(home_ / "elsewhere", file(1));
  EXPECT_EQ(open().find(name(1)), std::nullopt);
  fs::remove(file(1));
  ASSERT_EQ(::mkfifo(file(1).c_str(), 0600), 0);
  EXPECT_EQ(open().find(name(1)), std::nullopt);
}

TEST_F(CodeCacheTest, RefusesAFolderThatOthersMayWrite) {
  fs::create_directory(folder());
  fs::permissions(folder(), fs::perms::owner_all | fs::perms::group_write);
  const Error error = refusal();
  EXPECT_EQ(error.code, ErrorCode::validation_failed);
  EXPECT_THAT(error.message, HasSubstr(folder() + ": others may write this folder"));
  fs::remove(folder());
  fs::create_directory(home_ / "own");
  fs::create_directory_symlink(home_ / "own", folder());
  EXPECT_THAT(refusal().message, HasSubstr("the folder cannot be opened"));
}

TEST_F(CodeCacheTest, RefusesAKeyThatOthersMayReadOrThatIsDamaged) {
  keep(1);
  fs::permissions(key(), fs::perms::owner_read | fs::perms::others_read);
  EXPECT_THAT(refusal().message, HasSubstr("not this user's alone; remove it"));
  fs::permissions(key(), fs::perms::owner_read | fs::perms::owner_write);
  fs::resize_file(key(), 31);
  EXPECT_THAT(refusal().message, HasSubstr("is damaged; remove it"));
  fs::remove(key());
  EXPECT_TRUE(CodeCache::open(folder()));
}

TEST_F(CodeCacheTest, HasANameForEachModuleAndSetting) {
  const std::vector<std::uint8_t> other{1, 2, 3, 4};
  EXPECT_EQ(code_name(code_, false), code_name(code_, false));
  EXPECT_NE(code_name(code_, false), code_name(code_, true));
  EXPECT_NE(code_name(code_, false), code_name(other, false));
}

// A module large enough to be kept. Where no compiler can be started, code that loads was found.
class KeptCode : public CodeCacheTest {
 protected:
  static ArtifactPtr large_module() {
    std::string drops;
    for (int i = 0; i < 1'000; ++i) drops += "(drop (i64.const 1099511627776))";
    std::string functions;
    for (int i = 0; i < 10; ++i) functions += "(func " + drops + ")";
    const auto artifact = Artifact::from_wat("(module " + functions + ")", 1 << 20);
    EXPECT_TRUE(artifact) << artifact.error().message;
    return *artifact;
  }
  Result<CodePtr> load(bool with_worker) const {
    LoadOptions options{.compile = {.cache = folder()}};
    if (!with_worker) options.compile.worker = "/nowhere/petri-compile-worker";
    return loadable(*artifact_).load(Tier::compiled, {}, options);
  }
  fs::path only_file() const { return *fs::directory_iterator(folder()); }

  const ArtifactPtr artifact_ = large_module();
};

TEST_F(KeptCode, IsLoadedWithoutACompiler) {
  ASSERT_EQ(load(false).error().code, ErrorCode::not_found);
  ASSERT_TRUE(load(true));
  const auto code = load(false);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ((*code)->tier(), Tier::compiled);
}

TEST_F(KeptCode, IsCompiledAgainWhenItWasTamperedWith) {
  ASSERT_TRUE(load(true));
  change(only_file(), static_cast<std::streamoff>(fs::file_size(only_file()) / 2));
  ASSERT_EQ(load(false).error().code, ErrorCode::not_found);
  ASSERT_TRUE(load(true));
  EXPECT_TRUE(load(false));
}

TEST_F(KeptCode, IsCompiledAgainWhenItIsNoMachineCode) {
  ASSERT_TRUE(load(true));
  const std::string name = only_file().filename().string();
  Sha256 hash{};
  for (std::size_t i = 0; i < hash.bytes.size(); ++i)
    hash.bytes[i] = static_cast<std::uint8_t>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
  open().put(hash, code_);  // with the right key, as an older petri or another processor might have left it
  ASSERT_EQ(load(false).error().code, ErrorCode::not_found);
  ASSERT_TRUE(load(true));
  EXPECT_TRUE(load(false));
}

TEST_F(KeptCode, IsRefusedInAFolderThatOthersMayWrite) {
  ASSERT_TRUE(load(true));
  fs::permissions(folder(), fs::perms::owner_all | fs::perms::others_write);
  EXPECT_EQ(load(true).error().code, ErrorCode::validation_failed);
}

}  // namespace
}  // namespace petri
