#include "host/files/file_sync.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

FileSync::Count syncs(std::uint32_t under_way) { return std::make_shared<std::atomic<std::uint32_t>>(under_way); }

// One sandbox filled the queue, and nearly every fd_sync of another failed.
TEST(FileSync, IsStartedAgainLaterWhenItsFolderHasTooMany) {
  const OwnedDescriptor file(::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto busy = syncs(FileSync::kOfOneFolderMax), idle = syncs(0);
  const auto refused = FileSync::start(file.get(), FileSync::How::all, busy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), WasiErrno::again);
  EXPECT_EQ(*busy, FileSync::kOfOneFolderMax) << "it does not count";
  EXPECT_TRUE(FileSync::start(file.get(), FileSync::How::all, idle));
}

TEST(FileSync, CountsUntilNobodyHasItAnyMore) {
  const auto count = syncs(1);
  {
    const FileSync sync(OwnedDescriptor(), FileSync::How::all, count);
  }
  EXPECT_EQ(*count, 0U);
}

}  // namespace
}  // namespace petri
