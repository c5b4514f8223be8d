// The inside of a sandbox: its modules, its tree of processes, what it uses and what became of it.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "host/folder.h"
#include "host/inside.h"
#include "petri/sandbox.h"
#include "process/process.h"
#include "sandbox/lifecycle.h"
#include "sandbox/operation.h"
#include "sandbox/process_state.h"
#include "sandbox/reload.h"
#include "sandbox/runs.h"
#include "sandbox/sandbox_services.h"
#include "sandbox/sandbox_traits.h"
#include "sandbox/snapshot_data.h"
#include "sandbox/spawned_children.h"
#include "sandbox/timers.h"
#include "sandbox/tree_runner.h"
#include "sandbox/way_in.h"
#include "security/breaker.h"
#include "supervisor/recovery_rule.h"
#include "supervisor/tree_json.h"
#include "telemetry/threshold.h"
#include "telemetry/usage_history.h"

namespace petri {

// All members may be called from any thread. Structural work (start, stop, restart, reload) is done one after the
// other, under control_; questions and calls wait for none of it. Locks are taken in this order: control_, mutex_,
// those of the members. A thread that runs a guest holds none of them but control_, where the structural work itself
// runs the guest.
//
// It has a function for each verb of the handle and for each question of four interfaces, which is half of them.
class SandboxCore final : public ProcessOwner,
                          public TreeHost,
                          public ReloadHost,
                          public TreeAccount::Listener,
                          public std::enable_shared_from_this<SandboxCore> {
 public:
  // The spec has passed check_spec(), and take_traits() has made the traits of it.
  SandboxCore(const SandboxServices& services, SandboxSpec spec, SandboxTraitsPtr traits);
  ~SandboxCore() override;

  // First of all, before anybody else knows of it.
  Result<void> open_folder();
  // Prepares the modules and starts the tree. After a failure the status is `failed`.
  // With a snapshot its modules and processes are those of that one.
  Result<void> create(const SnapshotOrigin* origin = nullptr) EXCLUDES(control_);
  Result<void> stop() EXCLUDES(control_);
  Result<void> restart(const RestartOptions& options = {}) EXCLUDES(control_);
  // Returns at once, and everything is on its way to its end. destroy() follows.
  void begin_destroy() EXCLUDES(mutex_) {
    stop_loading();
    begin_end();
  }
  // Ends everything; afterwards every verb answers not_found. False: somebody else has destroyed it.
  bool destroy() EXCLUDES(control_);
  // deadlock in a completion of this sandbox, which destroy() would wait for.
  Result<void> may_be_destroyed_here() const { return may_end_here(); }

  const std::string& id() const { return spec_.id; }
  const std::shared_ptr<UnderWay>& under_way() const { return under_way_; }
  SandboxStatus status() const EXCLUDES(mutex_);
  SandboxInfo info() const EXCLUDES(mutex_);
  Usage usage() const EXCLUDES(mutex_);
  std::vector<UsageSample> usage_history() const EXCLUDES(mutex_);
  std::vector<ChildInfo> children() const EXCLUDES(mutex_);
  bool matches(std::string_view label, std::optional<std::uint64_t> generation) const EXCLUDES(mutex_);
  Clock::WallTime created_at() const { return created_; }
  void sample() EXCLUDES(mutex_);

  Result<Outcome> call(std::string_view function, std::vector<Value> arguments, const CallOptions& options);
  Result<std::uint64_t> call_async(std::string_view function, std::vector<Value> arguments, CallOptions options,
                                   Completion completion);
  Result<void> send(std::string_view bytes, std::string_view process);
  Result<Outcome> run(std::string_view module, std::string_view function, std::vector<Value> arguments,
                      const RunOptions& options);
  Result<Outcome> run(const Source& source, std::string_view function, std::vector<Value> arguments,
                      const RunOptions& options);
  Result<std::uint64_t> run_async(std::string_view module, std::string_view function, std::vector<Value> arguments,
                                  RunOptions options, Completion completion);
  Result<std::uint64_t> run_async(const Source& source, std::string_view function, std::vector<Value> arguments,
                                  RunOptions options, Completion completion);
  Result<void> cancel(std::uint64_t call);
  Result<void> start_child(const TreeChild& child, std::string_view supervisor);
  Result<std::string> start_instance(const InstanceSpec& instance, std::string_view supervisor);
  Result<void> stop_child(std::string_view address);
  Result<void> restart_child(std::string_view address);
  Result<void> remove_child(std::string_view address);
  Result<void> update_tree(const SupervisorSpec& wanted);
  Result<void> update_limits(const LimitChanges& changes) EXCLUDES(mutex_);
  Result<void> update_permissions(Permissions permissions) EXCLUDES(mutex_);
  Result<VersionInfo> load(std::string_view name, const Source& source, const VersionOptions& options) EXCLUDES(mutex_);
  Result<VersionInfo> stage(std::string_view name, const Source& source, const VersionOptions& options)
      EXCLUDES(mutex_);
  Result<ReloadReport> reload(std::string_view module, const Source& source, const ReloadOptions& options)
      EXCLUDES(control_);
  Result<std::vector<ReloadReport>> reload_all(const std::vector<ModuleSpec>& modules, const ReloadOptions& options)
      EXCLUDES(control_);
  Result<ReloadReport> activate(std::string_view module, std::uint64_t version, const ReloadOptions& options)
      EXCLUDES(control_);
  Result<ReloadReport> rollback(std::string_view module, std::uint64_t version, const RollbackOptions& options)
      EXCLUDES(control_);
  Result<ReloadPlan> plan(std::string_view name, const Source& source, const ReloadOptions& options) EXCLUDES(mutex_);
  Result<std::vector<std::string>> dependencies(std::string_view module) EXCLUDES(mutex_);
  Result<std::vector<std::string>> reload_order() EXCLUDES(mutex_);
  Result<ModuleHistory> history(std::string_view module) EXCLUDES(mutex_);
  Result<std::vector<VersionInfo>> versions(std::string_view module) EXCLUDES(mutex_);
  Result<ModuleArchive> export_module(std::string_view module) EXCLUDES(mutex_);
  Result<VersionInfo> import_module(const ModuleArchive& archive) EXCLUDES(mutex_);
  Result<VersionInfo> copy_version(SandboxCore& from, std::string_view module, std::uint64_t number,
                                   const VersionOptions& options) EXCLUDES(mutex_);
  Result<Snapshot> snapshot() EXCLUDES(control_);
  Result<void> restore(const Snapshot& snapshot, const RestoreOptions& options) EXCLUDES(control_);
  // What another that is to be like this one is made of.
  struct CloneSource {
    SandboxSpec spec;  // without an id
    SandboxTraitsPtr traits;
    SandboxLimits limits;
    Permissions permissions;
  };
  Result<CloneSource> clone_source() const EXCLUDES(mutex_);
  // Before it is created.
  void become_clone_of(const CloneSource& other);
  Result<StateDocument> state(std::string_view process) EXCLUDES(mutex_);
  Result<void> update_state(const std::vector<StateUpdate>& updates, std::string_view process) EXCLUDES(mutex_);

  Result<void> label(std::string_view label) EXCLUDES(mutex_);
  Result<void> unlabel(std::string_view label) EXCLUDES(mutex_);

  // ProcessOwner
  std::shared_ptr<void> keep_alive() override { return shared_from_this(); }
  Workers& workers() override { return services_.workers; }
  Workers::Client* client() override { return &threads_; }
  std::uint64_t submit(Workers::Task task) override {
    return services_.guest_threads.submit(threads_, account_.threads_max(), std::move(task));
  }
  void hurry(std::uint64_t number) override { services_.guest_threads.hurry(threads_, account_.threads_max(), number); }
  TreeAccount& account() override { return account_; }
  CpuShare& cpu_share() override { return share_; }
  const Clock& clock() const override { return services_.clock; }
  DeterministicQueue* deterministic_queue() override { return queue_.get(); }
  Mutex& waits() override { return waits_; }
  HostSettings host_settings(std::string_view process) override;
  std::uint64_t seed() const override { return spec_.seed; }
  RetraceBudget* retrace_budget() override { return &services_.retrace_budget; }
  ProcessPtr find_process(std::string_view name) override EXCLUDES(mutex_);
  void terminate_ended(const Process& process, const Outcome& how) override { report_killed(process.name(), how); }
  void instance_gone(const Process& process, std::uint64_t incarnation) override EXCLUDES(mutex_);
  void process_ended(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) override EXCLUDES(mutex_);
  void process_not_revived(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) override
      EXCLUDES(mutex_);
  std::int32_t spawn(Process& by, HostCall& call, std::string_view spec) override;
  std::int32_t stop_child(Process& by, std::string_view name) override;
  std::int32_t start_timer(Process& by, std::uint64_t now_ms, std::uint32_t milliseconds, std::int64_t tag) override {
    return guest_timers_.start(by, now_ms, milliseconds, tag);
  }
  void call_ended(OutcomeKind kind) override { journal_.call_ended(kind); }
  void late_answer() override { late_answers_.fetch_add(1, std::memory_order_relaxed); }
  bool begin_rollback(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                      std::function<void()>& then) override EXCLUDES(mutex_);

  // TreeAccount::Listener
  void limit_met(std::string_view process, const LimitMet& met) override { journal_.limit_met(process, met); }
  void permission_used(std::string_view process, const PermissionUse& use) override {
    journal_.permission_used(process, use);
  }

  // ReloadHost
  std::vector<ProcessPtr> processes_of(std::string_view module) const override EXCLUDES(mutex_);
  std::set<std::string> modules_with_processes() const override EXCLUDES(mutex_);
  bool trees_are_quiet() const override EXCLUDES(mutex_);
  void wait_for_restarts(Clock::TimePoint deadline) const override EXCLUDES(mutex_);
  std::stop_token ending() const override EXCLUDES(mutex_);
  ModuleGate gate() override EXCLUDES(mutex_);
  Result<void> commit(ModuleChanges& changes, const ModuleTable::Commit& commit) override EXCLUDES(mutex_);

  // TreeHost
  ProcessOwner& owner() override { return *this; }
  Timers& timers() override { return services_.timers; }
  Clock::Duration shutdown_max() const override { return std::chrono::nanoseconds(account_.limits()->shutdown_max); }
  Result<ProcessPtr> process_for(const TreeRunner& tree, const std::string& address) override EXCLUDES(mutex_);
  Result<Outcome> start_process(Process& process, Incarnation incarnation, const ChildSpec& spec, bool again) override
      EXCLUDES(mutex_);
  void place_emptied(const TreeRunner& tree, const std::string& address) override EXCLUDES(mutex_);
  void gave_up(const SupervisorGaveUp& news) override EXCLUDES(mutex_);
  void tree_ended(const TreeRunner& which, const TreeEnded& news) override EXCLUDES(mutex_);

 private:
  static constexpr std::size_t kWatchedLimits = 3;  // of which one hears at four fifths
  void report_exited(const Process& process, const Result<Outcome>& how);

  Result<void> load_modules() EXCLUDES(mutex_);
  Result<void> load_sources(const std::vector<ModuleSpec>& sources) EXCLUDES(mutex_);
  void keep_failed_sources() EXCLUDES(mutex_);
  void drop_sources() EXCLUDES(mutex_);
  Result<void> link_or_forget(WayIn way) EXCLUDES(mutex_);
  Result<void> start_tree(const SnapshotOrigin* origin = nullptr) REQUIRES(control_);
  Result<void> try_start_tree() REQUIRES(control_);
  void end_tree() REQUIRES(control_);
  Result<void> stop_now() REQUIRES(control_);
  bool destroy_now() REQUIRES(control_);
  // What runs, starts or waits is on its way to its end, whoever has control_. Returns at once.
  void begin_end() EXCLUDES(mutex_);
  // The only ways to wait for control_. Whoever has it may need a worker's permit to finish, so a thread that waits for
  // it gives its own back meanwhile: completions and host functions call verbs on workers' threads.
  void take_control() PETRI_THREAD_ANNOTATION(acquire_capability(control_));
  // For whoever ends the sandbox: one that starts, reloads or restarts it is made to give up first.
  void take_control_to_end() PETRI_THREAD_ANNOTATION(acquire_capability(control_)) EXCLUDES(mutex_);
  bool is_to_end() const EXCLUDES(mutex_);
  std::stop_source new_loading() const {
    return spec_.tier == Tier::compiled ? std::stop_source() : std::stop_source(std::nostopstate);
  }
  void stop_loading() EXCLUDES(mutex_);
  std::stop_token loading() const EXCLUDES(mutex_);
  // Whoever ends it has done so, or has begun to: what its trees report changes nothing any more.
  bool is_ending() const REQUIRES(mutex_) {
    return ends_wanted_ > 0 || destroyed_ || status_ == SandboxStatus::stopping || status_ == SandboxStatus::stopped;
  }
  Result<void> give_up_start() EXCLUDES(mutex_);
  // This thread is in a completion of the process of this address, or of one below it, or in a host function that it
  // has called: the process is left only when that has returned. Empty: of any process. In a deterministic queue, all
  // wait for one.
  const Inside* inside(std::string_view address, bool queue_too = false) const;
  static std::unexpected<Error> would_wait_for(const Inside& inside, std::string_view doing);
  // deadlock: whoever ends that would wait for this very thread.
  Result<void> may_end_here(std::string_view address = {}) const;
  // When the children that guests spawned are killed, and when the rest is.
  struct EndTimes {
    Clock::TimePoint spawned;
    Clock::TimePoint all;
  };
  EndTimes end_times() const;
  Result<void> fail_with(Error error) EXCLUDES(mutex_);
  Result<void> fail_with(Error error, ErrorCategory failure) EXCLUDES(mutex_);

  // Of the last process that ended by itself, or did not start.
  struct LastEnd {
    std::string text;
    ErrorCategory failure = ErrorCategory::runtime;
    Clock::TimePoint time;
    Clock::TimePoint first;  // of those that followed one another so closely that they are one trouble
  };
  // ---- hot reload

  Version version_of(LoadedModule loaded, VersionOrigin origin, std::map<std::string, std::string> metadata,
                     const VersionNeeds& needs) const;
  Result<void> must_be_changeable_now() const REQUIRES(mutex_);
  // Makes an instance of the code where that describes its state, and takes as long as that does.
  VersionInfo info_of(const Version& version, std::uint64_t active) const EXCLUDES(mutex_);
  Result<VersionInfo> add_staged(std::string_view name, Version version, const std::string& actor) EXCLUDES(mutex_);
  Result<VersionInfo> add_module(std::string_view name, VersionTable versions, WayIn way) EXCLUDES(mutex_);
  // Whether the processes of an isolated sandbox can be reached, too.
  enum class Reach : std::uint8_t { live, frozen_too };
  template <typename Use>
  auto with_state(std::string_view name, Reach reach, Use use) -> decltype(use(std::declval<ProcessState&>()));

  // ---- modules that import from one another

  // As ModuleTable has them; a tree that follows from the modules does not follow them when they begin to import.
  Result<void> check_all_links() EXCLUDES(mutex_);

  // While it lives nobody else changes these modules, nor those that depend on them.
  class Claim {
   public:
    Claim(SandboxCore& core, std::vector<std::string> modules) : core_(&core), modules_(std::move(modules)) {}
    Claim(Claim&& other) noexcept : core_(std::exchange(other.core_, nullptr)), modules_(std::move(other.modules_)) {}
    Claim& operator=(Claim&&) = delete;
    ~Claim() { release(); }
    // Before anybody hears of what was done, or is let in to it.
    void release();

   private:
    SandboxCore* core_;
    std::vector<std::string> modules_;
  };
  // For verbs: after what crashed before they came has been dealt with.
  Result<Claim> claim(std::vector<std::string> modules) EXCLUDES(mutex_);
  Result<Claim> claim_now(std::vector<std::string> modules) EXCLUDES(mutex_);
  void release(const std::vector<std::string>& modules) EXCLUDES(mutex_);

  const ReloadPolicy& reload_policy() const {
    static const ReloadPolicy as_it_is;
    return traits_->reload == nullptr ? as_it_is : *traits_->reload;
  }
  ReloadTerms reload_terms(const std::optional<ReloadPolicy>& policy, SwitchCause cause, std::string actor) const;
  ReloadParts reload_parts();
  Result<ModuleChange> change_to(const std::string& name, LoadedModule loaded, const ReloadOptions& options);
  Result<std::vector<ReloadReport>> apply(ModuleChanges changes, ReloadTerms terms, Claim& claimed) EXCLUDES(control_);
  Result<ReloadReport> apply_one(ModuleChange change, ReloadTerms terms, Claim& claimed) EXCLUDES(control_);
  void undo_switch(const std::string& module) EXCLUDES(control_);
  Result<void> try_undo(const std::string& module) EXCLUDES(control_);
  // The module and those it would be rolled back with.
  std::vector<std::string> companions_of(const std::string& module) const;
  Result<ModuleChanges> changes_back_to(const SwitchSnapshots& snapshots) const;
  Result<ReloadReport> rollback_with_snapshot(const std::string& module, std::uint64_t version, ReloadTerms terms)
      EXCLUDES(control_);

  // ---- snapshots

  Result<void> load_saved(const SnapshotOrigin& origin) EXCLUDES(mutex_);
  Result<VersionTable> admit_versions(const SavedModule& saved, WayIn way) EXCLUDES(mutex_);
  std::vector<SavedChild> saved_children(const TreeRunner& tree) const EXCLUDES(mutex_);
  Result<void> start_spawned(const SnapshotData& origin) EXCLUDES(mutex_);
  Result<void> start_saved(TreeRunner& tree, const SavedChild& saved, SpawnedChildren::Where where) EXCLUDES(mutex_);
  void let_go_on(const SnapshotData& origin) EXCLUDES(mutex_);
  // What a process continues from that a snapshot knows.
  struct SavedStart {
    const SnapshotOrigin* origin;
    const SavedProcess* saved;
  };
  std::optional<SavedStart> saved_start(const Process& process, std::string_view module) const EXCLUDES(mutex_);
  Result<Outcome> start_as_saved(Process& process, Incarnation incarnation, const ModuleTable::Active& start,
                                 const SavedStart& from, std::string_view input);
  Result<ModuleChanges> changes_to_restore(const SnapshotData& data) EXCLUDES(mutex_);
  Result<void> check_same_processes(const SnapshotData& data) const EXCLUDES(mutex_);
  std::shared_ptr<SnapshotData> begin_snapshot() EXCLUDES(mutex_);
  // What it knows, or what an instance that is to take its place does.
  Result<SavedProcess> save_process(const Process& process, const LiveInstance& live, const std::string& module) const;

  // ---- a restart that keeps state

  Result<void> restart_with_state() EXCLUDES(control_);
  Result<std::shared_ptr<const SnapshotData>> keep_for_restart() REQUIRES(control_);
  Result<SavedProcess> carried_over(ModuleSwitch& change, Process& process, Clock::TimePoint deadline) EXCLUDES(mutex_);
  Result<std::unique_ptr<ModuleSwitch>> switch_to_itself(const std::string& module) EXCLUDES(mutex_);
  Result<void> start_again(const SnapshotOrigin* origin) REQUIRES(control_);

  // What a process starts with; starts_.end() follows.
  Result<ModuleTable::Active> begin_start(std::string_view module) EXCLUDES(mutex_);
  // deadlock: this thread keeps one of their processes from becoming quiescent.
  Result<void> may_quiesce_here(const ModuleChanges& changes, std::string_view doing) const;
  // What was answered as a crash is followed by a decision (a trial goes back, a supervisor starts again, recovery
  // takes its step), which a verb that comes after the answer waits for: what it says does not depend on how soon it
  // comes.
  bool trees_are_settled() const EXCLUDES(mutex_);
  void wait_for_crashes() EXCLUDES(mutex_);
  void wait_for_decisions(Clock::TimePoint deadline) EXCLUDES(mutex_);
  void begin_decision() EXCLUDES(mutex_);
  void end_decision() EXCLUDES(mutex_);
  bool some_are_down() const EXCLUDES(mutex_);

  // Once supervision has given up.
  void recover(const std::shared_ptr<const TreeRunner>& gave_up) EXCLUDES(control_);
  bool is_done_with(const std::shared_ptr<const TreeRunner>& gave_up) const EXCLUDES(mutex_);
  void act_on_failure(const std::shared_ptr<const TreeRunner>& gave_up) REQUIRES(control_);
  // One step. It may have started everything again, and that have failed again.
  enum class Acted : std::uint8_t { done, failed_again };
  Acted act_once(const std::shared_ptr<const TreeRunner>& gave_up) REQUIRES(control_);
  Acted take_step(const RecoveryStep& step, const LastEnd& last, const std::vector<std::string>& back,
                  const std::shared_ptr<const TreeRunner>& gave_up) REQUIRES(control_);
  bool keeps_running_without(const std::shared_ptr<const TreeRunner>& gave_up) EXCLUDES(mutex_);
  void isolate(const LastEnd& last) EXCLUDES(mutex_);
  void retry_after(Clock::Duration pause, const LastEnd& last) EXCLUDES(mutex_);
  void retry(std::uint64_t ticket) EXCLUDES(control_);
  Result<void> take_back(const std::vector<std::string>& modules) EXCLUDES(mutex_);
  LastEnd last_end() const EXCLUDES(mutex_);
  void note_end(const Process& process, const Result<Outcome>& how) EXCLUDES(mutex_);

  // The breaker. Whoever is the trial says how it went.
  enum class Entry : std::uint8_t { as_ever, on_trial };
  Result<Entry> enter();
  void end_trial(const Result<Outcome>& how);
  void complete(const Completion& then, Result<Outcome> result);
  Completion completion_of(Completion then, Entry entry, std::shared_ptr<std::atomic<TimerId>> timer);
  void report_breaker(const std::optional<Breaker::Change>& change);

  Permissions permissions() const { return granted_.load(std::memory_order_relaxed); }
  // What follows from the event (src/sandbox/lifecycle.h), and who listens hears of it. The only way to another status.
  void advance(LifecycleEvent event, const std::string& cause = {}) EXCLUDES(mutex_);
  // Of one that was destroyed nothing the runtime has is touched any more: it may be gone, too.
  Result<void> must_exist() const EXCLUDES(mutex_);
  Result<void> must_exist_now() const REQUIRES(mutex_);
  Result<void> must_run() const EXCLUDES(mutex_);
  Result<void> must_run_now() const REQUIRES(mutex_);
  Result<ProcessPtr> addressee(std::string_view name, Reach reach = Reach::live) const EXCLUDES(mutex_);
  std::shared_ptr<TreeRunner> tree() const EXCLUDES(mutex_);
  std::shared_ptr<TreeRunner> dynamic_tree() const EXCLUDES(mutex_);
  std::shared_ptr<TreeRunner> tree_for_spawned() EXCLUDES(mutex_);
  // The one or both that there are.
  std::vector<std::shared_ptr<TreeRunner>> trees() const EXCLUDES(mutex_);
  SupervisorSpec tree_spec() const REQUIRES(mutex_);
  RunSpec run_spec(std::string_view function, std::vector<Value> arguments, const RunOptions& options) const;
  // What holds for it: its own fuel, and its own time or what is left of that since.
  SandboxLimits limits_of(const RunSpec& run) const;
  Result<Outcome> call_process(Process& process, std::string_view function, std::vector<Value>&& arguments,
                               const CallOptions& options);
  // Runs, and tells what the gate refuses.
  Result<Outcome> run_module(std::string_view module, std::string_view function, std::vector<Value> arguments,
                             const RunOptions& options, SandboxRun& run);
  Result<Outcome> run_source(const Source& source, std::string_view function, std::vector<Value> arguments,
                             const RunOptions& options, SandboxRun& run);
  using RunWork = std::function<Result<Outcome>(SandboxRun&)>;
  Result<Outcome> run_now(const RunWork& work);
  Result<std::uint64_t> run_later(std::uint64_t bytes, Completion completion, RunWork work);
  void finish_run(const SandboxRunPtr& run, const RunWork& work);
  bool cancel_run(std::uint64_t run);
  bool ends_at_output_limit() const;
  Result<Outcome> carry_out(const RunWork& work, SandboxRun& run);
  Result<CodePtr> load_linked(const std::string& module, const ArtifactPtr& artifact, Permissions permissions,
                              Tier tier, const LoadOptions& options) EXCLUDES(mutex_);
  using Loader = std::function<Result<CodePtr>(Tier, const LoadOptions&)>;
  Loader loader_of(const std::string& module, const ArtifactPtr& artifact, const RunSpec& spec);
  // What is run; a version of a module, unless it came with the run.
  struct RunOf {
    std::string module;
    ArtifactPtr artifact;
    std::uint64_t version = 0;
  };
  Result<Outcome> run_artifact(const RunOf& what, const RunSpec& spec, SandboxRun& run, const std::stop_token& stop)
      EXCLUDES(mutex_);
  Result<Outcome> run_here(const RunOf& what, const RunSpec& spec, SandboxRun& run,
                           const std::stop_token& asked_to_stop) EXCLUDES(mutex_);
  Result<void> check_in_use(const SandboxLimits& before, const SandboxLimits& limits) const EXCLUDES(mutex_);
  void shorten_work(std::chrono::nanoseconds time_max) EXCLUDES(mutex_);
  std::uint64_t spec_bytes_max() const;
  Result<SpawnSpec> read_spawned(Process& by, HostCall& call, std::string_view spec) const;
  // What the spec of a child takes, on the account until the last who has this is gone. limit_exceeded when
  // memory_bytes_max leaves no room.
  Result<std::shared_ptr<void>> must_have_room_for(const TreeChild& child);
  Result<AddInstance> instance_request(const TreeRunner& tree, const InstanceSpec& instance,
                                       std::string_view supervisor);
  Result<void> ask_for(Process& by, TreeRunner& tree, std::string_view supervisor, Request request) const;
  // Where a guest's child goes, and what is asked there.
  struct Spawning {
    SpawnedChildren::Where where = SpawnedChildren::Where::dynamic;
    std::shared_ptr<TreeRunner> tree;
    std::string supervisor;
    Request request;
  };
  Result<Spawning> plan_spawn(SpawnSpec spec);
  Result<void> must_have_room_to_spawn(Process& by) const;
  Result<void> spawn_child(Process& by, HostCall& call, std::string_view spec);
  Result<void> start_spawned_child(Process& by, Spawning planned, const std::string& address) EXCLUDES(mutex_);
  Result<void> stop_spawned(Process& by, std::string_view name) EXCLUDES(mutex_);
  Result<void> must_be_free(const std::string& address) const EXCLUDES(mutex_);
  Result<void> must_be_free_now(const std::string& address) const REQUIRES(mutex_);
  Result<void> reserve(Process& by, const std::string& address, SpawnedChildren::Where where) EXCLUDES(mutex_);
  void release_name(const std::string& address) EXCLUDES(mutex_);
  void notify_parent(std::optional<SpawnedChildren::Notice> notice) EXCLUDES(mutex_);
  std::shared_ptr<void> charge_for_bytes(std::uint64_t bytes);
  std::unique_ptr<DeterministicQueue> make_queue();
  // A limit ended a guest, if one did: breaker and quarantine count it.
  void report_killed(std::string_view process, const Outcome& outcome) {
    report_killed(process, outcome, *account_.limits());
  }
  void report_killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits);
  void count_ending_limit(std::string_view process, const Outcome& outcome);
  std::string_view where_it_counts(std::string_view process) const EXCLUDES(mutex_);
  bool forget_retry() EXCLUDES(mutex_);
  std::size_t history_room_wanted() const EXCLUDES(mutex_);
  Usage usage_over(std::chrono::nanoseconds window_min) const EXCLUDES(mutex_);

  // What no other has; the rest is in the traits.
  struct OwnSpec {
    std::string id;
    std::optional<std::uint64_t> generation;
    std::uint64_t seed = 0;
    bool deterministic = false;
    Tier tier = Tier::automatic;
    std::function<void(std::string_view process, LogLevel level, std::string_view line)> on_log;
  };
  const EndingLimits* ending_limits() const {
    return traits_->ending_limits.empty() ? nullptr : &traits_->ending_limits;
  }

  const SandboxServices& services_;
  const std::shared_ptr<UnderWay> under_way_;
  const OwnSpec spec_;
  const SandboxTraitsPtr traits_;
  std::atomic<Permissions> granted_;  // as they are now
  Breaker breaker_;
  const std::shared_ptr<TreeAccount> shared_account_;  // with what may outlive the sandbox by a moment
  TreeAccount& account_;
  CpuShare share_;
  GuestThreads::Share threads_;
  const std::unique_ptr<DeterministicQueue> queue_;  // of a deterministic one
  GuestTimers guest_timers_;
  // The folder it was granted; none, too, once it was destroyed. The innermost lock.
  std::shared_ptr<Folder> folder() const EXCLUDES(folder_mutex_) {
    MutexLock lock(folder_mutex_);
    return folder_;
  }
  void set_folder(std::shared_ptr<Folder> folder) EXCLUDES(folder_mutex_) {
    MutexLock lock(folder_mutex_);
    folder_.swap(folder);
  }
  mutable Mutex folder_mutex_;
  std::shared_ptr<Folder> folder_ GUARDED_BY(folder_mutex_);
  Mutex waits_;
  const Clock::WallTime created_;
  ModuleTable modules_;
  StartGate starts_;
  std::atomic<std::uint64_t> late_answers_{0}, completions_threw_{0};
  std::atomic<std::uint64_t> last_call_{0};  // or run
  Runs run_table_;
  CurrentOperation operation_{services_.events.correlations()};
  Journal journal_;

  Mutex control_;  // one structural change at a time; taken before mutex_, by take_control()
  mutable Mutex mutex_;
  SandboxStatus status_ GUARDED_BY(mutex_) = SandboxStatus::initializing;
  std::string cause_ GUARDED_BY(mutex_);
  bool destroyed_ GUARDED_BY(mutex_) = false;
  std::uint32_t ends_wanted_ GUARDED_BY(mutex_) = 0;  // by those who wait for control_: nothing is started for them
  Clock::WallTime updated_ GUARDED_BY(mutex_);
  Clock::TimePoint running_since_ GUARDED_BY(mutex_);
  // What the modules are made of, until they are loaded, or others that failed need the room; then without an artifact.
  std::shared_ptr<const std::vector<ModuleSpec>> sources_ GUARDED_BY(mutex_);
  std::uint64_t failed_bytes_ GUARDED_BY(mutex_) = 0;  // of them, on the account
  std::uint32_t decisions_ GUARDED_BY(mutex_) = 0;     // of trials and recovery, under way
  Condition decided_;
  const SnapshotOrigin* origin_ GUARDED_BY(mutex_) = nullptr;     // what processes that start come from
  std::unique_ptr<SupervisorSpec> tree_spec_ GUARDED_BY(mutex_);  // none: a child for each module
  std::shared_ptr<TreeRunner> tree_ GUARDED_BY(mutex_);
  std::shared_ptr<TreeRunner> dynamic_ GUARDED_BY(mutex_);  // of what guests spawn; none before the first
  std::map<std::string, ProcessPtr, std::less<>> processes_ GUARDED_BY(mutex_);
  SpawnedChildren spawned_ GUARDED_BY(mutex_);               // all of dynamic_, and those in pools of tree_
  LastEnd last_end_ GUARDED_BY(mutex_);                      // in tree_
  LastEnd last_spawned_end_ GUARDED_BY(mutex_);              // in dynamic_
  std::optional<ErrorCategory> failure_ GUARDED_BY(mutex_);  // the class of cause_
  RecoveryPast recovered_ GUARDED_BY(mutex_);
  std::uint64_t retry_ticket_ GUARDED_BY(mutex_) = 0;  // of the retry that waits, 0: none does
  std::uint64_t last_retry_ticket_ GUARDED_BY(mutex_) = 0;
  std::stop_source runs_ GUARDED_BY(mutex_);
  // Ending does not wait for a compilation, though whoever asked for that has `control_`. Anew once that has ended.
  std::stop_source loading_ GUARDED_BY(mutex_) = new_loading();
  std::vector<std::string> labels_ GUARDED_BY(mutex_);
  std::uint64_t restarts_ GUARDED_BY(mutex_) = 0;
  std::uint64_t supervisor_restarts_ GUARDED_BY(mutex_) = 0;
  // Restarts by process; none: there was none, as in most sandboxes.
  std::unique_ptr<std::map<std::string, std::uint64_t, std::less<>>> restarts_of_ GUARDED_BY(mutex_);
  std::atomic<bool> recovers_{false};  // what its status becomes is not the wish of a caller
  std::array<WarningLatch, kWatchedLimits> warnings_ GUARDED_BY(mutex_);
  UsageHistory history_ GUARDED_BY(mutex_);
};

}  // namespace petri
