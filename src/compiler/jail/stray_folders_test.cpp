#include "compiler/jail/stray_folders.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/files/owned_descriptor.h"
#include "host/files/temporary_folder.h"

namespace petri {
namespace {

class StrayFoldersTest : public ::testing::Test {
 protected:
  StrayFoldersTest() { ::setenv("TMPDIR", temporary_.path().c_str(), 1); }
  ~StrayFoldersTest() override { ::unsetenv("TMPDIR"); }
  // A folder with a file in it, and this old.
  std::filesystem::path make(const std::string& name, std::chrono::seconds age) {
    const std::filesystem::path path = temporary_.path() / name;
    std::filesystem::create_directory(path);
    std::ofstream(path / "main.c") << "int f;";
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
    return path;
  }
  const TemporaryFolder temporary_;
};

TEST_F(StrayFoldersTest, AreRemovedOnceTheyAreOldAndNobodyUsesThem) {  // G09
  using std::chrono::hours;
  const auto stray = make("petri-compile-aaaaaa", hours(2));
  const auto young = make("petri-compile-bbbbbb", hours(0));
  const auto used = make("petri-compile-cccccc", hours(2));
  const auto other = make("another-program", hours(2));
  const auto target = make("target", hours(2));
  std::filesystem::create_directory_symlink(target, temporary_ / "petri-compile-dddddd");
  std::filesystem::create_directory_symlink(target, stray / "link");
  std::filesystem::last_write_time(stray, std::filesystem::file_time_type::clock::now() - hours(2));
  {
    const OwnedDescriptor open(::open(used.c_str(), O_RDONLY | O_DIRECTORY));
    mark_used(open.get());
    EXPECT_EQ(remove_stray_folders(), 1U);
  }
  EXPECT_FALSE(std::filesystem::exists(stray));
  for (const auto& path : {young, used, other, target / "main.c"}) EXPECT_TRUE(std::filesystem::exists(path)) << path;
  EXPECT_EQ(remove_stray_folders(), 1U) << "the process that used it has ended";
  EXPECT_FALSE(std::filesystem::exists(used));
}

}  // namespace
}  // namespace petri
