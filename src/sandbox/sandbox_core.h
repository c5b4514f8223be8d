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
#include <unordered_map>
#include <vector>

#include "audit/audit_log.h"
#include "audit/guest_entries.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "host/folder.h"
#include "host/inside.h"
#include "modules/link_modules.h"
#include "modules/version_table.h"
#include "petri/host_functions.h"
#include "petri/sandbox.h"
#include "process/guest_threads.h"
#include "process/process.h"
#include "sandbox/artifact_store.h"
#include "sandbox/code_store.h"
#include "sandbox/failed_sources.h"
#include "sandbox/module_switch.h"
#include "sandbox/operation.h"
#include "sandbox/process_state.h"
#include "sandbox/runs.h"
#include "sandbox/sandbox_traits.h"
#include "sandbox/snapshot_data.h"
#include "sandbox/spawned_children.h"
#include "sandbox/timers.h"
#include "sandbox/tree_runner.h"
#include "sandbox/under_way.h"
#include "sandbox/way_in.h"
#include "security/breaker.h"
#include "security/quarantine.h"
#include "supervisor/recovery_rule.h"
#include "supervisor/tree_json.h"
#include "telemetry/event_bus.h"
#include "telemetry/metrics.h"
#include "telemetry/threshold.h"
#include "telemetry/usage_history.h"

namespace petri {

// What sandboxes share: the runtime's. Outlives them.
struct SandboxServices {
  Workers& workers;
  GuestThreads& guest_threads;
  Timers& timers;
  const Clock& clock;
  EventBus& events;
  ArtifactStore& artifacts;
  CodeStore& code;
  const HostFunctions& host;
  AuditLog& audit;
  Quarantine& quarantine;
  Metrics& metrics;
  MemoryBudget* budget = nullptr;               // none: no bound
  std::shared_ptr<DescriptorPool> descriptors;  // the same; a folder may outlive the runtime
  FailedSources& failed_sources;
  RetraceBudget& retrace_budget;
  std::shared_ptr<UnderWay> under_way;
  std::size_t samples_max = 300;
};

// All members may be called from any thread. Structural work (start, stop, restart) is done one after the other;
// questions wait for none of it.
class SandboxCore final : public ProcessOwner,
                          public TreeHost,
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
  struct Likeness {
    SandboxSpec spec;  // without an id
    SandboxTraitsPtr traits;
    SandboxLimits limits;
    Permissions permissions;
  };
  Result<Likeness> likeness() const EXCLUDES(mutex_);
  // Before it is created.
  void become_like(const Likeness& other);
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
  Lane* lane() override { return lane_.get(); }
  Mutex& waits() override { return waits_; }
  HostSettings host_settings(const Process& process) override;
  std::uint64_t seed() const override { return spec_.seed; }
  RetraceBudget* retrace_budget() override { return &services_.retrace_budget; }
  ProcessPtr find_process(std::string_view name) override EXCLUDES(mutex_);
  void terminate_ended(const Process& process, const Outcome& how) override { tell_killed(process.name(), how); }
  void instance_gone(const Process& process, std::uint64_t incarnation) override EXCLUDES(mutex_);
  void process_ended(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) override EXCLUDES(mutex_);
  void process_buried(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) override
      EXCLUDES(mutex_);
  std::int32_t spawn(Process& by, HostCall& call, std::string_view spec) override;
  std::int32_t stop_child(Process& by, std::string_view name) override;
  std::int32_t start_timer(Process& by, std::uint64_t now_ms, std::uint32_t milliseconds, std::int64_t tag) override;
  void call_ended(OutcomeKind kind) override { services_.metrics.call_ended(kind); }
  void late_answer() override { late_answers_.fetch_add(1, std::memory_order_relaxed); }
  bool takes_back(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                  std::function<void()>& then) override EXCLUDES(mutex_);

  // TreeAccount::Listener
  void limit_met(std::string_view process, const LimitMet& met) override EXCLUDES(mutex_);
  void permission_used(std::string_view process, const PermissionUse& use) override EXCLUDES(mutex_);

  // TreeHost
  std::shared_ptr<void> keep_tree_alive() override { return shared_from_this(); }
  Workers& tree_workers() override { return services_.workers; }
  ProcessOwner* tree_owner() override { return this; }
  Workers::Client* tree_client() override { return client(); }
  Timers& tree_timers() override { return services_.timers; }
  const Clock& tree_clock() const override { return services_.clock; }
  Clock::Duration shutdown_max() const override { return std::chrono::nanoseconds(account_.limits()->shutdown_max); }
  Result<ProcessPtr> process_for(const TreeRunner& tree, const std::string& address) override EXCLUDES(mutex_);
  Result<Outcome> start_process(Process& process, Incarnation incarnation, const ChildSpec& spec, bool again) override
      EXCLUDES(mutex_);
  void place_emptied(const TreeRunner& tree, const std::string& address) override EXCLUDES(mutex_);
  void gave_up(const SupervisorGaveUp& news) override EXCLUDES(mutex_);
  void tree_ended(const TreeRunner& which, const TreeEnded& news) override EXCLUDES(mutex_);

 private:
  static constexpr std::size_t kWatchedLimits = 3;  // of which one hears at four fifths
  bool add_crashed(Process& process, const TrialPeriod& trial, const Result<Outcome>& how, std::function<void()>& then)
      EXCLUDES(mutex_);
  void tell_exited(const Process& process, const Result<Outcome>& how) EXCLUDES(mutex_);
  static bool is_up(SandboxStatus status) {
    return status == SandboxStatus::running || status == SandboxStatus::reloading;
  }

  // The gate: bounds, then what check_policy() looks at. Whoever asks tells what was refused.
  struct Admitted {
    ArtifactPtr artifact;
    SourceFacts source;
  };
  Result<Admitted> admit(const Source& source) EXCLUDES(mutex_);
  // All of it, for code that was let in before and is to become active.
  Result<void> admit_again(const ArtifactPtr& artifact) EXCLUDES(mutex_);
  // Imports, findings, quarantine, in this order; also of code that came in before, for it may be in quarantine since.
  Result<void> check_policy(const Artifact& artifact);
  void tell_rejected(std::string_view module, WayIn way, const Error& error);
  Result<Admitted> read_source(const Source& source) EXCLUDES(mutex_);
  Result<Admitted> read_source_within(const Source& source, std::uint64_t bytes_max) const;
  struct Loaded {
    ModuleCodePtr code;
    SourceFacts source;
  };
  Result<Loaded> load_module(const Source& source);
  // The same of several, side by side where that pays: one does not need another to be checked and loaded.
  std::vector<Result<Loaded>> load_side_by_side(const std::vector<ModuleSpec>& modules);
  // The same; what is refused is told.
  static Error refused_module(std::string_view name, Error error);
  Result<Loaded> told_if_refused(std::string_view name, Result<Loaded> loaded, WayIn way);
  Result<Loaded> let_in(std::string_view name, const Source& source, WayIn way);
  void tell_loaded(std::string_view name, const Artifact& artifact, WayIn way);
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
  // has called: the process is left only when that has returned. Empty: of any process. In a lane, all wait for one.
  const Inside* inside(std::string_view address, bool lane_too = false) const;
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
  // ---- change under life

  // A process that waits to be revived.
  struct Crash {
    ProcessPtr process;
    Result<Outcome> how;
  };
  // What the processes of modules knew that were switched together, by module.
  using SwitchSnapshots = std::map<std::string, std::shared_ptr<const SwitchSnapshot>>;
  // What becomes of a module over time. Most are never changed, and have none of it.
  struct ModulePast {
    explicit ModulePast(VersionTable table) : versions(std::move(table)) {}
    VersionTable versions;
    std::shared_ptr<SwitchSnapshot> snapshot;  // of the last switch
    Clock::TimePoint switched;                 // when that was
    std::shared_ptr<TrialPeriod> trial;        // that began with it
    // Those that were switched with it, and are taken back with it, to this.
    SwitchSnapshots companions;
    bool undoing = false;        // it is being taken back,
    std::vector<Crash> crashed;  // for these and for all others
  };
  struct Module {
    ModuleCodePtr code;  // of the active version, with all it is linked with
    std::unique_ptr<ModulePast> past;
  };
  ModulePast& past_of(Module& module) REQUIRES(mutex_);
  Result<Module*> find_module(std::string_view name) REQUIRES(mutex_);
  std::unexpected<Error> no_module(std::string_view names) const;
  std::unique_ptr<ModulePast> first_past(const ModuleCodePtr& code, SourceFacts source, VersionNeeds needs = {}) const;
  Version version_of(Loaded loaded, VersionOrigin origin, std::map<std::string, std::string> metadata,
                     const VersionNeeds& needs) const;
  Result<void> must_be_changeable_now() const REQUIRES(mutex_);
  static Clock::TimePoint deadline_of(const ReloadPolicy& policy);
  std::stop_token ending() const EXCLUDES(mutex_);
  // All but the state that it describes, which state_of() finds out.
  VersionInfo info_of(const Version& version, std::uint64_t active) const;
  std::vector<StateField> state_of(const ModuleCode& code) const;
  Result<std::shared_ptr<const StateSchema>> schema_of(const ModuleCode& code) const;
  Result<VersionInfo> add_staged(std::string_view name, Version version, const std::string& actor) EXCLUDES(mutex_);
  Result<VersionInfo> add_module(std::string_view name, VersionTable versions, WayIn way) EXCLUDES(mutex_);
  std::unexpected<Error> has_module(std::string_view name) const;
  Result<void> must_be_new(std::string_view name) const EXCLUDES(mutex_);
  void prune_versions(std::uint64_t versions_max) EXCLUDES(mutex_);
  // Whether the processes of an isolated sandbox can be reached, too.
  enum class Reach : std::uint8_t { live, frozen_too };
  template <typename Use>
  auto with_state(std::string_view name, Reach reach, Use use) -> decltype(use(std::declval<ProcessState&>()));

  // ---- modules that import from one another

  struct Part;
  class PartsByName;
  bool has_links() const REQUIRES(mutex_);
  // Of the module of this name by itself, as the table has it; none: there is no such module.
  ModuleCodePtr code_in_table(std::string_view name) const REQUIRES(mutex_);
  DependencyGraph dependency_graph() const REQUIRES(mutex_);
  // Whether each can be linked with what it needs, as the table has them now.
  Result<void> check_all_links() EXCLUDES(mutex_);
  // Code that is to be in the table, with what it needs of it; the table stays as it is.
  Result<ModuleCodePtr> link_with_table(std::string_view name, const ModuleCodePtr& code,
                                        const VersionNeeds& needs) const EXCLUDES(mutex_);
  // Links what the parts lead to, adds those that depend on them, and puts them in order: none before those it imports
  // from. Those without a process from which another part imports are linked later: it tries them when it starts, and
  // to link each of a long chain takes the square of its length.
  Result<void> link_parts(std::vector<Part>& parts) EXCLUDES(mutex_);
  // One of them that was to be linked later, for which a process has come.
  Result<void> link_late(Part& part, const std::vector<Part>& parts) EXCLUDES(mutex_);
  Result<void> add_members(Part& part, const std::vector<Part>& parts) const;
  std::set<std::string> modules_with_processes() const EXCLUDES(mutex_);
  Result<void> add_dependents(std::vector<Part>& parts) REQUIRES(mutex_);
  void go_together(std::vector<Part>& parts) const REQUIRES(mutex_);
  Result<void> check_links(const std::vector<Part>& parts) const REQUIRES(mutex_);
  // A tree that follows from the modules does not follow them when they begin to import.
  void keep_tree_as_it_is(const Part& part) REQUIRES(mutex_);
  Result<ModuleCodePtr> link_with_table_now(std::string_view name, const ModuleCodePtr& code,
                                            const VersionNeeds& needs) const REQUIRES(mutex_);
  // link_error when a version it needs is not one of those it can work with, or there is none.
  Result<void> check_needs(const std::string& module, const VersionNeeds& needs, const std::vector<Part>& parts) const
      REQUIRES(mutex_);
  // The same of every module, with these in place of those the table has.
  Result<void> check_all_needs(const std::vector<Part>& parts) const REQUIRES(mutex_);
  // Of the version that the part leads to, or without one of the active version.
  const VersionNeeds& needs_of(const std::string& module, const Part* part) const REQUIRES(mutex_);
  std::uint64_t active_number(const Module& module) const REQUIRES(mutex_) {
    return module.past == nullptr ? 1 : module.past->versions.active().number;
  }

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

  // One module of a switch.
  struct Part {
    std::string name;
    ModuleCodePtr from, to;
    std::uint64_t from_number = 0, to_number = 0;
    StateHints renames;
    std::optional<Version> added;                   // that the table does not have yet
    std::shared_ptr<const SwitchSnapshot> back_to;  // where state comes from
    std::unique_ptr<ModuleSwitch> change;           // none: there is nothing to do,
    bool only_rests = false;                        // or nothing but to be at rest
    bool only_links = false;                        // its version stays; what it is linked with changes
    bool links_later = false;                       // nobody runs it: it is linked for the first who does
    std::string lead;                               // the one that answers for it in a trial; itself or another
    ProcessPtr alone;                               // none: all of its processes
    std::shared_ptr<TrialPeriod> trial;
    std::vector<ProcessSwitch> switched;
    std::optional<StatePlan> plan;

    bool changes() const { return by_itself(to) != by_itself(from) || back_to != nullptr; }
    bool takes_part() const { return change != nullptr || only_rests; }
  };
  struct SwitchOptions {
    ReloadPolicy policy;
    SwitchCause cause = SwitchCause::reload;
    std::string actor;
    bool on_trial = false;
    bool renames_given = false;                           // by the caller, not by the table
    std::string reason, trap;                             // of a crash that is the cause
    std::string revives;                                  // those that crashed, too: those this module answers for
    bool even_if_same = false;                            // the version stays, and what the processes know does not
    std::function<void(Process&)> on_switched = nullptr;  // each of them, while it is taken
  };
  const ReloadPolicy& reload_policy() const {
    static const ReloadPolicy as_it_is;
    return traits_->reload == nullptr ? as_it_is : *traits_->reload;
  }
  SwitchOptions switch_options(const std::optional<ReloadPolicy>& policy, SwitchCause cause, std::string actor) const;
  Result<Part> admit_part(const std::string& name, const Source& source, const ReloadOptions& options, WayIn way)
      EXCLUDES(mutex_);
  Result<Part> part_of_loaded(const std::string& name, Loaded loaded, const ReloadOptions& options) EXCLUDES(mutex_);
  Result<Part> kept_part(const std::string& name, std::uint64_t number, const StateHints& renames) EXCLUDES(mutex_);
  // It passes the gate again: what came in before may be in quarantine since. Whoever listens hears of a refusal.
  Result<void> check_part(const Part& part, const SwitchOptions& options) EXCLUDES(mutex_);
  Result<void> plan_part(Part& part, const SwitchOptions& options);
  Result<void> plan_parts(std::vector<Part>& parts, const SwitchOptions& options) EXCLUDES(mutex_);
  void commit_part(Part& part, const SwitchOptions& options, VersionTime now) REQUIRES(mutex_);
  Result<SwitchTerms> terms_as_member(const Part& part) const;
  Result<StateHints> renames_for(const Part& part, bool given) const;
  Result<std::vector<ReloadReport>> change(std::vector<Part> parts, const SwitchOptions& options, Claim& claimed)
      EXCLUDES(control_);
  Result<ReloadReport> change_one(Part part, const SwitchOptions& options, Claim& claimed) EXCLUDES(control_);
  Result<std::vector<ReloadReport>> switch_parts(std::vector<Part> parts, const SwitchOptions& options, Claim& claimed)
      REQUIRES(control_);
  Result<void> try_start_of(const Part& part, Clock::TimePoint deadline) EXCLUDES(mutex_);
  // `busy`, and nothing was done, when what the parts are linked with has changed since they were.
  Result<void> commit(std::vector<Part>& parts, const SwitchOptions& options) EXCLUDES(mutex_);
  static ReloadReport report_of(Part& part, Clock::Duration preparation);
  // What happened to a module in the processes of those that are linked with it.
  static void gather_reports(std::vector<Part>& parts);
  std::vector<ReloadReport> reports_of(std::vector<Part>& parts, Clock::Duration preparation);
  void publish_switched(const ReloadReport& report, const SwitchOptions& options);
  void audit_switched(const ReloadReport& report, const SwitchOptions& options);
  void undo_switch(const std::string& module) EXCLUDES(control_);
  Result<void> try_undo(const std::string& module) EXCLUDES(control_);
  std::vector<Crash> take_crashed(const std::string& module) EXCLUDES(mutex_);
  Result<std::vector<Part>> parts_to_undo(const std::string& module, SwitchOptions& options) EXCLUDES(mutex_);
  // Of the last switch that this module answered for, or took part in; not_found when one of them was switched since.
  Result<SwitchSnapshots> last_switch_led_by(const std::string& lead) REQUIRES(mutex_);
  Result<SwitchSnapshots> last_switch_of(const std::string& module) REQUIRES(mutex_);
  Result<std::vector<Part>> parts_back_to(const SwitchSnapshots& snapshots) EXCLUDES(mutex_);
  Result<ReloadReport> rollback_with_snapshot(const std::string& module, std::uint64_t version,
                                              const SwitchOptions& options) EXCLUDES(control_);
  // With the life it had; where that cannot be, its crash is one like any other.
  void revive(std::vector<Part>& parts, const Crash& crash, Clock::TimePoint deadline) EXCLUDES(mutex_);
  Part& part_of(std::vector<Part>& parts, const Process& process) const EXCLUDES(mutex_);
  void keep_timers(const Part& part, const Process& process) EXCLUDES(mutex_);
  void bring_back_timers(const Part& part, Process& process) EXCLUDES(mutex_);

  // ---- snapshots

  Result<void> load_saved(const SnapshotOrigin& origin) EXCLUDES(mutex_);
  Result<VersionTable> admit_versions(const SavedModule& saved, WayIn way) EXCLUDES(mutex_);
  Result<Loaded> load_saved_code(const Version& saved);
  Result<Version> admit_saved(const std::string& module, Version saved, WayIn way) EXCLUDES(mutex_);
  std::vector<SavedChild> saved_children(const TreeRunner& tree) const EXCLUDES(mutex_);
  Result<void> start_spawned(const SnapshotData& origin) EXCLUDES(mutex_);
  Result<void> start_saved(TreeRunner& tree, const SavedChild& saved, SpawnedChildren::Where where) EXCLUDES(mutex_);
  void let_go_on(const SnapshotData& origin) EXCLUDES(mutex_);
  struct StartCode;
  Result<Outcome> start_as_saved(Process& process, Incarnation incarnation, StartCode start, const ChildSpec& spec,
                                 bool again) EXCLUDES(mutex_);
  std::vector<SavedTimer> saved_timers(const Process& process) const EXCLUDES(mutex_);
  void replace_timers(Process& process, const std::vector<SavedTimer>& timers) EXCLUDES(mutex_);
  Result<std::vector<Part>> parts_to_restore(const SnapshotData& data) EXCLUDES(mutex_);
  Result<void> check_same_processes(const SnapshotData& data) const EXCLUDES(mutex_);
  std::shared_ptr<SnapshotData> begin_snapshot() EXCLUDES(mutex_);
  std::vector<Part> resting_parts() const EXCLUDES(mutex_);
  // What it knows, or what a life that is to take its place does.
  Result<SavedProcess> save_process(const Process& process, const Life& life, const std::string& module) const;

  // ---- a restart that keeps state

  Result<void> restart_with_state() EXCLUDES(control_);
  Result<std::shared_ptr<const SnapshotData>> keep_for_restart() REQUIRES(control_);
  Result<SavedProcess> carried_over(ModuleSwitch& change, Process& process, Clock::TimePoint deadline) EXCLUDES(mutex_);
  Result<std::unique_ptr<ModuleSwitch>> switch_to_itself(const std::string& module) EXCLUDES(mutex_);
  Result<void> start_again(const SnapshotOrigin* origin) REQUIRES(control_);

  // The processes of the modules that are switched, taken while this lives. Nobody starts then.
  class AtRest {
   public:
    struct Taken {
      ProcessPtr process;
      std::size_t part = 0;
    };
    AtRest(SandboxCore& core, Clock::TimePoint deadline, std::stop_token stop)
        : core_(core), deadline_(deadline), stop_(std::move(stop)) {}
    ~AtRest();
    AtRest(const AtRest&) = delete;
    AtRest& operator=(const AtRest&) = delete;

    // busy when they do not come to rest in time.
    Result<void> come(std::vector<Part>& parts);
    const std::vector<Taken>& taken() const { return taken_; }
    // Since when it has answered nobody.
    Clock::TimePoint rests_since(const Process& process) const { return rests_since_.at(&process); }

   private:
    void close_gates(const std::vector<Part>& parts);
    Result<void> wait(std::vector<Part>& parts);
    bool try_take_all(const std::vector<Part>& parts);
    static bool has_life(const Part& part, const Process& process);
    void give_back();

    SandboxCore& core_;
    const Clock::TimePoint deadline_;
    const std::stop_token stop_;
    std::unordered_map<const Process*, ProcessPtr> gated_;
    std::unordered_map<const Process*, Clock::TimePoint> rests_since_;
    std::vector<Taken> taken_;
    bool holds_starts_ = false;
  };
  // What a process starts with.
  struct StartCode {
    ModuleCodePtr code;
    std::uint64_t version = 0;
  };
  Result<StartCode> begin_start(std::string_view module) EXCLUDES(mutex_);
  void end_start() EXCLUDES(mutex_);
  // deadlock: this thread keeps one of their processes from coming to rest.
  Result<void> may_rest_here(const std::vector<Part>& parts, std::string_view doing) const;
  std::vector<ProcessPtr> processes_of(std::string_view module) const EXCLUDES(mutex_);
  std::vector<ProcessPtr> processes_of(const Part& part) const EXCLUDES(mutex_) {
    return part.alone != nullptr ? std::vector{part.alone} : processes_of(part.name);
  }

  // ---- one process after another

  // Those that have switched, and which of their lives did: one that was started again since has not.
  using Rolled = std::map<ProcessPtr, std::uint64_t>;
  Result<std::vector<ReloadReport>> roll_parts(std::vector<Part> parts, const SwitchOptions& options, Claim& claimed)
      REQUIRES(control_);
  Result<void> roll(std::vector<Part>& parts, const SwitchOptions& options, Rolled& rolled) REQUIRES(control_);
  std::vector<ProcessPtr> left_to_roll(const Part& part, const Rolled& rolled) const EXCLUDES(mutex_);
  Result<void> switch_alone(Part& part, const ProcessPtr& process, const SwitchOptions& options);
  Error roll_back(std::vector<Part>& parts, const SwitchOptions& options, const Rolled& rolled, Error error);
  bool hold_starts() EXCLUDES(mutex_);
  void let_start() EXCLUDES(mutex_);
  void wait_for_starts(Clock::TimePoint deadline) EXCLUDES(mutex_);
  bool trees_are_quiet() const EXCLUDES(mutex_);
  void wait_for_restarts(Clock::TimePoint deadline) const EXCLUDES(mutex_);
  // What was answered as a crash is followed by a decision (a trial goes back, a supervisor starts again, recovery
  // takes its step), which a verb that comes after the answer waits for: what it says does not depend on how soon it
  // comes.
  void wait_for_crashes() EXCLUDES(mutex_);
  void wait_for_decisions(Clock::TimePoint deadline) EXCLUDES(mutex_);
  void end_decision() EXCLUDES(mutex_);
  bool some_are_down() const EXCLUDES(mutex_);

  // Once supervision has given up.
  void recover(const std::shared_ptr<const TreeRunner>& gave_up) EXCLUDES(control_);
  bool is_done_with(const std::shared_ptr<const TreeRunner>& gave_up) const EXCLUDES(mutex_);
  void act_on_failure(const std::shared_ptr<const TreeRunner>& gave_up) REQUIRES(control_);
  // One step. It may have started everything again, and that have failed again.
  enum class Acted : std::uint8_t { done, failed_again };
  Acted act_once(const std::shared_ptr<const TreeRunner>& gave_up) REQUIRES(control_);
  void tell_step(const RecoveryStep& step, const LastEnd& last) EXCLUDES(mutex_);
  Acted take_step(const RecoveryStep& step, const LastEnd& last, const std::vector<std::string>& back,
                  const std::shared_ptr<const TreeRunner>& gave_up) REQUIRES(control_);
  bool keeps_running_without(const std::shared_ptr<const TreeRunner>& gave_up) EXCLUDES(mutex_);
  void isolate(const LastEnd& last) EXCLUDES(mutex_);
  void retry_after(Clock::Duration pause, const LastEnd& last) EXCLUDES(mutex_);
  void retry(std::uint64_t ticket) EXCLUDES(control_);
  // Modules that can go back to the version before, and how long before the trouble the last of them was switched.
  struct TakenBack {
    std::vector<std::string> modules;
    std::optional<Clock::Duration> switched;
  };
  TakenBack what_to_take_back(const LastEnd& last) const REQUIRES(mutex_);
  Result<void> take_back(const std::vector<std::string>& modules) EXCLUDES(mutex_);
  void tell_taken_back(const Part& part);
  LastEnd last_end() const EXCLUDES(mutex_);
  void note_end(const Process& process, const Result<Outcome>& how) EXCLUDES(mutex_);

  // The breaker. Whoever is the trial says how it went.
  enum class Entry : std::uint8_t { as_ever, on_trial };
  Result<Entry> enter();
  void end_trial(const Result<Outcome>& how);
  void complete(const Completion& then, Result<Outcome> result);
  Completion completion_of(Completion then, Entry entry, std::shared_ptr<std::atomic<TimerId>> timer);
  void tell_breaker(const std::optional<Breaker::Change>& change);

  Permissions permissions() const { return granted_.load(std::memory_order_relaxed); }
  void tell_audit(const AuditSubject& what, std::initializer_list<AuditFact> facts = {}) {
    services_.audit.append(traits_->policy.audit, what, facts);
  }
  // The same of what a guest may do as often as it can: what is beyond its share of the trail is counted, and told
  // with its count after a second, and when the guests end.
  void tell_audit(const GuestDeed& deed, std::initializer_list<AuditFact> facts) EXCLUDES(mutex_);
  bool admits(const GuestDeed& deed) EXCLUDES(mutex_);
  void tell_counted_later() REQUIRES(mutex_);
  void tell_counted() EXCLUDES(mutex_);
  void tell_all_counted() EXCLUDES(mutex_);
  void tell_counted(const std::vector<CountedDeeds>& all);
  void set_status(SandboxStatus status, const std::string& cause = {}) EXCLUDES(mutex_);
  // Only if it is the one, and then it is the other.
  void change_status(SandboxStatus from, SandboxStatus to) EXCLUDES(mutex_);
  void tell_status(SandboxStatus from, SandboxStatus to, const std::string& cause);
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
  void tell_parent(std::optional<SpawnedChildren::Notice> notice) EXCLUDES(mutex_);
  std::shared_ptr<void> charge_for_bytes(std::uint64_t bytes);
  struct GuestTimer {
    std::weak_ptr<Process> process;
    std::uint64_t incarnation = 0;
    std::int64_t tag = 0;
    TimerId id = 0;  // of the sandbox's mutex_
  };
  // When it is due: by the lane's time if there is one, else by the clock's.
  struct WaitingTimer {
    std::uint64_t due_ms = 0;
    std::int64_t tag = 0;
  };
  std::uint64_t timers_now_ms() const;
  void add_timer(Process& by, std::uint64_t now_ms, std::uint64_t milliseconds, std::int64_t tag) EXCLUDES(mutex_);
  void cancel_timers(const Process& process, std::uint64_t incarnation) EXCLUDES(mutex_);
  void timer_rings(const GuestTimer& timer) EXCLUDES(mutex_);
  // None of its timers rings from now on, and what has rung is in its mailbox.
  void settle_timers(const Process& process) EXCLUDES(mutex_);
  std::unique_ptr<Lane> make_lane();
  void tell_killed(std::string_view process, const Outcome& outcome) {
    tell_killed(process, outcome, *account_.limits());
  }
  void tell_killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits);
  void count_ending_limit(std::string_view process, const Outcome& outcome);
  std::string_view where_it_counts(std::string_view process) const EXCLUDES(mutex_);
  bool forget_retry() EXCLUDES(mutex_);
  std::size_t history_room_wanted() const EXCLUDES(mutex_);
  Usage usage_over(std::chrono::nanoseconds window_min) const EXCLUDES(mutex_);
  EventSubject subject(std::string_view process = {}) const;
  std::vector<std::string> module_names() const EXCLUDES(mutex_);

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
  const std::unique_ptr<Lane> lane_;  // of a deterministic one
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
  std::atomic<std::uint64_t> late_answers_{0}, completions_threw_{0};
  std::atomic<std::uint64_t> last_call_{0};  // or run
  Runs run_table_;
  CurrentOperation operation_{services_.events.correlations()};

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
  std::uint64_t failed_bytes_ GUARDED_BY(mutex_) = 0;                      // of them, on the account
  std::map<std::string, Module, std::less<>> modules_ GUARDED_BY(mutex_);  // none is ever removed before all are
  std::set<std::string> claimed_ GUARDED_BY(mutex_);                       // those that are being changed
  Condition switched_;                                                     // a switch, or a start, is over
  std::uint32_t starts_ GUARDED_BY(mutex_) = 0;                            // of processes, under way
  bool switching_ GUARDED_BY(mutex_) = false;                              // no process may start
  std::uint32_t decisions_ GUARDED_BY(mutex_) = 0;                         // of trials and recovery, under way
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
  // How often, by name. Most sandboxes are never in trouble, and have none of it.
  using Tally = std::map<std::string, std::uint64_t, std::less<>>;
  struct Trouble {
    Tally restarts;  // of single processes
    Tally limits_met;
    Tally denied;
    GuestEntries entries;
    TimerId counted_timer = 0;  // that tells what entries has counted; 0: none
  };
  Trouble& trouble() REQUIRES(mutex_) {
    if (trouble_ == nullptr) trouble_ = std::make_unique<Trouble>();
    return *trouble_;
  }
  std::unique_ptr<Trouble> trouble_ GUARDED_BY(mutex_);
  std::atomic<bool> recovers_{false};  // what its status becomes is not the wish of a caller
  std::array<WarningLatch, kWatchedLimits> warnings_ GUARDED_BY(mutex_);
  // Timers that have not rung yet, by the process and the instance that set them.
  using WaitingTimers = std::unordered_map<TimerId, WaitingTimer>;
  std::map<std::pair<const Process*, std::uint64_t>, WaitingTimers> timers_ GUARDED_BY(mutex_);
  std::multiset<std::pair<const Process*, std::uint64_t>> ringing_ GUARDED_BY(mutex_);  // on their way to the mailbox
  Condition rung_;
  UsageHistory history_ GUARDED_BY(mutex_);
};

}  // namespace petri
