#include "watcher/file_notice.h"

#include <sys/inotify.h>

namespace petri {

// Editors write in place (modify, close), write another file and rename it (moved_to), or link it (create). A change of
// permissions may make a file readable that was not. Only folders: inotify follows no link, and needs no path of ours.
std::uint32_t notice_mask() {
  return IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
         IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;
}

std::optional<NoticeKind> meaning_of(std::uint32_t mask) {
  if ((mask & IN_Q_OVERFLOW) != 0) return NoticeKind::lost;
  if ((mask & IN_IGNORED) != 0) return NoticeKind::watch_ended;
  if ((mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) return NoticeKind::watch_ended;
  const bool folder = (mask & IN_ISDIR) != 0;
  if ((mask & (IN_DELETE | IN_MOVED_FROM)) != 0) return folder ? NoticeKind::folder_gone : NoticeKind::file_gone;
  if (folder) {
    const bool came = (mask & (IN_CREATE | IN_MOVED_TO | IN_ATTRIB)) != 0;
    return came ? std::optional(NoticeKind::folder_came) : std::nullopt;
  }
  const bool changed = (mask & (IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_ATTRIB)) != 0;
  return changed ? std::optional(NoticeKind::file_changed) : std::nullopt;
}

}  // namespace petri
