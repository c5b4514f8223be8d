#include "sandbox/processes/process_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/text/escape.h"

namespace petri {

// The path of every call: one lock where the process is there. What is not found may have left because the sandbox is
// being stopped, so the second look is under the lock that keeps the status as it is.
Result<ProcessPtr> ProcessTable::addressee(std::string_view address, Reach reach) const {
  const auto reached = [this, reach] {
    return standing_.is_up() || (reach == Reach::frozen_too && standing_.status() == SandboxStatus::isolated);
  };
  if (reached()) [[likely]] {
    MutexLock lock(mutex_);
    if (ProcessPtr found = chosen(address)) [[likely]]
      return found;
  }
  MutexLock standing(standing_.mutex());
  if (!reached()) PETRI_TRY(standing_.must_run_now());
  MutexLock lock(mutex_);
  if (ProcessPtr found = chosen(address)) return found;
  if (address.empty()) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the sandbox {} has {} processes: say which one is meant", sandbox_, processes_.size()));
  }
  return fail(ErrorCode::not_found,
              fmt::format("the sandbox {} has no process {}", sandbox_, escape_text(address, kSandboxIdBytesMax)));
}

// Without an address there must be no choice.
ProcessPtr ProcessTable::chosen(std::string_view address) const {
  const auto found = !address.empty()         ? processes_.find(address)
                     : processes_.size() == 1 ? processes_.begin()
                                              : processes_.end();
  return found == processes_.end() ? nullptr : found->second;
}

ProcessPtr ProcessTable::find(std::string_view address) const {
  MutexLock lock(mutex_);
  const auto found = processes_.find(address);
  return found == processes_.end() ? nullptr : found->second;
}

std::vector<ProcessPtr> ProcessTable::all() const {
  std::vector<ProcessPtr> processes;
  MutexLock lock(mutex_);
  for (const auto& [address, process] : processes_) processes.push_back(process);
  return processes;
}

std::vector<ProcessPtr> ProcessTable::at(const std::vector<std::string>& addresses) const {
  std::vector<ProcessPtr> processes;
  MutexLock lock(mutex_);
  for (const std::string& address : addresses) {
    if (const auto found = processes_.find(address); found != processes_.end()) processes.push_back(found->second);
  }
  return processes;
}

std::size_t ProcessTable::size() const {
  MutexLock lock(mutex_);
  return processes_.size();
}

std::size_t ProcessTable::messages_in_fullest() const {
  std::size_t fullest = 0;
  MutexLock lock(mutex_);
  for (const auto& [address, process] : processes_) fullest = std::max(fullest, process->entrance().mailbox_size());
  return fullest;
}

std::uint64_t ProcessTable::supervisor_restarts() const {
  MutexLock lock(mutex_);
  return supervisor_restarts_;
}

// ---- places of the trees --------------------------------------------------------------------------------------

Result<ProcessPtr> ProcessTable::place(ProcessOwner& owner, const std::string& address, bool by_spawned_tree) {
  MutexLock lock(mutex_);
  if (!by_spawned_tree && spawned_.is_dynamic(address)) {
    return fail(ErrorCode::already_exists, fmt::format("a guest has spawned a child of the name {}", address));
  }
  ProcessPtr& process = processes_[address];
  if (process == nullptr) process = std::make_shared<Process>(owner, address);
  return process;
}

std::optional<ProcessTable::Notice> ProcessTable::note_started(std::string_view address) {
  MutexLock lock(mutex_);
  return spawned_.started(address);
}

std::uint64_t ProcessTable::note_restart(const std::string& address) {
  MutexLock lock(mutex_);
  if (restarts_of_ == nullptr) restarts_of_ = std::make_unique<decltype(restarts_of_)::element_type>();
  return ++(*restarts_of_)[address];
}

void ProcessTable::count_supervisor_restart() {
  MutexLock lock(mutex_);
  ++supervisor_restarts_;
}

void ProcessTable::note_exit(std::string_view address, const Result<Outcome>& how) {
  MutexLock lock(mutex_);
  spawned_.exited(address, how);
}

std::optional<ProcessTable::Emptied> ProcessTable::empty(const std::string& address, bool by_spawned_tree) {
  Emptied emptied;
  MutexLock lock(mutex_);
  if (!by_spawned_tree && spawned_.is_dynamic(address)) return std::nullopt;
  emptied.notice = spawned_.gone(address);
  // A guest chooses the names of its children, so none is remembered for longer than the child has its place.
  if (restarts_of_ != nullptr) restarts_of_->erase(address);
  if (const auto own = processes_.extract(address)) emptied.gone.push_back(own.mapped());
  const std::string below = address + "/";
  auto next = processes_.lower_bound(below);
  while (next != processes_.end() && next->first.starts_with(below)) {
    emptied.gone.push_back(std::move(next->second));
    next = processes_.erase(next);
  }
  return emptied;
}

std::vector<ProcessPtr> ProcessTable::take_all() {
  std::vector<ProcessPtr> processes;
  MutexLock lock(mutex_);
  for (auto& [address, process] : processes_) processes.push_back(std::move(process));
  processes_.clear();
  return processes;
}

// ---- children that guests spawn -------------------------------------------------------------------------------

Result<void> ProcessTable::must_be_free(std::string_view address) const {
  MutexLock lock(mutex_);
  return must_be_free_now(address);
}

Result<void> ProcessTable::must_be_free_now(std::string_view address) const {
  if (!processes_.contains(address) && spawned_.find(address) == nullptr) return {};
  return fail(ErrorCode::already_exists, "there is a process of that name already");
}

Result<void> ProcessTable::reserve(Process& parent, const std::string& address, Where where) {
  MutexLock lock(mutex_);
  PETRI_TRY(must_be_free_now(address));
  spawned_.add(address, {.parent = parent.weak_from_this(), .where = where});
  return {};
}

void ProcessTable::notify_parent(std::optional<Notice> notice) const {
  if (!notice || !notice->parent->takes_messages() || !standing_.is_up()) return;
  static_cast<void>(notice->parent->post(std::move(notice->message)));
}

void ProcessTable::release(std::string_view address) {
  MutexLock lock(mutex_);
  spawned_.remove(address);
}

void ProcessTable::add_spawned(const std::string& address, const ProcessPtr& parent, Where where) {
  MutexLock lock(mutex_);
  spawned_.add(address, {.parent = parent, .where = where});
}

std::optional<ProcessTable::Where> ProcessTable::where_spawned(std::string_view address) const {
  MutexLock lock(mutex_);
  const SpawnedChildren::Child* const child = spawned_.find(address);
  return child == nullptr ? std::nullopt : std::optional(child->where);
}

ProcessPtr ProcessTable::parent_of(std::string_view address) const {
  MutexLock lock(mutex_);
  const SpawnedChildren::Child* const child = spawned_.find(address);
  return child == nullptr ? nullptr : child->parent.lock();
}

std::vector<std::string> ProcessTable::dynamic() const {
  MutexLock lock(mutex_);
  return spawned_.dynamic();
}

void ProcessTable::remove_dynamic() {
  MutexLock lock(mutex_);
  spawned_.remove_dynamic();
}

void ProcessTable::forget_spawned() {
  MutexLock lock(mutex_);
  spawned_.clear();
}

}  // namespace petri
