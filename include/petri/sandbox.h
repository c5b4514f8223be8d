// Sandboxes: named places where code nobody reviewed lives as a supervised tree of processes, within limits that hold.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/compile_report.h"
#include "petri/events.h"
#include "petri/host_functions.h"
#include "petri/limits.h"
#include "petri/outcome.h"
#include "petri/policy.h"
#include "petri/population.h"
#include "petri/reload.h"
#include "petri/result.h"
#include "petri/snapshot.h"
#include "petri/source.h"
#include "petri/tier.h"
#include "petri/tree.h"
#include "petri/value.h"
#include "petri/versions.h"
#include "petri/watch.h"

namespace petri {

// Everything that may be said of a sandbox when it is created. What is left out is as RuntimeOptions::defaults says,
// and what those leave out too is as the comments say.
struct SandboxSpec {
  std::string id;
  std::vector<ModuleSpec> modules;
  std::optional<SupervisorSpec> tree;  // nullopt: a permanent child for each module that no other imports, of its name
  std::optional<ProfileSpec> profile;  // nullopt: standard
  LimitChanges limits;                 // in place of the profile's
  LimitActions on_limit;               // a limit that is not named refuses
  std::optional<Permissions> permissions;   // nullopt: the profile's
  ImportRules imports;                      // beside the profile's
  std::optional<Severity> reject_findings;  // in place of the profile's
  std::optional<AuditLevel> audit;          // nullopt: the profile's
  // How large its modules may be; nullopt: as the profile says. For programs the default of module_bytes_max is
  // kProgramBytesMax.
  std::optional<ModuleBounds> bounds;
  std::optional<BreakerOptions> breaker;  // nullopt: the runtime's
  std::optional<Recovery> recovery;       // nullopt: as recovery_default() says
  std::optional<ReloadPolicy> reload;     // the default for reloads; nullopt: ReloadPolicy{}
  std::string folder;                     // the one host folder WASI files live in; empty: none
  // The arguments that a WASI program finds in argv after its own name, which is `guest` in argv[0].
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::vector<std::string> labels;
  std::optional<std::uint64_t> generation;
  // For collections: how long it may live without a handle, a call, a message or work of its own (nullopt: without
  // end), and how long it stays once it is stopped or failed (nullopt: the runtime's).
  std::optional<std::chrono::nanoseconds> idle_keep, dead_keep;
  // Its descent, within the bounds of an individual (population.h): ids of sandboxes, which may be gone by now, and
  // what was done to them.
  std::vector<std::string> parents;
  std::string mutation;
  std::optional<std::uint64_t> seed;  // nullopt: 0
  // Deterministic mode: the same calls in the same order give the same results. Messages are handled one at a time in
  // the order they were sent, timers fire when no message waits, and time is the fuel that was spent. No time passes
  // while a timer waits, so a timer that starts another never stops.
  std::optional<bool> deterministic;  // nullopt: it is not
  std::optional<Tier> tier;           // nullopt: automatic
  // Watches the files and folders that its modules were read from: Runtime::enable_auto_reload().
  std::optional<bool> auto_reload;  // nullopt: it does not
  std::function<void(std::string_view process, LogLevel level, std::string_view line)> on_log;

  // {"id": "counter", "modules": {"counter": {"file": "counter.wat"}}, "limits": {"fuel_max": 1000000}, ...}; a
  // module's source is {"file": path}, {"folder": path}, {"wat": text} or {"language": "c", "code": text}, and beside
  // it may stand {"needs": {"store": {"min": 2, "max": 3}}}. Unknown fields are errors that say where they stand.
  static Result<SandboxSpec> from_json(std::string_view text);
};

// The state of a sandbox as a whole.
enum class SandboxStatus : std::uint8_t {
  initializing,
  compiling,
  starting,
  running,
  reloading,  // answers as ever
  stopping,
  stopped,
  isolated,  // answers nobody; left by restart or destroy
  failed,
};
std::string_view name_of(SandboxStatus status);
std::span<const SandboxStatus> all_sandbox_statuses();
std::optional<SandboxStatus> sandbox_status_named(std::string_view name);

// A process or a supervisor of the tree as it is now.
struct ChildInfo {
  std::string address;  // "store", "pool/worker"
  std::string module;   // empty: a supervisor
  std::string status;   // stopped, starting, running, stopping, restarting
  Tier tier = Tier::interpreted;
  std::uint64_t messages = 0;
};

// A module of a sandbox and its active version.
struct ModuleSummary {
  std::string name;
  ArtifactId artifact;  // of the active version
  std::uint64_t version = 0;
  std::string path;  // where its source was read, as the caller wrote it; empty when it came as bytes or text
  bool operator==(const ModuleSummary&) const = default;
};

// A sandbox as it is now: its status, its configuration as it is in effect, and counts of what happened.
struct SandboxInfo {
  std::string id;
  SandboxStatus status = SandboxStatus::initializing;
  std::string cause;                     // why it is failed or isolated
  std::optional<ErrorCategory> failure;  // the class of that
  ProfileSpec profile;
  SandboxLimits limits;
  LimitActions on_limit;
  Permissions permissions;  // as they are now
  ImportRules imports;
  std::optional<Severity> reject_findings;
  AuditLevel audit = AuditLevel::basic;
  ModuleBounds bounds = ModuleBounds::candidate;
  Recovery recovery;
  ReloadPolicy reload;  // of reloads that bring none of their own
  BreakerState breaker = BreakerState::closed;
  std::uint64_t breaker_opened = 0;  // how often
  BreakerOptions breaker_options;    // its own, or the runtime's
  std::vector<std::string> labels;
  std::optional<std::uint64_t> generation;
  std::optional<std::chrono::nanoseconds> idle_keep;
  std::chrono::nanoseconds dead_keep{};
  std::vector<std::string> parents;
  std::string mutation;
  std::uint64_t depth = 0;  // 0 without parents, else 1 + that of the deepest one that was there when it was created
  std::optional<Fitness> fitness;
  bool kept = false;
  std::uint64_t seed = 0;
  bool deterministic = false;
  Tier tier = Tier::automatic;  // that was asked for; children() has those that run
  std::string folder;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::vector<ModuleSummary> modules;
  // The last compile of source code for it, without artifacts and texts; nullptr: there was none.
  std::shared_ptr<const CompileReport> compile;
  std::vector<WatchInfo> watched;  // by path
  SupervisorSpec tree;
  WallTime created, updated;
  std::uint64_t restarts = 0;             // asked for
  std::uint64_t supervisor_restarts = 0;  // of single processes
  std::uint64_t late_answers = 0;         // to calls whose time-out had passed
  std::uint64_t completions_threw = 0;    // of call_async and run_async
  std::map<std::string, std::uint64_t, std::less<>> limits_met;
  std::map<std::string, std::uint64_t, std::less<>> denied;  // how often, by permission
  Usage usage;
};

// The options of a call.
struct CallOptions {
  std::string process;  // empty: the only one
  std::string input;    // bytes the guest reads with input_read
  std::optional<std::chrono::nanoseconds> timeout;
  std::stop_token stop;
};

// The options of a run.
struct RunOptions {
  std::string input;
  std::optional<std::chrono::nanoseconds> timeout;  // ends the guest
  std::optional<std::uint64_t> fuel_max;
  std::optional<Tier> tier;
  std::stop_token stop;
};

// The options of a restart.
struct RestartOptions {
  // Keeps the state of every process, carried as by a reload with the same code, with the messages and timers that
  // wait; petri_init does not run. Only for a sandbox that runs. If carrying fails, the restart fails before anything
  // is stopped.
  bool keep_state = false;
};

// A completion is called once, on a thread of petri's; an empty one is not called. An exception that it throws is
// dropped, and counted in SandboxInfo::completions_threw. The process that has answered a call is busy until its
// completion returns: stop, restart and destroy of its sandbox, and verbs that end the process, are `deadlock` there.
using Completion = std::function<void(Result<Outcome>)>;

class SandboxCore;

// A handle; copies are the same sandbox. All members may be called from any thread. After the sandbox was destroyed
// they answer not_found. It has more than forty, one for each verb; each passes its call on to the part that it is of.
class Sandbox {
 public:
  const std::string& id() const;
  SandboxStatus status() const;
  SandboxInfo info() const;
  Usage usage() const;
  std::vector<UsageSample> usage_history() const;
  std::vector<ChildInfo> children() const;

  // Calls an export of a live process by name with numbers, or, with an empty name, petri_handle with the input. The
  // time-out is the caller's: when it passes the answer is `timeout`, and the handler continues until
  // execution_time_max. Without one the call runs on this thread if the process is idle.
  Result<Outcome> call(std::string_view function, std::vector<Value> arguments = {}, const CallOptions& options = {});
  // Starts a call and returns at once a number that cancel() takes.
  Result<std::uint64_t> call_async(std::string_view function, std::vector<Value> arguments, CallOptions options,
                                   Completion completion);
  // A message for petri_handle; returns before it is handled.
  Result<void> send(std::string_view bytes, std::string_view process = {});
  // A fresh instance of a module, one call, gone.
  Result<Outcome> run(std::string_view module, std::string_view function, std::vector<Value> arguments = {},
                      const RunOptions& options = {});
  Result<Outcome> run(const Source& source, std::string_view function, std::vector<Value> arguments = {},
                      const RunOptions& options = {});
  // Starts a run on a thread of petri's, as soon as threads_max leaves one; returns a number that cancel() takes. As
  // many may wait as message_queue_max says, then it is queue_full.
  Result<std::uint64_t> run_async(std::string_view module, std::string_view function, std::vector<Value> arguments,
                                  RunOptions options, Completion completion);
  Result<std::uint64_t> run_async(const Source& source, std::string_view function, std::vector<Value> arguments,
                                  RunOptions options, Completion completion);
  // Ends a call or a run under way, or keeps it from starting.
  Result<void> cancel(std::uint64_t call_or_run);

  // Adds a child to the supervisor at this address, the root if empty; to a simple_one_for_one children are added as
  // instances.
  Result<void> start_child(const TreeChild& child, std::string_view supervisor = {});
  // One more child after the template of a simple_one_for_one. Answers its address.
  Result<std::string> start_instance(const InstanceSpec& instance = {}, std::string_view supervisor = {});
  // Stops a child: it ends in order and is not restarted. A child of the spec or of start_child keeps its place, for
  // restart_child or remove_child; one that is temporary, follows a template or was spawned by a guest has none any
  // more.
  Result<void> stop_child(std::string_view address);
  // Starts a child that was stopped, or has ended and was not to be restarted.
  Result<void> restart_child(std::string_view address);
  // Removes a child that does not run. A child of the spec is back when the sandbox is restarted.
  Result<void> remove_child(std::string_view address);
  // Changes the tree to this one: children that are new start, those that are missing are stopped.
  Result<void> update_tree(const SupervisorSpec& tree);

  // Changes limits of the live sandbox; docs/reference/limits.md says from when on each holds.
  Result<void> update_limits(const LimitChanges& changes);
  // The whole set. What is taken away is denied from the next call on, also in the middle of a handler; modules that
  // come later are linked with what there is then.
  Result<void> update_permissions(Permissions permissions);
  Result<void> label(std::string_view label);
  Result<void> unlabel(std::string_view label);

  // A module under a new name: its version 1, active. Children may be started of it.
  Result<VersionInfo> load(std::string_view module, const Source& source, const VersionOptions& options = {});
  // Another version, checked and loaded; what runs is not touched.
  Result<VersionInfo> stage(std::string_view module, const Source& source, const VersionOptions& options = {});
  // New code for every process of the module, all at once or none; calls under way end in the old code, and
  // no message is lost. The old version answers until the switch, and after any failure.
  Result<ReloadReport> reload(std::string_view module, const Source& source, const ReloadOptions& options = {});
  // Reloads several modules together.
  Result<std::vector<ReloadReport>> reload_all(const std::vector<ModuleSpec>& modules,
                                               const ReloadOptions& options = {});
  // Compiles a folder once, and reloads together all modules of it that the sandbox has, in the order of their imports.
  Result<std::vector<ReloadReport>> reload_all(const Source& folder, const ReloadOptions& options = {});
  // Reloads with a version that is in the table.
  Result<ReloadReport> activate(std::string_view module, std::uint64_t version, const ReloadOptions& options = {});
  // Back to a version that is kept; 0: to the one that was active before.
  Result<ReloadReport> rollback(std::string_view module, std::uint64_t version = 0,
                                const RollbackOptions& options = {});
  // The plan of a reload, which is not carried out.
  Result<ReloadPlan> plan(std::string_view module, const Source& source, const ReloadOptions& options = {}) const;
  // The modules of the sandbox whose functions a module imports; what the host offers is not among them.
  Result<std::vector<std::string>> dependencies(std::string_view module) const;
  // The names of all modules, each after those it imports from.
  Result<std::vector<std::string>> reload_order() const;
  // Newest first.
  Result<std::vector<VersionInfo>> versions(std::string_view module) const;
  Result<ModuleHistory> history(std::string_view module) const;

  // The module with all versions that are kept; import_module gives another sandbox the same, under the name it has
  // there: numbers, hashes, sources and which one is active.
  Result<ModuleArchive> export_module(std::string_view module) const;
  Result<VersionInfo> import_module(const ModuleArchive& archive);
  // One version of another sandbox's module, of any runtime, staged here; 0: the active one.
  Result<VersionInfo> copy_version(const Sandbox& from, std::string_view module, std::uint64_t version = 0,
                                   const VersionOptions& options = {});

  // The described state of a process, read and written between two messages; no guest code runs. All updates are made
  // or none.
  Result<StateDocument> state(std::string_view process = {});
  Result<void> update_state(const std::vector<StateUpdate>& updates, std::string_view process = {});

  // The whole sandbox at one moment: the state of every process, the messages and timers that wait, the versions. A
  // waiting call stays with its caller. `state_incompatible` where a module is not movable, `busy` when its processes
  // do not quiesce.
  Result<Snapshot> snapshot();
  // Back to what it was. The same processes must live; petri_ready is asked before they continue.
  Result<void> restore(const Snapshot& snapshot, const RestoreOptions& options = {});

  // Ends all processes in order, within shutdown_max; restart() starts them again.
  Result<void> stop();
  // Restarts with the modules, versions and configuration it has, and fresh state unless keep_state is set.
  Result<void> restart(const RestartOptions& options = {});

 private:
  friend class Runtime;
  explicit Sandbox(std::shared_ptr<SandboxCore> core) : core_(std::move(core)) {}
  std::shared_ptr<SandboxCore> core_;
};

}  // namespace petri
