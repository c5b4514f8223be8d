// WASI: further names and times of files, sockets, and what gives descriptors other numbers.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "host/files/folder_usage.h"
#include "host/files/temporary_folder.h"
#include "host/host_function_fixture.h"
#include "host/wasi/errno.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

class WasiLinks : public HostFunctionFixture {
 protected:
  void grant() {
    settings_.folder = *Folder::open(temporary_.path().string(), settings_.limits);
    start();
  }
  std::uint32_t open(std::string_view path) {
    constexpr std::uint64_t kReadAndWrite = 1U << 1 | 1U << 6;
    put(2'000, path);
    EXPECT_EQ(wasi("path_open", {3, 0, 2'000, path.size(), 0, kReadAndWrite, 0, 0, 3'000}), 0);
    return number<std::uint32_t>(3'000);
  }
  WasiErrno link(std::string_view from, std::string_view to, std::uint32_t lookup = 0) {
    put(2'000, from);
    put(2'500, to);
    return static_cast<WasiErrno>(wasi("path_link", {3, lookup, 2'000, from.size(), 3, 2'500, to.size()}));
  }
  WasiErrno read_link(std::string_view path, std::uint32_t length = 100) {
    put(2'000, path);
    return static_cast<WasiErrno>(wasi("path_readlink", {3, 2'000, path.size(), 4'000, length, 3'000}));
  }
  WasiErrno answer(std::string_view function, std::initializer_list<std::uint64_t> arguments) {
    return static_cast<WasiErrno>(wasi(function, arguments));
  }
  std::int64_t written_ns(std::string_view name) {
    struct stat status{};
    EXPECT_EQ(::stat((temporary_ / name).c_str(), &status), 0);
    return status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  }

  TemporaryFolder temporary_;
};

TEST_P(WasiLinks, GiveAFileOneMoreName) {
  temporary_.write("one", "abc");
  grant();
  EXPECT_EQ(link("one", "two"), WasiErrno::success);
  EXPECT_EQ(temporary_.read("two"), "abc");
  EXPECT_EQ(link("one", "two"), WasiErrno::exist);
  EXPECT_EQ(link("none", "three"), WasiErrno::noent);
  EXPECT_EQ(link("one", "three", 1), WasiErrno::inval);
}

// E14
TEST_P(WasiLinks, LinkOnlyFilesInsideTheFolder) {
  fs::create_directory(temporary_ / "root");
  fs::create_directory(temporary_ / "root/folder");
  temporary_.write("secret", "not yours");
  temporary_.write("root/mine", "mine");
  fs::create_symlink("../secret", temporary_ / "root/link");
  ::mkfifo((temporary_ / "root/fifo").c_str(), 0600);
  settings_.folder = *Folder::open((temporary_ / "root").string(), settings_.limits);
  start();
  EXPECT_EQ(link("../secret", "taken"), WasiErrno::notcapable);
  EXPECT_EQ(link("mine", "../given"), WasiErrno::notcapable);
  EXPECT_EQ(link("link", "taken"), WasiErrno::loop);
  EXPECT_EQ(link("fifo", "taken"), WasiErrno::acces);
  EXPECT_EQ(link("folder", "taken"), WasiErrno::perm);
  EXPECT_FALSE(fs::exists(temporary_ / "given"));
}

// A name is a file of the limit; the bytes of one file count once, however often it is linked.
TEST_P(WasiLinks, CountNamesAndNotTheirBytesTwice) {
  temporary_.write("one", "0123456789");
  settings_.limits.files_max = 3;
  settings_.limits.disk_bytes_max = 15;
  grant();
  EXPECT_EQ(link("one", "two"), WasiErrno::success);
  EXPECT_EQ(link("one", "three"), WasiErrno::success);
  EXPECT_EQ(link("one", "four"), WasiErrno::nospc);
  EXPECT_EQ(answer("fd_allocate", {open("two"), 0, 15}), WasiErrno::success);
  const FolderMeasure measure = measure_folder(settings_.folder->root(), 10);
  ASSERT_TRUE(measure.usage);
  EXPECT_EQ(measure.usage->files, 3U);
  EXPECT_EQ(measure.usage->bytes, 15U);
}

TEST_P(WasiLinks, SayWhereASymbolicLinkLeadsWithoutFollowingIt) {
  temporary_.write("file", "");
  fs::create_symlink("/etc/passwd", temporary_ / "link");
  grant();
  EXPECT_EQ(read_link("link"), WasiErrno::success);
  EXPECT_EQ(text(4'000, number<std::uint32_t>(3'000)), "/etc/passwd");
  EXPECT_EQ(read_link("link", 4), WasiErrno::success);
  EXPECT_EQ(text(4'000, number<std::uint32_t>(3'000)), "/etc");
  EXPECT_EQ(read_link("file"), WasiErrno::inval);
  EXPECT_EQ(read_link("none"), WasiErrno::noent);
  EXPECT_EQ(read_link("../x"), WasiErrno::notcapable);
}

// E14
TEST_P(WasiLinks, MakeNoSymbolicLinks) {
  grant();
  put(2'000, "target");
  put(2'500, "link");
  EXPECT_EQ(answer("path_symlink", {2'000, 6, 3, 2'500, 4}), WasiErrno::notsup);
  EXPECT_EQ(answer("path_symlink", {2'000, 6, 9, 2'500, 4}), WasiErrno::badf);
  EXPECT_TRUE(fs::is_empty(temporary_.path()));
}

TEST_P(WasiLinks, SetTheTimesOfFiles) {
  temporary_.write("note", "abc");
  grant();
  const std::uint32_t file = open("note");
  EXPECT_EQ(answer("fd_filestat_set_times", {file, 0, 5'000'000'001, 4}), WasiErrno::success);
  EXPECT_EQ(written_ns("note"), 5'000'000'001);
  put(2'000, "note");
  EXPECT_EQ(answer("path_filestat_set_times", {3, 0, 2'000, 4, 0, 7'000'000'000, 4}), WasiErrno::success);
  EXPECT_EQ(written_ns("note"), 7'000'000'000);
  EXPECT_EQ(answer("fd_filestat_set_times", {file, 0, 0, 8}), WasiErrno::success);
  EXPECT_GT(written_ns("note"), 7'000'000'000);
  EXPECT_EQ(answer("fd_filestat_set_times", {file, 0, 0, 12}), WasiErrno::inval);
  EXPECT_EQ(answer("fd_filestat_set_times", {file, 0, 0, 16}), WasiErrno::inval);
  EXPECT_EQ(answer("fd_filestat_set_times", {1, 0, 0, 1}), WasiErrno::inval);
  EXPECT_EQ(answer("fd_filestat_set_times", {60, 0, 0, 1}), WasiErrno::badf);
}

// E14
TEST_P(WasiLinks, SetNoTimesOverALinkOrOutside) {
  temporary_.write("file", "");
  fs::create_symlink("file", temporary_ / "link");
  grant();
  put(2'000, "link");
  EXPECT_EQ(answer("path_filestat_set_times", {3, 1, 2'000, 4, 0, 0, 4}), WasiErrno::loop);
  EXPECT_EQ(answer("path_filestat_set_times", {3, 0, 2'000, 4, 0, 0, 4}), WasiErrno::loop);
  put(2'000, "../x");
  EXPECT_EQ(answer("path_filestat_set_times", {3, 0, 2'000, 4, 0, 0, 4}), WasiErrno::notcapable);
}

TEST_P(WasiLinks, AllocateWithinTheLimitsAndNeverCut) {
  temporary_.write("note", "0123456789");
  settings_.limits.file_bytes_max = 100;
  grant();
  const std::uint32_t file = open("note");
  EXPECT_EQ(answer("fd_allocate", {file, 4, 8}), WasiErrno::success);
  EXPECT_EQ(fs::file_size(temporary_ / "note"), 12U);
  EXPECT_EQ(answer("fd_allocate", {file, 0, 3}), WasiErrno::success);
  EXPECT_EQ(fs::file_size(temporary_ / "note"), 12U);
  EXPECT_EQ(answer("fd_allocate", {file, 1, 100}), WasiErrno::fbig);
  EXPECT_EQ(answer("fd_allocate", {file, ~std::uint64_t{0}, 2}), WasiErrno::fbig);
  EXPECT_EQ(answer("fd_allocate", {file, 0, 0}), WasiErrno::inval);
  EXPECT_EQ(answer("fd_allocate", {1, 0, 1}), WasiErrno::spipe);
}

TEST_P(WasiLinks, TakeAdviceAboutFilesOnly) {
  temporary_.write("note", "abc");
  grant();
  const std::uint32_t file = open("note");
  EXPECT_EQ(answer("fd_advise", {file, 0, 0, 5}), WasiErrno::success);
  EXPECT_EQ(answer("fd_advise", {file, 0, 0, 6}), WasiErrno::inval);
  EXPECT_EQ(answer("fd_advise", {0, 0, 0, 0}), WasiErrno::spipe);
  EXPECT_EQ(answer("fd_advise", {60, 0, 0, 0}), WasiErrno::badf);
}

TEST_P(WasiLinks, GiveDescriptorsOtherNumbers) {
  temporary_.write("one", "1");
  temporary_.write("two", "2");
  grant();
  const std::uint32_t one = open("one"), two = open("two");
  EXPECT_EQ(answer("fd_renumber", {one, two}), WasiErrno::success);
  put_buffer(1'000, 4'000, 10);
  EXPECT_EQ(answer("fd_read", {two, 1'000, 1, 3'000}), WasiErrno::success);
  EXPECT_EQ(text(4'000, 1), "1");
  EXPECT_EQ(answer("fd_renumber", {one, two}), WasiErrno::badf);
  EXPECT_EQ(answer("fd_renumber", {two, 60}), WasiErrno::badf);
  EXPECT_EQ(answer("fd_renumber", {two, two}), WasiErrno::success);
}

// E05
TEST_P(WasiLinks, HaveNoSockets) {
  grant();
  EXPECT_EQ(answer("sock_accept", {1, 0, 0}), WasiErrno::notsock);
  EXPECT_EQ(answer("sock_recv", {3, 0, 0, 0, 0, 0}), WasiErrno::notsock);
  EXPECT_EQ(answer("sock_send", {60, 0, 0, 0, 0}), WasiErrno::badf);
  EXPECT_EQ(answer("sock_shutdown", {0, 0}), WasiErrno::notsock);
}

PETRI_IN_BOTH_TIERS(WasiLinks);

}  // namespace
}  // namespace petri
