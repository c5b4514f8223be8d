#include "watcher/inotify_notices.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/files/file.h"

namespace petri {
namespace {

// The number in a file of /proc/sys, for a message.
std::string machine_bound(const std::string& name) {
  const auto text = read_file("/proc/sys/fs/inotify/" + name, 100);
  return text ? text->substr(0, text->find('\n')) : "an unknown number of";
}

}  // namespace

Result<std::unique_ptr<FileNotices>> InotifyNotices::create() {
  OwnedDescriptor descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (descriptor) return std::unique_ptr<FileNotices>(new InotifyNotices(std::move(descriptor)));
  if (errno == EMFILE) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("this user has {} watchers, as many as fs.inotify.max_user_instances allows; raise it with "
                            "sysctl, or end another program that watches files",
                            machine_bound("max_user_instances")));
  }
  return fail(ErrorCode::io_error, fmt::format("files cannot be watched on this machine ({})", errno_text(errno)));
}

Result<int> InotifyNotices::add(const std::string& path) {
  const int watch = ::inotify_add_watch(descriptor_.get(), path.c_str(), notice_mask());
  if (watch >= 0) return watch;
  if (errno == ENOSPC) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("this user watches {} folders, as many as fs.inotify.max_user_watches allows; raise it "
                            "with sysctl, or watch fewer folders",
                            machine_bound("max_user_watches")));
  }
  return fail(ErrorCode::io_error, errno_text(errno));
}

void InotifyNotices::remove(int watch) { ::inotify_rm_watch(descriptor_.get(), watch); }

void InotifyNotices::read(std::vector<FileNotice>& notices) {
  alignas(inotify_event) std::array<char, std::size_t{64} << 10> buffer;
  const ssize_t bytes = ::read(descriptor_.get(), buffer.data(), buffer.size());
  for (ssize_t at = 0; at < bytes;) {
    inotify_event event{};
    std::memcpy(&event, buffer.data() + at, sizeof event);
    const char* const name = buffer.data() + at + sizeof event;
    if (const auto meaning = meaning_of(event.mask)) {
      const std::size_t length = event.len == 0 ? 0 : ::strnlen(name, event.len);
      notices.push_back({.watch = event.wd, .name = std::string(name, length), .kind = *meaning});
    }
    at += static_cast<ssize_t>(sizeof event + event.len);
  }
}

bool InotifyNotices::waiting() const {
  int bytes = 0;
  return ::ioctl(descriptor_.get(), FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace petri
