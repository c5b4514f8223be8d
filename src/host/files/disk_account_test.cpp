#include "host/files/disk_account.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

Limits small() { return {.file_bytes_max = 10, .files_max = 2, .disk_bytes_max = 15}; }

TEST(DiskAccount, AllowsAsManyFilesAsTheLimit) {
  LimitMet met;
  DiskAccount account(small());
  EXPECT_EQ(account.add_file(met), WasiErrno::success);
  EXPECT_EQ(account.add_file(met), WasiErrno::success);
  EXPECT_EQ(account.add_file(met), WasiErrno::nospc);
  account.remove_file();
  EXPECT_EQ(account.add_file(met), WasiErrno::success);
}

// Q16
TEST(DiskAccount, RefusesAFileThatWouldBecomeTooLong) {
  LimitMet met;
  DiskAccount account(small());
  EXPECT_EQ(account.resize(0, 10, met), WasiErrno::success);
  EXPECT_EQ(account.resize(10, 11, met), WasiErrno::fbig);
}

TEST(DiskAccount, RefusesWhatAllFilesTogetherMayNotHave) {
  LimitMet met;
  DiskAccount account(small());
  EXPECT_EQ(account.resize(0, 10, met), WasiErrno::success);
  EXPECT_EQ(account.resize(0, 6, met), WasiErrno::nospc);
  EXPECT_EQ(account.resize(0, 5, met), WasiErrno::success);
  EXPECT_EQ(account.resize(10, 4, met), WasiErrno::success);
  EXPECT_EQ(account.resize(4, 10, met), WasiErrno::success);
}

TEST(DiskAccount, LetsAFolderThatIsTooFullShrinkButNotGrow) {
  LimitMet met;
  DiskAccount account(small());
  account.set(7, 100);
  EXPECT_EQ(account.add_file(met), WasiErrno::nospc);
  EXPECT_EQ(account.resize(0, 1, met), WasiErrno::nospc);
  EXPECT_EQ(account.resize(90, 0, met), WasiErrno::success);
  EXPECT_EQ(account.resize(0, 5, met), WasiErrno::success);
}

TEST(DiskAccount, DoesNotCountBelowNothing) {
  LimitMet met;
  DiskAccount account(small());
  account.remove_file();
  account.remove_bytes(100);
  EXPECT_EQ(account.resize(0, 10, met), WasiErrno::success);
  EXPECT_EQ(account.resize(0, 6, met), WasiErrno::nospc);
}

}  // namespace
}  // namespace petri
