#include "base/files/file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace petri {
namespace {

namespace fs = std::filesystem;

class ReadFile : public testing::Test {
 protected:
  ReadFile() {
    std::string pattern = (fs::temp_directory_path() / "petri-file-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~ReadFile() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string make(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  fs::path folder_;
};

TEST_F(ReadFile, GivesAllBytes) {
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(read_file(make("data", bytes), 1 << 20), bytes);
  EXPECT_EQ(read_file(make("empty", ""), 0), "");
}

// H04
TEST_F(ReadFile, HoldsToItsBound) {
  const std::string file = make("data", std::string(100, 'x'));
  EXPECT_TRUE(read_file(file, 100));
  const auto refused = read_file(file, 99);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().message, file + ": it has 100 B, more than the 99 B allowed");
}

// H04
TEST_F(ReadFile, HoldsToItsBoundWhenTheFileClaimsNoSize) {
  const auto refused = read_file("/proc/self/maps", 64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_TRUE(read_file("/proc/self/stat", 1 << 20));
}

TEST_F(ReadFile, NamesAFileThatIsNotThereAsTheCallerWroteIt) {
  const auto missing = read_file("no/../such file", 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::io_error);
  EXPECT_EQ(missing.error().message, "no/../such file: there is no such file");
  EXPECT_EQ(missing.error().detail("path"), "no/../such file");
}

// H03
TEST_F(ReadFile, RefusesWhatIsNoFileWithoutBlocking) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(listener, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path("socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);

  EXPECT_NE(read_file(path("fifo"), 10).error().message.find("this is a FIFO"), std::string::npos);
  EXPECT_NE(read_file(folder_.string(), 10).error().message.find("this is a folder"), std::string::npos);
  EXPECT_NE(read_file("/dev/zero", 10).error().message.find("this is a device"), std::string::npos);
  EXPECT_EQ(read_file(path("socket"), 10).error().code, ErrorCode::io_error);
  ::close(listener);
}

TEST_F(ReadFile, RefusesNamesNoFileCanHave) {
  EXPECT_EQ(read_file("", 10).error().code, ErrorCode::io_error);
  EXPECT_EQ(read_file(std::string(100'000, 'x'), 10).error().code, ErrorCode::io_error);
  EXPECT_EQ(read_file(std::string("/dev/null\0/x", 12), 10).error().message,
            "/dev/null\\x00/x: a path cannot hold a NUL");
}

TEST_F(ReadFile, LeavesNoDescriptorOpen) {
  const auto open_descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const std::string file = make("data", "x");
  const auto before = open_descriptors();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(read_file(file, 1));
    EXPECT_FALSE(read_file(file, 0));
    EXPECT_FALSE(read_file(folder_.string(), 1));
  }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace petri
