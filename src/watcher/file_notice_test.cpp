#include "watcher/file_notice.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>

namespace petri {
namespace {

TEST(FileNotice, MeansOneOfSixThings) {
  const std::pair<std::uint32_t, std::optional<NoticeKind>> cases[]{
      {IN_MODIFY, NoticeKind::file_changed},
      {IN_CLOSE_WRITE, NoticeKind::file_changed},
      {IN_MOVED_TO, NoticeKind::file_changed},
      {IN_CREATE, NoticeKind::file_changed},
      {IN_ATTRIB, NoticeKind::file_changed},
      {IN_DELETE, NoticeKind::file_gone},
      {IN_MOVED_FROM, NoticeKind::file_gone},
      {IN_CREATE | IN_ISDIR, NoticeKind::folder_came},
      {IN_MOVED_TO | IN_ISDIR, NoticeKind::folder_came},
      {IN_ATTRIB | IN_ISDIR, NoticeKind::folder_came},
      {IN_DELETE | IN_ISDIR, NoticeKind::folder_gone},
      {IN_MOVED_FROM | IN_ISDIR, NoticeKind::folder_gone},
      {IN_DELETE_SELF, NoticeKind::watch_ended},
      {IN_MOVE_SELF, NoticeKind::watch_ended},
      {IN_UNMOUNT, NoticeKind::watch_ended},
      {IN_IGNORED, NoticeKind::watch_ended},
      {IN_Q_OVERFLOW, NoticeKind::lost},
      {IN_OPEN, std::nullopt},
      {IN_OPEN | IN_ISDIR, std::nullopt},
      {IN_CLOSE_NOWRITE, std::nullopt},
  };
  for (const auto& [mask, meaning] : cases) EXPECT_EQ(meaning_of(mask), meaning) << mask;
}

}  // namespace
}  // namespace petri
