// WASI files inside the granted folder, used by a real guest.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "host/files/temporary_folder.h"
#include "host/host_function_fixture.h"
#include "host/wasi/errno.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr std::uint64_t kReadFile = 1U << 1;
constexpr std::uint64_t kWrite = 1U << 6;
enum : std::uint32_t { create = 1, directory = 2, exclusive = 4, truncate = 8 };

class WasiFiles : public HostFunctionFixture {
 protected:
  void grant(std::string_view input = {}) {
    settings_.folder = *Folder::open(temporary_.path().string(), settings_.limits);
    start(input);
  }
  // The errno that the guest gets; the descriptor, if any, is in opened_.
  WasiErrno open(std::string_view path, std::uint64_t rights, std::uint32_t flags = 0,
                 std::uint32_t descriptor_flags = 0, std::uint32_t folder = 3) {
    put(2'000, path);
    const int result = wasi("path_open", {folder, 0, 2'000, path.size(), flags, rights, 0, descriptor_flags, 3'000});
    opened_ = number<std::uint32_t>(3'000);
    return static_cast<WasiErrno>(result);
  }
  WasiErrno write(std::uint32_t descriptor, std::string_view bytes) {
    put(4'000, bytes);
    put_buffer(1'000, 4'000, static_cast<std::uint32_t>(bytes.size()));
    return static_cast<WasiErrno>(wasi("fd_write", {descriptor, 1'000, 1, 3'000}));
  }
  std::string read(std::uint32_t descriptor, std::uint32_t length) {
    put_buffer(1'000, 4'000, length);
    EXPECT_EQ(wasi("fd_read", {descriptor, 1'000, 1, 3'000}), 0);
    return text(4'000, number<std::uint32_t>(3'000));
  }
  WasiErrno path(std::string_view function, std::string_view name) {
    put(2'000, name);
    return static_cast<WasiErrno>(wasi(function, {3, 2'000, name.size()}));
  }

  TemporaryFolder temporary_;
  std::uint32_t opened_ = 0;
};

TEST_P(WasiFiles, FindTheGrantedFolderUnderItsName) {
  grant();
  EXPECT_EQ(wasi("fd_prestat_get", {3, 100}), 0);
  EXPECT_EQ(number<std::uint8_t>(100), 0);
  ASSERT_EQ(number<std::uint32_t>(104), 1U);
  EXPECT_EQ(wasi("fd_prestat_dir_name", {3, 200, 1}), 0);
  EXPECT_EQ(text(200, 1), "/");
  EXPECT_EQ(wasi("fd_prestat_dir_name", {3, 200, 0}), static_cast<int>(WasiErrno::nametoolong));
  EXPECT_EQ(wasi("fd_prestat_get", {4, 100}), static_cast<int>(WasiErrno::badf));
}

TEST_P(WasiFiles, AreWrittenReadAndMeasured) {
  grant();
  ASSERT_EQ(open("note", kReadFile | kWrite, create), WasiErrno::success);
  EXPECT_EQ(opened_, 4U);
  EXPECT_EQ(write(4, "hello world"), WasiErrno::success);
  EXPECT_EQ(wasi("fd_tell", {4, 100}), 0);
  EXPECT_EQ(number<std::uint64_t>(100), 11U);
  EXPECT_EQ(wasi("fd_seek", {4, 6, 0, 100}), 0);
  EXPECT_EQ(read(4, 100), "world");
  EXPECT_EQ(wasi("fd_seek", {4, static_cast<std::uint64_t>(-5), 2, 100}), 0);
  EXPECT_EQ(number<std::uint64_t>(100), 6U);
  EXPECT_EQ(wasi("fd_filestat_get", {4, 100}), 0);
  EXPECT_EQ(number<std::uint8_t>(116), 4);
  EXPECT_EQ(number<std::uint64_t>(132), 11U);
  EXPECT_EQ(wasi("fd_sync", {4}), 0);
  EXPECT_EQ(wasi("fd_datasync", {4}), 0);
  EXPECT_EQ(wasi("fd_filestat_set_size", {4, 5}), 0);
  EXPECT_EQ(wasi("fd_close", {4}), 0);
  EXPECT_EQ(temporary_.read("note"), "hello");
}

TEST_P(WasiFiles, AreReadAndWrittenAtAnOffset) {
  temporary_.write("note", "0123456789");
  grant();
  ASSERT_EQ(open("note", kReadFile | kWrite), WasiErrno::success);
  put(4'000, "ab");
  put_buffer(1'000, 4'000, 2);
  EXPECT_EQ(wasi("fd_pwrite", {4, 1'000, 1, 4, 3'000}), 0);
  EXPECT_EQ(wasi("fd_pread", {4, 1'000, 1, 3, 3'000}), 0);
  EXPECT_EQ(text(4'000, 2), "3a");
  EXPECT_EQ(read(4, 3), "012");
  EXPECT_EQ(temporary_.read("note"), "0123ab6789");
}

TEST_P(WasiFiles, AreAppendedTo) {
  temporary_.write("note", "abc");
  grant();
  ASSERT_EQ(open("note", kWrite, 0, 1), WasiErrno::success);
  EXPECT_EQ(write(4, "def"), WasiErrno::success);
  EXPECT_EQ(wasi("fd_seek", {4, 0, 0, 100}), 0);
  EXPECT_EQ(write(4, "ghi"), WasiErrno::success);
  EXPECT_EQ(wasi("fd_fdstat_set_flags", {4, 0}), 0);
  EXPECT_EQ(wasi("fd_seek", {4, 0, 0, 100}), 0);
  EXPECT_EQ(write(4, "X"), WasiErrno::success);
  EXPECT_EQ(temporary_.read("note"), "Xbcdefghi");
}

// E13
TEST_P(WasiFiles, HaveNoPositionBeforeTheirStart) {
  temporary_.write("note", "abc");
  grant();
  ASSERT_EQ(open("note", kReadFile), WasiErrno::success);
  EXPECT_EQ(wasi("fd_seek", {4, std::uint64_t{1} << 63, 0, 100}), static_cast<int>(WasiErrno::inval));
  EXPECT_EQ(wasi("fd_seek", {4, std::uint64_t{1} << 63, 1, 100}), static_cast<int>(WasiErrno::inval));
  EXPECT_EQ(wasi("fd_seek", {4, ~(std::uint64_t{1} << 63), 2, 100}), static_cast<int>(WasiErrno::overflow));
  EXPECT_EQ(wasi("fd_seek", {4, 0, 3, 100}), static_cast<int>(WasiErrno::inval));
  EXPECT_EQ(wasi("fd_seek", {4, std::uint64_t{1} << 40, 0, 100}), 0);
  EXPECT_EQ(read(4, 10), "");
}

// E14
TEST_P(WasiFiles, AreOnlyThoseInsideTheFolder) {
  fs::create_directory(temporary_ / "root");
  temporary_.write("secret", "not yours");
  fs::create_symlink("../secret", temporary_ / "root/link");
  fs::create_directory_symlink("/", temporary_ / "root/slash");
  ::mkfifo((temporary_ / "root/fifo").c_str(), 0600);
  settings_.folder = *Folder::open((temporary_ / "root").string(), settings_.limits);
  start();
  EXPECT_EQ(open("../secret", kReadFile), WasiErrno::notcapable);
  EXPECT_EQ(open("./../secret", kReadFile), WasiErrno::notcapable);
  EXPECT_EQ(open("/etc/passwd", kReadFile), WasiErrno::notcapable);
  EXPECT_EQ(open("link", kReadFile), WasiErrno::loop);
  EXPECT_EQ(open("link", kWrite, create), WasiErrno::loop);
  EXPECT_EQ(open("slash/etc/passwd", kReadFile), WasiErrno::loop);
  EXPECT_EQ(open("fifo", kReadFile), WasiErrno::acces);
  EXPECT_EQ(open("fifo", kWrite), WasiErrno::acces);
  EXPECT_EQ(open(std::string_view("secret\0", 7), kReadFile), WasiErrno::inval);
  EXPECT_EQ(open("\xff\xfe", kReadFile), WasiErrno::ilseq);
  EXPECT_EQ(open(std::string(4'096, 'x'), kReadFile), WasiErrno::nametoolong);
  EXPECT_EQ(open("", kReadFile), WasiErrno::noent);
  EXPECT_EQ(path("path_create_directory", "../made"), WasiErrno::notcapable);
  EXPECT_EQ(path("path_unlink_file", "../secret"), WasiErrno::notcapable);
  EXPECT_EQ(path("path_remove_directory", "slash/tmp"), WasiErrno::loop);
  put(2'000, "link");
  put(2'100, "../moved");
  EXPECT_EQ(wasi("path_rename", {3, 2'000, 4, 3, 2'100, 8}), static_cast<int>(WasiErrno::notcapable));
  EXPECT_EQ(wasi("path_filestat_get", {3, 1, 2'000, 4, 100}), static_cast<int>(WasiErrno::loop));
  EXPECT_EQ(wasi("path_filestat_get", {3, 0, 2'000, 4, 100}), 0);
  EXPECT_EQ(number<std::uint8_t>(116), 7);
  EXPECT_EQ(temporary_.read("secret"), "not yours");
}

TEST_P(WasiFiles, AreNotWrittenWithoutPermission) {
  temporary_.write("note", "abc");
  settings_.permissions = all().without(Permission::file_write);
  grant();
  EXPECT_EQ(open("note", kReadFile), WasiErrno::success);
  EXPECT_EQ(write(opened_, "x"), WasiErrno::badf);
  EXPECT_EQ(open("note", kReadFile | kWrite), WasiErrno::notcapable);
  EXPECT_EQ(open("note", kReadFile, truncate), WasiErrno::notcapable);
  EXPECT_EQ(open("new", kReadFile, create), WasiErrno::notcapable);
  EXPECT_EQ(temporary_.read("note"), "abc");
  EXPECT_FALSE(fs::exists(temporary_ / "new"));
  EXPECT_GE(context_->counts.calls_refused, 4U);
}

// E15, Q16
TEST_P(WasiFiles, StayWithinTheirLimits) {
  settings_.limits.file_bytes_max = 100;
  settings_.limits.files_max = 5;
  settings_.limits.disk_bytes_max = 203;
  grant();
  const std::string block(100, 'x');
  int made = 0;
  for (int i = 0; i < 20; ++i) {
    if (open("file" + std::to_string(i), kWrite, create) != WasiErrno::success) break;
    ++made;
    const WasiErrno written = write(opened_, block);
    EXPECT_EQ(written, made <= 2 ? WasiErrno::success : WasiErrno::nospc);
    EXPECT_EQ(write(opened_, "y"), made <= 2 ? WasiErrno::fbig : WasiErrno::success);
  }
  EXPECT_EQ(made, 5);
  EXPECT_EQ(open("one more", kWrite, create), WasiErrno::nospc);
  EXPECT_EQ(path("path_create_directory", "folder"), WasiErrno::nospc);
  EXPECT_EQ(temporary_.read("file0"), block);
  EXPECT_EQ(path("path_unlink_file", "file4"), WasiErrno::success);
  EXPECT_EQ(path("path_create_directory", "folder"), WasiErrno::success);
}

TEST_P(WasiFiles, AreBoundedInHowManyAreOpen) {
  temporary_.write("note", "abc");
  grant();
  int opened = 0;
  while (opened < 1'000 && open("note", kReadFile) == WasiErrno::success) ++opened;
  EXPECT_EQ(opened, static_cast<int>(WasiState::kDescriptorsMax) - 4);
  EXPECT_EQ(open("note", kReadFile), WasiErrno::mfile);
  EXPECT_EQ(wasi("fd_close", {10}), 0);
  EXPECT_EQ(open("note", kReadFile), WasiErrno::success);
  EXPECT_EQ(opened_, 10U);
}

TEST_P(WasiFiles, AreListedByName) {
  temporary_.write("b", "");
  temporary_.write("a", "");
  fs::create_directory(temporary_ / "inner");
  temporary_.write("inner/deep", "");
  grant();
  EXPECT_EQ(wasi("fd_readdir", {3, 4'000, 4'000, 0, 3'000}), 0);
  const std::uint32_t used = number<std::uint32_t>(3'000);
  std::vector<std::string> names;
  for (std::uint32_t at = 4'000; at < 4'000 + used;) {
    const auto length = number<std::uint32_t>(at + 16);
    names.push_back(text(at + 24, length) + ":" + std::to_string(number<std::uint8_t>(at + 20)));
    at += 24 + length;
  }
  EXPECT_THAT(names, ElementsAre(".:3", "..:3", "a:4", "b:4", "inner:3"));
  // From the third entry on, into a buffer that cuts the second name it holds.
  EXPECT_EQ(wasi("fd_readdir", {3, 4'000, 25 + 24, 2, 3'000}), 0);
  EXPECT_EQ(number<std::uint32_t>(3'000), 49U);
  EXPECT_EQ(number<std::uint64_t>(4'000), 3U);
  EXPECT_EQ(text(4'024, 1), "a");
  EXPECT_EQ(wasi("fd_readdir", {3, 4'000, 100, 99, 3'000}), 0);
  EXPECT_EQ(number<std::uint32_t>(3'000), 0U);

  ASSERT_EQ(open("inner", kReadFile, directory), WasiErrno::success);
  const std::uint32_t inner = opened_;
  EXPECT_EQ(open("deep", kReadFile, 0, 0, inner), WasiErrno::success);
  EXPECT_EQ(open("../a", kReadFile, 0, 0, inner), WasiErrno::notcapable);
  EXPECT_EQ(wasi("fd_readdir", {opened_, 4'000, 100, 0, 3'000}), static_cast<int>(WasiErrno::notdir));
}

TEST_P(WasiFiles, AreMovedMadeAndRemoved) {
  temporary_.write("note", "abc");
  grant();
  EXPECT_EQ(path("path_create_directory", "inner"), WasiErrno::success);
  put(2'000, "note");
  put(2'100, "inner/moved");
  EXPECT_EQ(wasi("path_rename", {3, 2'000, 4, 3, 2'100, 11}), 0);
  EXPECT_EQ(temporary_.read("inner/moved"), "abc");
  EXPECT_EQ(path("path_remove_directory", "inner"), WasiErrno::notempty);
  EXPECT_EQ(path("path_unlink_file", "inner/moved"), WasiErrno::success);
  EXPECT_EQ(path("path_remove_directory", "inner"), WasiErrno::success);
  EXPECT_EQ(open("x", kWrite, create | exclusive), WasiErrno::success);
  EXPECT_EQ(open("x", kWrite, create | exclusive), WasiErrno::exist);
}

// J01: times of files are no finer clock than the clock, and no clock at all without permission.
TEST_P(WasiFiles, TellTheirTimesInWholeMilliseconds) {
  temporary_.write("note", "abc");
  grant();
  put(2'000, "note");
  EXPECT_EQ(wasi("path_filestat_get", {3, 0, 2'000, 4, 100}), 0);
  EXPECT_GT(number<std::uint64_t>(148), 0U);
  EXPECT_EQ(number<std::uint64_t>(148) % 1'000'000, 0U);
  settings_.permissions = all().without(Permission::clock);
  start();
  put(2'000, "note");
  EXPECT_EQ(wasi("path_filestat_get", {3, 0, 2'000, 4, 100}), 0);
  EXPECT_EQ(number<std::uint64_t>(148), 0U);
}

TEST_P(WasiFiles, LeaveNoDescriptorBehind) {
  temporary_.write("note", "abc");
  const auto open_descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  grant();
  const auto before = open_descriptors();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(open("note", kReadFile), WasiErrno::success);
  EXPECT_EQ(open_descriptors(), before + 10);
  EXPECT_EQ(guest_->instantiate(*code_, Initialize::yes)->kind, EndKind::returned);
  EXPECT_EQ(open_descriptors(), before);
}

PETRI_IN_BOTH_TIERS(WasiFiles);

}  // namespace
}  // namespace petri
