#include "host/files/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/files/temporary_folder.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

class Beneath : public testing::Test {
 protected:
  Beneath() : root_(::open((outside_ / "root").c_str(), O_PATH | O_DIRECTORY)) {}

  WasiErrno error_of(const std::string& path, int flags = O_RDONLY) const {
    const auto opened = open_beneath(root_.get(), path, flags);
    return opened ? WasiErrno::success : opened.error();
  }

  struct Made : TemporaryFolder {
    Made() {
      fs::create_directories(path() / "root/inner");
      write("secret", "not yours");
      write("root/file", "content");
      fs::create_symlink(path() / "secret", path() / "root/link_out");
      fs::create_symlink("file", path() / "root/link_in");
      fs::create_directory_symlink(path(), path() / "root/folder_link");
      ::mkfifo((path() / "root/fifo").c_str(), 0600);
    }
  } outside_;
  OwnedDescriptor root_;
};

TEST_F(Beneath, OpensWhatLiesInside) {
  EXPECT_EQ(error_of("file"), WasiErrno::success);
  EXPECT_EQ(error_of("inner/../file"), WasiErrno::success);
  EXPECT_EQ(error_of("./inner", O_RDONLY | O_DIRECTORY), WasiErrno::success);
}

// E14
TEST_F(Beneath, OpensNothingOutside) {
  EXPECT_EQ(error_of("../secret"), WasiErrno::notcapable);
  EXPECT_EQ(error_of("inner/../../secret"), WasiErrno::notcapable);
  EXPECT_EQ(error_of((outside_ / "secret").string()), WasiErrno::notcapable);
  EXPECT_EQ(error_of("/"), WasiErrno::notcapable);
  EXPECT_EQ(error_of("link_out"), WasiErrno::loop);
  EXPECT_EQ(error_of("folder_link/secret"), WasiErrno::loop);
}

TEST_F(Beneath, FollowsNoLinkEvenInside) { EXPECT_EQ(error_of("link_in"), WasiErrno::loop); }

TEST_F(Beneath, NeverBlocksOnAFifo) {
  EXPECT_EQ(error_of("fifo", O_RDONLY), WasiErrno::success);
  EXPECT_EQ(error_of("fifo", O_WRONLY), WasiErrno::nxio);
}

TEST_F(Beneath, FindsTheFolderOfAnEntry) {
  const auto place = find_entry(root_.get(), "inner/new/");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->name, "new");
  EXPECT_TRUE(fs::equivalent(fs::read_symlink("/proc/self/fd/" + std::to_string(place->folder.get())),
                             outside_ / "root/inner"));
  EXPECT_EQ(find_entry(root_.get(), "new")->name, "new");
}

TEST_F(Beneath, KnowsNoEntryOutsideOrWithoutName) {
  EXPECT_EQ(find_entry(root_.get(), "").error(), WasiErrno::noent);
  EXPECT_EQ(find_entry(root_.get(), "/").error(), WasiErrno::notcapable);
  EXPECT_EQ(find_entry(root_.get(), "/x").error(), WasiErrno::notcapable);
  EXPECT_EQ(find_entry(root_.get(), "inner/..").error(), WasiErrno::inval);
  EXPECT_EQ(find_entry(root_.get(), "../x").error(), WasiErrno::notcapable);
  EXPECT_EQ(find_entry(root_.get(), "folder_link/x").error(), WasiErrno::loop);
  EXPECT_EQ(find_entry(root_.get(), "nowhere/x").error(), WasiErrno::noent);
}

}  // namespace
}  // namespace petri
