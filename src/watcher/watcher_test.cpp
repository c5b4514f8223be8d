#include "watcher/watcher.h"

#include <gmock/gmock.h>

#include <future>

#include "host/files/temporary_folder.h"
#include "sandbox/timers/timers_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class WatcherTest : public ::testing::Test {
 protected:
  Watcher::Number add(std::vector<FolderChange>& seen, std::vector<std::string> names = {}) {
    const auto added = watcher_->add({.folder = folder_.path().string(), .names = std::move(names), .patterns = {}},
                                     100ms, [&seen](FolderChange change) { seen.push_back(std::move(change)); });
    EXPECT_TRUE(added) << added.error().message;
    return added.value_or(0);
  }
  // Notices of before are handled at the time of before.
  void advance(Clock::Duration duration) {
    watcher_->wait_until_read();
    advance_timers(clock_, *timers_, duration);
    settle();
  }
  // Waits until what is due was reported: the watcher looks for that after each notice that it reads.
  void settle() {
    folder_.write(".nudge", "x");
    watcher_->wait_until_read();
  }

  ManualClock clock_;
  TemporaryFolder folder_;
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  std::unique_ptr<Watcher> watcher_ = *Watcher::create(*timers_, clock_);
};

TEST_F(WatcherTest, ReportsManySavesAsOneChange) {
  std::vector<FolderChange> seen;
  add(seen);
  for (int save = 0; save < 20; ++save) {
    folder_.write("a.c", std::to_string(save));
    advance(40ms);
  }
  EXPECT_EQ(seen.size(), 0U);
  advance(99ms);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].files, ElementsAre("a.c"));
  advance(1s);
  EXPECT_EQ(seen.size(), 1U);
}

TEST_F(WatcherTest, ReportsOneSaveToEveryTreeOfTheFolder) {
  std::vector<FolderChange> first, second, other;
  add(first);
  const auto number = add(second);
  add(other, {"b.c"});
  folder_.write("a.c", "x");
  advance(100ms);
  EXPECT_EQ(first.size(), 1U);
  EXPECT_EQ(second.size(), 1U);
  EXPECT_EQ(other.size(), 0U);
  watcher_->remove(number);
  folder_.write("a.c", "y");
  advance(100ms);
  EXPECT_EQ(first.size(), 2U);
  EXPECT_EQ(second.size(), 1U);
}

TEST_F(WatcherTest, EndsWhileChangesWait) {
  std::vector<FolderChange> seen;
  add(seen);
  folder_.write("a.c", "x");
  watcher_->wait_until_read();
  watcher_.reset();
  advance_timers(clock_, *timers_, 1s);
  EXPECT_EQ(seen.size(), 0U);
}

TEST_F(WatcherTest, RefusesAFolderThatIsNotThere) {
  const auto added = watcher_->add({.folder = "/nowhere", .names = {}, .patterns = {}}, 100ms, [](FolderChange) {});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::io_error);
  EXPECT_EQ(watcher_->trees(), 0U);
}

}  // namespace
}  // namespace petri
