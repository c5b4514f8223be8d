// One notice of the kernel about a watched folder, and what it means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace petri {

// lost: the kernel had more notices than it keeps, so that any number of them may be missing.
enum class NoticeKind : std::uint8_t { file_changed, file_gone, folder_came, folder_gone, watch_ended, lost };

struct FileNotice {
  int watch = -1;    // of the folder, as FileNotices::add() numbered it; -1: of none
  std::string name;  // of the entry; empty: the folder itself
  NoticeKind kind = NoticeKind::file_changed;
  bool operator==(const FileNotice&) const = default;
};

// The mask that folders are watched with, and the meaning of one that the kernel sends; nullopt: none for us.
std::uint32_t notice_mask();
std::optional<NoticeKind> meaning_of(std::uint32_t mask);

}  // namespace petri
