#include "watcher/watcher.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "watcher/inotify_notices.h"

namespace petri {

Result<std::unique_ptr<Watcher>> Watcher::create(Timers& timers, const Clock& clock,
                                                 std::unique_ptr<FileNotices> notices) {
  if (notices == nullptr) {
    PETRI_TRY(notices, InotifyNotices::create());
  }
  auto wake_up = std::make_shared<WakeUp>();
  if (!wake_up->is_valid()) return fail(ErrorCode::io_error, "this process has no descriptor left to watch files with");
  std::unique_ptr<Watcher> watcher(new Watcher(timers, clock, std::move(notices), std::move(wake_up)));
  constexpr std::size_t kSmallStack = std::size_t{1} << 20;
  PETRI_TRY(watcher->thread_, LargeThread::start({.name = "petri-watch", .stack_bytes = kSmallStack},
                                                 [self = watcher.get()] { self->work(); }));
  return watcher;
}

Watcher::~Watcher() {
  {
    MutexLock lock(mutex_);
    ending_ = true;
  }
  wake_up_->wake();
  thread_.reset();
  MutexLock lock(mutex_);
  watched_.clear();
}

Result<Watcher::Number> Watcher::add(WatchRequest request, Clock::Duration quiet, OnChange on_change) {
  MutexLock lock(mutex_);
  const Number number = ++last_;
  auto tree = std::make_unique<FolderTree>(std::move(request), table_, number);
  PETRI_TRY(tree->open());
  watched_.emplace(number,
                   Watched{.tree = std::move(tree), .debounce = Debounce(quiet), .on_change = std::move(on_change)});
  return number;
}

void Watcher::remove(Number tree) {
  MutexLock lock(mutex_);
  watched_.erase(tree);
}

std::size_t Watcher::folders(Number tree) const {
  MutexLock lock(mutex_);
  const auto found = watched_.find(tree);
  return found == watched_.end() ? 0 : found->second.tree->folders();
}

std::size_t Watcher::trees() const {
  MutexLock lock(mutex_);
  return watched_.size();
}

void Watcher::wait_until_read() {
  MutexLock lock(mutex_);
  while (notices_->waiting()) read_.wait(mutex_);
}

void Watcher::work() {
  for (;;) {
    std::array<pollfd, 2> waited{{{.fd = notices_->descriptor(), .events = POLLIN, .revents = 0},
                                  {.fd = wake_up_->descriptor(), .events = POLLIN, .revents = 0}}};
    ::poll(waited.data(), waited.size(), -1);
    wake_up_->clear();
    MutexLock lock(mutex_);
    if (ending_) return;
    read_notices();
    report_settled();
    read_.notify_all();
  }
}

void Watcher::read_notices() {
  std::vector<FileNotice> notices;
  notices_->read(notices);
  for (const FileNotice& notice : notices) dispatch(notice);
}

void Watcher::dispatch(const FileNotice& notice) {
  if (notice.kind == NoticeKind::lost) {
    for (auto& [number, watched] : watched_) {
      watched.tree->lost();
      note(watched);
    }
    return;
  }
  const std::vector<NoticeTable::Place> places = table_.places_of(notice.watch);
  if (notice.kind == NoticeKind::watch_ended) table_.end(notice.watch);
  for (const NoticeTable::Place& place : places) {
    const auto found = watched_.find(place.owner);
    if (found != watched_.end() && found->second.tree->handle(place, notice)) note(found->second);
  }
}

void Watcher::note(Watched& watched) {
  watched.debounce.note(clock_.now());
  set_timer(watched);
}

// One timer for each tree: when it rings too early, because changes have come since, it is set again.
void Watcher::set_timer(Watched& watched) {
  if (watched.timer) return;
  watched.timer = watched.debounce.due();
  timers_.at(*watched.timer, [wake_up = wake_up_] { wake_up->wake(); });
}

void Watcher::report_settled() {
  const Clock::TimePoint now = clock_.now();
  for (auto& [number, watched] : watched_) {
    if (watched.timer && *watched.timer <= now) watched.timer.reset();
    if (!watched.debounce.take(now)) {
      if (watched.debounce.due()) set_timer(watched);
      continue;
    }
    FolderChange change = watched.tree->take();
    if (change.has_change() || !change.problems.empty()) watched.on_change(std::move(change));
  }
}

}  // namespace petri
