// The processes of a sandbox by their addresses, and whose children they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "process/process.h"
#include "sandbox/processes/spawned_children.h"
#include "sandbox/standing.h"

namespace petri {

// A process is here from before its first start until its place in its tree is empty, whether it lives or not. Both
// trees share the addresses; one that a guest spawns has its name from before it starts, so that nobody else gets it.
//
// Any thread. Its lock is held for moments, after that of Standing and before that of a process; under it processes are
// asked what they use, and none is called or ended.
class ProcessTable {
 public:
  // The statuses that let somebody reach a process: those in which it answers, or `isolated` too, which freezes it.
  enum class Reach : std::uint8_t { live, frozen_too };
  using Where = SpawnedChildren::Where;
  using Notice = SpawnedChildren::Notice;

  // Both outlive it.
  ProcessTable(const std::string& sandbox, const Standing& standing) : sandbox_(sandbox), standing_(standing) {}

  // ---- questions

  // The process that a verb means: of this address, or the only one if no address is given. Whether the sandbox runs is
  // answered together with that: a process that left because the sandbox was stopped is never reported as missing.
  Result<ProcessPtr> addressee(std::string_view address, Reach reach = Reach::live) const EXCLUDES(mutex_);
  // nullptr if there is none.
  ProcessPtr find(std::string_view address) const EXCLUDES(mutex_);
  std::vector<ProcessPtr> all() const EXCLUDES(mutex_);
  // The processes that are here of those at these addresses.
  std::vector<ProcessPtr> at(const std::vector<std::string>& addresses) const EXCLUDES(mutex_);
  std::size_t size() const EXCLUDES(mutex_);
  // How many messages wait in the fullest mailbox.
  std::size_t messages_in_fullest() const EXCLUDES(mutex_);
  // How often supervisors have started a process again.
  std::uint64_t supervisor_restarts() const EXCLUDES(mutex_);

  // ---- places of the trees; `where` says which tree asks

  // The process of a place, created if it is new. already_exists if the place is in the tree of the spec and a guest
  // has spawned a child of that name.
  Result<ProcessPtr> place(ProcessOwner& owner, const std::string& address, bool by_spawned_tree) EXCLUDES(mutex_);
  // It runs; the notice for its parent, if that is to have one.
  std::optional<Notice> note_started(std::string_view address) EXCLUDES(mutex_);
  // Counts a restart of this process; how many it has had.
  std::uint64_t note_restart(const std::string& address) EXCLUDES(mutex_);
  void count_supervisor_restart() EXCLUDES(mutex_);
  // Remembers how a spawned child ended until its supervisor has said what comes next.
  void note_exit(std::string_view address, const Result<Outcome>& how) EXCLUDES(mutex_);
  // Nobody is at this address any more, nor below: who was, and the notice for the parent. The caller closes them.
  // Nothing when the name belongs to a child of the other tree.
  struct Emptied {
    std::vector<ProcessPtr> gone;
    std::optional<Notice> notice;
  };
  std::optional<Emptied> empty(const std::string& address, bool by_spawned_tree) EXCLUDES(mutex_);
  // All of them; the caller closes them.
  std::vector<ProcessPtr> take_all() EXCLUDES(mutex_);

  // ---- children that guests spawn

  // already_exists if somebody has this name.
  Result<void> must_be_free(std::string_view address) const EXCLUDES(mutex_);
  // Checks like may_spawn(), and from then on nobody else gets the name.
  Result<void> reserve(Process& parent, const std::string& address, Where where) EXCLUDES(mutex_);
  // Bounded and charged as any message is; when it does not fit, limit.met says so. Nobody is notified where a sandbox
  // ends.
  void notify_parent(std::optional<Notice> notice) const;
  // The child was not started after all.
  void release(std::string_view address) EXCLUDES(mutex_);
  // One of a snapshot, whose parent may be gone.
  void add_spawned(const std::string& address, const ProcessPtr& parent, Where where) EXCLUDES(mutex_);
  // The tree of a child that a guest has spawned; nullopt if none has this name.
  std::optional<Where> where_spawned(std::string_view address) const EXCLUDES(mutex_);
  bool is_dynamic(std::string_view address) const EXCLUDES(mutex_) { return where_spawned(address) == Where::dynamic; }
  // The process that spawned it; nullptr if it is gone, or no guest has.
  ProcessPtr parent_of(std::string_view address) const EXCLUDES(mutex_);
  // The children in the tree of their own.
  std::vector<std::string> dynamic() const EXCLUDES(mutex_);
  // The tree of the spawned ones is gone, or all trees are.
  void remove_dynamic() EXCLUDES(mutex_);
  void forget_spawned() EXCLUDES(mutex_);

 private:
  ProcessPtr chosen(std::string_view address) const REQUIRES(mutex_);
  Result<void> must_be_free_now(std::string_view address) const REQUIRES(mutex_);

  const std::string& sandbox_;
  const Standing& standing_;
  mutable Mutex mutex_;
  std::map<std::string, ProcessPtr, std::less<>> processes_ GUARDED_BY(mutex_);
  SpawnedChildren spawned_ GUARDED_BY(mutex_);
  std::uint64_t supervisor_restarts_ GUARDED_BY(mutex_) = 0;
  // Restarts by process; nullptr if there was none, as in most sandboxes.
  std::unique_ptr<std::map<std::string, std::uint64_t, std::less<>>> restarts_of_ GUARDED_BY(mutex_);
};

}  // namespace petri
