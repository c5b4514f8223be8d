#include "host/files/folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/files/folder_usage.h"
#include "host/files/temporary_folder.h"

namespace petri {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr OpenRequest kCreate{.read = true, .write = true, .create = true};
constexpr OpenRequest kRead{.read = true};

class FolderTest : public testing::Test {
 protected:
  void grant(Limits limits = {}) { folder_ = *Folder::open(temporary_.path().string(), limits); }
  int root() const { return folder_->root(); }

  OpenedFile open(const std::string& path, const OpenRequest& request) {
    auto file = folder_->open_file(root(), path, request, met_);
    EXPECT_TRUE(file) << path << " errno " << static_cast<int>(file ? WasiErrno::success : file.error());
    return file ? std::move(*file) : OpenedFile{};
  }
  WasiErrno open_error(const std::string& path, const OpenRequest& request) {
    auto file = folder_->open_file(root(), path, request, met_);
    if (!file) return file.error();
    folder_->close_file(std::move(*file));
    return WasiErrno::success;
  }
  WasiErrno write(const OpenedFile& file, std::string text, std::uint64_t offset = 0) {
    std::span<std::uint8_t> piece(reinterpret_cast<std::uint8_t*>(text.data()), text.size());
    const auto written = folder_->write(file, {&piece, 1}, offset, met_);
    if (!written) return written.error();
    EXPECT_EQ(*written, text.size());
    return WasiErrno::success;
  }

  TemporaryFolder temporary_;
  std::shared_ptr<Folder> folder_;
  LimitMet met_;
};

TEST_F(FolderTest, IsNotGrantedWhereThereIsNone) {
  const auto missing = Folder::open((temporary_ / "missing").string(), {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("missing"));
  temporary_.write("file", "");
  EXPECT_FALSE(Folder::open((temporary_ / "file").string(), {}));
}

TEST_F(FolderTest, MakesWritesAndRemovesFiles) {
  grant();
  OpenedFile file = open("a", kCreate);
  EXPECT_EQ(write(file, "hello"), WasiErrno::success);
  EXPECT_EQ(write(file, "HE"), WasiErrno::success);
  folder_->close_file(std::move(file));
  EXPECT_EQ(temporary_.read("a"), "HEllo");
  EXPECT_EQ(open_error("a", {.write = true, .truncate = true}), WasiErrno::success);
  EXPECT_EQ(temporary_.read("a"), "");
  EXPECT_EQ(folder_->remove_file(root(), "a"), WasiErrno::success);
  EXPECT_FALSE(fs::exists(temporary_ / "a"));
}

TEST_F(FolderTest, OpensOnlyFilesAndFolders) {
  grant();
  temporary_.write("file", "x");
  ::mkfifo((temporary_ / "fifo").c_str(), 0600);
  fs::create_symlink("file", temporary_ / "link");
  fs::create_symlink("/etc/passwd", temporary_ / "passwd");
  fs::create_directory(temporary_ / "inner");
  EXPECT_EQ(open_error("file", kRead), WasiErrno::success);
  EXPECT_EQ(open_error("fifo", kRead), WasiErrno::acces);
  EXPECT_EQ(open_error("fifo", kCreate), WasiErrno::acces);
  EXPECT_EQ(open_error("link", kRead), WasiErrno::loop);
  EXPECT_EQ(open_error("passwd", kCreate), WasiErrno::loop);
  EXPECT_EQ(open_error("inner", kRead), WasiErrno::success);
  EXPECT_EQ(open_error("inner", kCreate), WasiErrno::isdir);
  EXPECT_EQ(open_error("file", {.read = true, .directory = true}), WasiErrno::notdir);
  EXPECT_EQ(open_error("file", {.write = true, .create = true, .exclusive = true}), WasiErrno::exist);
  EXPECT_EQ(open_error("none", kRead), WasiErrno::noent);
  EXPECT_EQ(open_error("none/x", kCreate), WasiErrno::noent);
}

// Q16
TEST_F(FolderTest, KeepsFilesBelowFileBytesMax) {
  grant({.file_bytes_max = 8});
  OpenedFile file = open("a", kCreate);
  EXPECT_EQ(write(file, "12345678"), WasiErrno::success);
  EXPECT_EQ(write(file, "9", 8), WasiErrno::fbig);
  EXPECT_EQ(write(file, "x", std::uint64_t{1} << 63), WasiErrno::fbig);
  EXPECT_EQ(folder_->resize(file, 9, met_), WasiErrno::fbig);
  EXPECT_EQ(folder_->resize(file, ~std::uint64_t{0}, met_), WasiErrno::fbig);
  folder_->close_file(std::move(file));
  EXPECT_EQ(temporary_.read("a"), "12345678");
}

TEST_F(FolderTest, TakesOtherLimitsWhileItIsInUse) {
  grant({.file_bytes_max = 8});
  OpenedFile file = open("a", kCreate);
  EXPECT_EQ(write(file, "123456789"), WasiErrno::fbig);
  EXPECT_EQ(met_.limit, "file_bytes_max");
  folder_->set_limits({.file_bytes_max = 9});
  EXPECT_EQ(write(file, "123456789"), WasiErrno::success);
  folder_->close_file(std::move(file));
}

TEST_F(FolderTest, WritesNothingOfAWriteThatDoesNotFit) {
  grant({.file_bytes_max = 8});
  OpenedFile file = open("a", kCreate);
  EXPECT_EQ(write(file, "123456789"), WasiErrno::fbig);
  folder_->close_file(std::move(file));
  EXPECT_EQ(temporary_.read("a"), "");
}

// E15
TEST_F(FolderTest, CountsWhatIsThereAlready) {
  fs::create_directories(temporary_ / "inner/deep");
  temporary_.write("inner/old", "12345");
  grant({.files_max = 4, .disk_bytes_max = 8});
  OpenedFile file = open("new", kCreate);
  EXPECT_EQ(open_error("one too many", kCreate), WasiErrno::nospc);
  EXPECT_EQ(met_.limit, "files_max");
  EXPECT_EQ(folder_->make_folder(root(), "another", met_), WasiErrno::nospc);
  EXPECT_EQ(write(file, "1234"), WasiErrno::nospc);
  EXPECT_EQ(met_.limit, "disk_bytes_max");
  EXPECT_EQ(met_.wanted, 9U);
  EXPECT_EQ(write(file, "123"), WasiErrno::success);
  EXPECT_EQ(folder_->remove_file(root(), "inner/old"), WasiErrno::success);
  EXPECT_EQ(write(file, "12345678"), WasiErrno::success);
  EXPECT_EQ(open_error("room again", kCreate), WasiErrno::success);
  folder_->close_file(std::move(file));
}

TEST_F(FolderTest, CountsARemovedFileForAsLongAsItIsOpen) {
  grant({.disk_bytes_max = 10});
  OpenedFile file = open("a", kCreate);
  EXPECT_EQ(write(file, "12345678"), WasiErrno::success);
  EXPECT_EQ(folder_->remove_file(root(), "a"), WasiErrno::success);
  OpenedFile other = open("b", kCreate);
  EXPECT_EQ(write(other, "123"), WasiErrno::nospc);
  folder_->close_file(std::move(file));
  EXPECT_EQ(write(other, "123"), WasiErrno::success);
  folder_->close_file(std::move(other));
}

TEST_F(FolderTest, CountsAsFullWhenItHoldsTooMuch) {
  for (int i = 0; i < 5; ++i) temporary_.write(std::to_string(i), "x");
  grant({.files_max = 3});
  EXPECT_EQ(open_error("new", kCreate), WasiErrno::nospc);
  OpenedFile old = open("0", {.read = true, .write = true});
  EXPECT_EQ(write(old, "longer"), WasiErrno::nospc);
  folder_->close_file(std::move(old));
}

TEST_F(FolderTest, RenamesInsideAndCountsWhatIsReplaced) {
  grant({.files_max = 2});
  folder_->close_file(open("a", kCreate));
  folder_->close_file(open("b", kCreate));
  EXPECT_EQ(folder_->rename(root(), "a", root(), "b"), WasiErrno::success);
  EXPECT_EQ(folder_->rename(root(), "b", root(), "../b"), WasiErrno::notcapable);
  EXPECT_EQ(folder_->rename(root(), "none", root(), "c"), WasiErrno::noent);
  EXPECT_EQ(open_error("c", kCreate), WasiErrno::success);
  EXPECT_EQ(open_error("d", kCreate), WasiErrno::nospc);
}

TEST_F(FolderTest, ListsSortedWithoutDots) {
  grant();
  EXPECT_EQ(folder_->make_folder(root(), "m/", met_), WasiErrno::success);
  temporary_.write("z", "");
  temporary_.write("a", "");
  const auto entries = Folder::list(root(), [](std::uint64_t) { return true; });
  ASSERT_TRUE(entries);
  std::vector<std::string> names;
  for (const FolderEntry& entry : *entries) names.push_back(entry.name);
  EXPECT_THAT(names, ElementsAre("a", "m", "z"));
  EXPECT_TRUE(S_ISDIR((*entries)[1].type));
}

// Each is looked at when it is read, between two looks at the clock, and not all of them at the end.
TEST_F(FolderTest, ListsNoNameThatIsNotText) {
  grant();
  for (const char* name : {"a", "b\xff", "\xc3\xa9", "z"}) temporary_.write(name, "");
  std::vector<std::string> names;
  const auto entries = Folder::list(root(), [](std::uint64_t) { return true; });
  ASSERT_TRUE(entries);
  for (const FolderEntry& entry : *entries) names.push_back(entry.name);
  EXPECT_THAT(names, ElementsAre("a", "z", "\xc3\xa9"));
}

// Memory for a listing is asked for before it is allocated.
TEST_F(FolderTest, ListsNoMoreThanThereIsMemoryFor) {
  grant();
  for (int i = 0; i < 100; ++i) temporary_.write("a-name-that-is-longer-than-a-short-string-" + std::to_string(i), "");
  std::uint64_t held = 0;
  ASSERT_TRUE(Folder::list(root(), [&](std::uint64_t bytes) {
    held += bytes;
    return true;
  }));
  EXPECT_GT(held, 100 * (sizeof(FolderEntry) + 48));
  std::uint64_t room = held / 2;
  const auto refused = Folder::list(root(), [&](std::uint64_t bytes) {
    if (bytes > room) return false;
    room -= bytes;
    return true;
  });
  EXPECT_EQ(refused.error(), WasiErrno::nomem);
}

// Long names inside one another are longer together than any path that the kernel takes.
TEST_F(FolderTest, CountsFoldersWhoseNamesAreLongerTogetherThanAPath) {
  grant();
  const std::string name(250, 'a');
  OwnedDescriptor inside(::open(temporary_.path().c_str(), O_PATH | O_DIRECTORY));
  for (int level = 0; level < 20; ++level) {
    ASSERT_EQ(folder_->make_folder(inside.get(), name, met_), WasiErrno::success) << level;
    inside = OwnedDescriptor(::openat(inside.get(), name.c_str(), O_PATH | O_DIRECTORY));
  }
  grant();  // as the next run has it
  EXPECT_EQ(open_error("b", kCreate), WasiErrno::success);
  EXPECT_EQ(measure_folder(root(), 1'000).usage->levels, 20U);
  EXPECT_EQ(measure_folder(root(), 1'000).usage->files, 21U);
}

TEST_F(FolderTest, NestsFoldersNoDeeperThanItsBoundByWhateverWay) {
  grant();
  std::string path = "x";
  for (std::uint64_t level = 1; level < Folder::kLevelsMax; ++level, path += "/x")
    ASSERT_EQ(folder_->make_folder(root(), path, met_), WasiErrno::success) << level;
  EXPECT_EQ(folder_->make_folder(root(), path, met_), WasiErrno::success);
  EXPECT_EQ(folder_->make_folder(root(), path + "/x", met_), WasiErrno::nametoolong);
  // A tree that is made beside it cannot be moved into it either, and can be removed.
  EXPECT_EQ(folder_->make_folder(root(), "y", met_), WasiErrno::success);
  EXPECT_EQ(folder_->make_folder(root(), "y/z", met_), WasiErrno::success);
  EXPECT_EQ(folder_->rename(root(), "y", root(), path.substr(0, path.size() - 1) + "w"), WasiErrno::nametoolong);
  EXPECT_EQ(folder_->rename(root(), "y", root(), "x/y"), WasiErrno::success);
  EXPECT_EQ(folder_->rename(root(), "x/y", root(), "y"), WasiErrno::success);
  EXPECT_EQ(folder_->remove_folder(root(), path), WasiErrno::success);
}

TEST_F(FolderTest, RemovesFoldersOnlyWhenEmpty) {
  grant();
  EXPECT_EQ(folder_->make_folder(root(), "m", met_), WasiErrno::success);
  EXPECT_EQ(folder_->make_folder(root(), "m", met_), WasiErrno::exist);
  folder_->close_file(open("m/x", kCreate));
  EXPECT_EQ(folder_->remove_folder(root(), "m"), WasiErrno::notempty);
  EXPECT_EQ(folder_->remove_file(root(), "m"), WasiErrno::isdir);
  EXPECT_EQ(folder_->remove_file(root(), "m/x"), WasiErrno::success);
  EXPECT_EQ(folder_->remove_folder(root(), "m"), WasiErrno::success);
}

}  // namespace
}  // namespace petri
