// The inside of a sandbox: its parts, wired, and its lifecycle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/sandbox.h"
#include "sandbox/activity.h"
#include "sandbox/calls/calls.h"
#include "sandbox/calls/completions.h"
#include "sandbox/calls/deadlock.h"
#include "sandbox/calls/run_table.h"
#include "sandbox/calls/sandbox_runs.h"
#include "sandbox/code/module_sources.h"
#include "sandbox/code/source_news.h"
#include "sandbox/descent.h"
#include "sandbox/guest_environment.h"
#include "sandbox/journal/operation.h"
#include "sandbox/labels.h"
#include "sandbox/limits/containment.h"
#include "sandbox/limits/live_limits.h"
#include "sandbox/limits/usage_report.h"
#include "sandbox/processes/process_ends.h"
#include "sandbox/processes/process_starts.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/recovery/decisions.h"
#include "sandbox/recovery/recovery_actions.h"
#include "sandbox/reload/code_host.h"
#include "sandbox/reload/reloads.h"
#include "sandbox/sandbox_services.h"
#include "sandbox/sandbox_traits.h"
#include "sandbox/snapshots/snapshot_start.h"
#include "sandbox/snapshots/snapshots.h"
#include "sandbox/standing.h"
#include "sandbox/state/state_documents.h"
#include "sandbox/structural_control.h"
#include "sandbox/trees/child_verbs.h"
#include "sandbox/trees/tree_spec.h"
#include "sandbox/trees/trees.h"
#include "sandbox/versions/module_versions.h"

namespace petri {

// All members may be called from any thread. Structural work (create, stop, restart, destroy, a reload, a recovery) is
// done one after the other, in a turn of StructuralControl; questions and calls wait for none of it. It has no lock of
// its own: each part has one, or needs none, and ARCHITECTURE.md says in which order they are taken. A thread that runs
// a guest holds none of them but the turn, and that only where the structural work itself runs the guest.
//
// The verbs are those of the parts. Parts with a state are members; the others are made where they are asked for. It
// has more than forty functions, because it hands out each part, and passes on what one part answers; the parts decide.
class SandboxCore final : public Keeper,
                          public TrialHost,
                          public RecoveryHost,
                          public std::enable_shared_from_this<SandboxCore> {
 public:
  // The spec has passed check_spec(), and take_traits() has made the traits of it.
  SandboxCore(SandboxServicesPtr services, SandboxSpec spec, SandboxTraitsPtr traits);
  ~SandboxCore() override;

  // ---- lifecycle

  // Called first of all, before anybody else knows of the sandbox. An error when the folder is not there.
  Result<void> open_folder() { return environment_.open_folder(); }
  // Prepares the modules and starts the tree. After a failure the status is `failed`.
  Result<void> create() { return create_from(nullptr); }
  // Creates it with the modules and processes of a snapshot.
  Result<void> create(const SnapshotOrigin& origin);
  Result<void> stop();
  Result<void> restart(const RestartOptions& options = {});
  // Returns at once, and everything is on its way to its end. destroy() follows.
  void begin_destroy() {
    control_.stop_loading();
    activity_.start_to_end();
  }
  // Ends everything; afterwards every verb answers not_found. False: somebody else has destroyed it. The cause is
  // reported.
  bool destroy(std::string_view cause = "destroy");
  // Destroys one that is stopped or failed. False: it is not, or is just being changed.
  bool destroy_if_dead(std::string_view cause);
  // deadlock in a completion of this sandbox, which whoever ends it would wait for.
  Result<void> may_be_ended_here() { return may_wait_here(environment_, {}, "end the sandbox", id()); }

  // deadlock where this thread is called by one of its processes, which a row of a batch would wait for.
  Result<void> may_be_waited_for_here(std::string_view verb) { return may_wait_here(environment_, {}, verb, id()); }

  // ---- what it is

  const std::string& id() const { return spec_.id; }
  const std::shared_ptr<UnderWay>& under_way() const { return under_way_; }
  SandboxStatus status() const { return standing_.status(); }
  // Several looks, one after the other: each fact is as of its own moment.
  SandboxInfo info() const;
  bool matches(std::string_view label, std::optional<std::uint64_t> generation) const;
  WallTime created_at() const { return created_; }
  Descent& descent() { return descent_; }
  const Descent& descent() const { return descent_; }
  // As others see it among its relatives, without a number.
  Individual individual() const;
  std::optional<std::uint64_t> generation() const { return spec_.generation; }
  const Labels& labels() const { return labels_; }

  // ---- for collections

  std::chrono::nanoseconds dead_keep() const { return traits_->dead_keep; }
  std::optional<std::chrono::nanoseconds> idle_keep() const { return traits_->idle_keep; }
  bool is_dead() const { return status() == SandboxStatus::stopped || status() == SandboxStatus::failed; }
  bool was_destroyed() const { return !standing_.must_exist(); }
  // When its status, its code, its limits or its permissions changed last.
  Clock::TimePoint changed_at() const { return standing_.changed_at(); }
  // When it did something last, or was changed. nullopt: it does something now, or something waits for it.
  std::optional<Clock::TimePoint> unused_since() const;
  // The parts of which another is made that is to be like this one.
  struct CloneSource {
    SandboxSpec spec;  // without an id; its parent is the original
    SandboxTraitsPtr traits;
    SandboxLimits limits;
    Permissions permissions;
  };
  Result<CloneSource> clone_source() const;
  // Before it is created.
  void become_clone_of(const CloneSource& other);

  // ---- the parts that verbs of the handle are about

  Calls& calls() { return calls_; }
  SandboxRuns runs();
  LiveLimits live_limits();
  UsageReport& usage() { return usage_; }
  Labels& labels() { return labels_; }
  const Trees& trees() const { return trees_; }
  ChildVerbs child_verbs();
  // The table itself answers what needs no other part.
  ModuleTable& modules() { return modules_; }
  Reloads reloads() { return Reloads(reloads_parts()); }
  ModuleVersions versions() { return ModuleVersions(reloads_parts()); }
  StateDocuments state_documents();
  bool wants_auto_reload() const { return spec_.auto_reload; }
  SourceNews& source_news() { return source_news_; }
  // Its modules, with where their code was read; before they are loaded those of the spec.
  std::vector<ModulePlace> module_places() const;
  // True if its start failed before its modules were loaded.
  bool lacks_code() const { return status() == SandboxStatus::failed && modules_.size() < sources_.all()->size(); }
  // Starts it anew with this code in place of what it was created with.
  Result<void> restart_with(const std::vector<ModuleSpec>& modules);
  Snapshots snapshots() { return Snapshots(snapshot_parts()); }

  // ---- what parts ask of the whole

  std::shared_ptr<void> keep_alive() override { return shared_from_this(); }
  bool begin_rollback(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                      std::function<void()>& then) override;
  Result<void> roll_back(const std::vector<std::string>& modules) override;

 private:
  using Turn = StructuralControl::Turn;

  // The origin is nullptr where everything starts afresh.
  void end_for_good(const Turn& turn, std::string_view cause);
  Result<void> create_from(StartOrigin* origin);
  Result<void> start_tree(const Turn& turn, StartOrigin* origin);
  Result<void> start_again(const Turn& turn, StartOrigin* origin);
  Result<void> restart_with_state();
  Reloads::Parts reloads_parts();
  Snapshots::Parts snapshot_parts();
  SnapshotStart start_from(const SnapshotOrigin& origin);

  // The services that a handle passes on; what they refer to is gone with the runtime, which the handle may outlive.
  const SandboxServicesPtr services_;
  const std::shared_ptr<UnderWay> under_way_;
  const OwnSpec spec_;
  const SandboxTraitsPtr traits_;
  const WallTime created_;
  GuestEnvironment environment_;
  GuestTimers timers_;
  ModuleTable modules_;
  StartGate starts_;
  Completions completions_;
  RunTable run_table_;
  CurrentOperation operation_{services_->events.correlations()};
  Journal journal_;
  Standing standing_;
  StructuralControl control_;
  ProcessTable processes_;
  Containment containment_;
  Calls calls_;
  UsageReport usage_;
  Labels labels_;
  Descent descent_;
  ModuleSources sources_;
  SourceNews source_news_;
  TreeSpec tree_spec_;
  Decisions decisions_;  // that follow a crash
  ProcessEnds ends_;
  ProcessStarts process_starts_;
  Trees trees_;
  CodeHost code_;
  Activity activity_;
  RecoveryActions recovery_;
};

}  // namespace petri
