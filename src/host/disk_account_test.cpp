#include "host/disk_account.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

Limits small() { return {.file_bytes_max = 10, .files_max = 2, .disk_bytes_max = 15}; }

TEST(DiskAccount, AllowsAsManyFilesAsTheLimit) {
  DiskAccount account(small());
  EXPECT_EQ(account.add_file(), WasiErrno::success);
  EXPECT_EQ(account.add_file(), WasiErrno::success);
  EXPECT_EQ(account.add_file(), WasiErrno::nospc);
  account.remove_file();
  EXPECT_EQ(account.add_file(), WasiErrno::success);
}

// Q16
TEST(DiskAccount, RefusesAFileThatWouldBecomeTooLong) {
  DiskAccount account(small());
  EXPECT_EQ(account.resize(0, 10), WasiErrno::success);
  EXPECT_EQ(account.resize(10, 11), WasiErrno::fbig);
}

TEST(DiskAccount, RefusesWhatAllFilesTogetherMayNotHave) {
  DiskAccount account(small());
  EXPECT_EQ(account.resize(0, 10), WasiErrno::success);
  EXPECT_EQ(account.resize(0, 6), WasiErrno::nospc);
  EXPECT_EQ(account.resize(0, 5), WasiErrno::success);
  EXPECT_EQ(account.resize(10, 4), WasiErrno::success);
  EXPECT_EQ(account.resize(4, 10), WasiErrno::success);
}

TEST(DiskAccount, LetsAFolderThatIsTooFullShrinkButNotGrow) {
  DiskAccount account(small());
  account.set(7, 100);
  EXPECT_EQ(account.add_file(), WasiErrno::nospc);
  EXPECT_EQ(account.resize(0, 1), WasiErrno::nospc);
  EXPECT_EQ(account.resize(90, 0), WasiErrno::success);
  EXPECT_EQ(account.resize(0, 5), WasiErrno::success);
}

TEST(DiskAccount, DoesNotCountBelowNothing) {
  DiskAccount account(small());
  account.remove_file();
  account.remove_bytes(100);
  EXPECT_EQ(account.resize(0, 10), WasiErrno::success);
  EXPECT_EQ(account.resize(0, 6), WasiErrno::nospc);
}

}  // namespace
}  // namespace petri
