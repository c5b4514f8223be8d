// The surroundings of a sandbox's guests: its account, its share of the machine, its folder, and whom to ask for the
// rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/mutex.h"
#include "host/files/folder.h"
#include "process/process.h"
#include "sandbox/calls/completions.h"
#include "sandbox/journal/journal.h"
#include "sandbox/processes/process_ends.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/sandbox_services.h"
#include "sandbox/sandbox_traits.h"
#include "sandbox/timers/guest_timers.h"
#include "sandbox/trees/spawning.h"
#include "sandbox/trees/trees.h"
#include "sandbox/versions/module_table.h"

namespace petri {

class Keeper {
 public:
  virtual ~Keeper() = default;
  // The sandbox, for as long as somebody holds this.
  virtual std::shared_ptr<void> keep_alive() = 0;
};

// The sandbox, as its processes see it. Any thread, most of all those that run guests: these hold no lock of the
// sandbox, and none is held when this returns. Its own lock is the innermost, and guards the folder alone.
class GuestEnvironment final : public ProcessOwner, public TreeAccount::Listener {
 public:
  // All of it outlives the environment.
  struct Parts {
    const SandboxServices& services;
    const OwnSpec& spec;
    const SandboxTraitsPtr& traits;
    Keeper& keeper;
    const ModuleTable& modules;
    ProcessTable& processes;
    ProcessEnds& ends;
    Trees& trees;
    GuestTimers& timers;
    Journal& journal;
    Completions& completions;
  };
  explicit GuestEnvironment(const Parts& parts);

  // ---- what it has

  // May outlive the sandbox by a moment.
  const std::shared_ptr<TreeAccount>& shared_account() const { return account_; }
  GuestThreads::Share& threads() { return threads_; }
  const GuestThreads::Share& threads() const { return threads_; }
  std::atomic<Permissions>& granted() { return granted_; }
  Permissions permissions() const { return granted_.load(std::memory_order_relaxed); }
  const EndingLimits* ending_limits() const {
    return parts_.traits->ending_limits.empty() ? nullptr : &parts_.traits->ending_limits;
  }
  // For the account, the share of the processors and the folder.
  void set_limits(const SandboxLimits& limits);

  // The folder that it was granted, opened before anybody else knows of the sandbox.
  Result<void> open_folder() EXCLUDES(folder_mutex_);
  // Once it is destroyed: whoever keeps a handle keeps no file open.
  void close_folder() EXCLUDES(folder_mutex_) { set_folder(nullptr); }
  // nullptr if there is none.
  std::shared_ptr<Folder> folder() const EXCLUDES(folder_mutex_);

  // ProcessServices
  std::shared_ptr<void> keep_alive() override { return parts_.keeper.keep_alive(); }
  Workers& workers() override { return parts_.services.workers; }
  Workers::Client* client() override { return &threads_; }
  std::uint64_t submit(Workers::Task task) override {
    return parts_.services.guest_threads.submit(threads_, account_->threads_max(), std::move(task));
  }
  void hurry(std::uint64_t number) override {
    parts_.services.guest_threads.hurry(threads_, account_->threads_max(), number);
  }
  TreeAccount& account() override { return *account_; }
  CpuShare& cpu_share() override { return share_; }
  const Clock& clock() const override { return parts_.services.clock; }
  DeterministicQueue* deterministic_queue() override { return queue_.get(); }
  Mutex& waits() override { return waits_; }

  // ProcessOwner: what an instance has
  HostSettings host_settings(std::string_view process) override;
  std::uint64_t seed() const override { return parts_.spec.seed; }
  RetraceBudget* retrace_budget() override { return &parts_.services.retrace_budget; }
  // Requests of guests
  ProcessPtr find_process(std::string_view name) override { return parts_.processes.find(name); }
  std::int32_t spawn(Process& by, HostCall& call, std::string_view spec) override;
  std::int32_t stop_child(Process& by, std::string_view name) override;
  std::int32_t start_timer(Process& by, std::uint64_t now_ms, std::uint32_t milliseconds, std::int64_t tag) override {
    return parts_.timers.start(by, now_ms, milliseconds, tag);
  }
  // Their ends
  void call_ended(OutcomeKind kind) override { parts_.journal.call_ended(kind); }
  void late_answer() override { parts_.completions.add_late(); }
  void terminate_ended(const Process& process, const Outcome& how) override {
    parts_.ends.terminate_ended(process, how);
  }
  void instance_gone(const Process& process, std::uint64_t incarnation) override;
  void process_ended(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) override {
    parts_.ends.ended(process, incarnation, how);
  }
  void process_not_revived(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) override {
    parts_.ends.pass_to_tree(process, incarnation, how);
  }
  bool begin_rollback(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                      std::function<void()>& then) override {
    return parts_.ends.begin_rollback(process, trial, how, then);
  }

  // TreeAccount::Listener
  void limit_met(std::string_view process, const LimitMet& met) override { parts_.journal.limit_met(process, met); }
  void permission_used(std::string_view process, const PermissionUse& use) override {
    parts_.journal.permission_used(process, use);
  }

 private:
  std::unique_ptr<DeterministicQueue> make_queue();
  Spawning spawning();
  void set_folder(std::shared_ptr<Folder> folder) EXCLUDES(folder_mutex_);

  const Parts parts_;
  std::atomic<Permissions> granted_;  // as they are now
  const std::shared_ptr<TreeAccount> account_;
  CpuShare share_;
  GuestThreads::Share threads_;
  const std::unique_ptr<DeterministicQueue> queue_;  // nullptr unless the sandbox is deterministic
  Mutex waits_;
  mutable Mutex folder_mutex_;
  std::shared_ptr<Folder> folder_ GUARDED_BY(folder_mutex_);
};

}  // namespace petri
