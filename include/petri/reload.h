// Hot reload: replaces the code of running processes and keeps their state.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"
#include "petri/state.h"
#include "petri/tier.h"
#include "petri/versions.h"

namespace petri {

// The way in which state is carried to another version. best: the first of described, hooks and memory that both
// versions have; of what has no state, none. described: fields by name, from the table at `petri_state` and globals
// called `state.`; no guest code runs. hooks: what the old version's petri_save writes is what the new one's petri_load
// reads; petri_migrate of the new one, or the caller's handler, changes it in between. The old version is movable: the
// hook runs in a copy of it. memory: memory and globals as they are, where both versions lay them out alike. none: the
// new version starts fresh, and what the old one knew is lost.
enum class StateWay : std::uint8_t { best, described, hooks, memory, none };
std::string_view name_of(StateWay way);
std::optional<StateWay> state_way_named(std::string_view name);

// The process whose state a handler is given, and the versions it crosses.
struct Migration {
  std::string_view module;
  std::string_view process;
  std::uint64_t from = 0;  // version numbers; a rollback goes to a lower one
  std::uint64_t to = 0;
};

// The caller's own change of state, once for each process, on the thread that reloads; it may throw. The document it
// answers is put into the new version by the same rules as any other, the bytes go to petri_load in place of those
// petri_migrate would have made.
struct MigrationHandler {
  std::function<Result<StateDocument>(const Migration&, const StateDocument&)> described;
  std::function<Result<std::string>(const Migration&, std::string_view)> hooks;
};

// The trial after a switch: a process of the module that crashes within this many calls and this much time rolls all of
// them back, by itself and once, to the version and the state they had. Without calls there is no trial.
struct Trial {
  std::uint32_t calls = 100;
  std::chrono::nanoseconds time = std::chrono::seconds(1);
  bool operator==(const Trial&) const = default;
};

// How a reload carries state, and what it may lose.
struct ReloadPolicy {
  StateWay state = StateWay::best;
  bool drop = false;          // state that has no place in the new version may be lost
  bool drop_exports = false;  // so may functions that callers of the running version could call
  // One process after another in place of all at once, for very many of them: each pauses for itself alone, and until
  // the last one has switched both versions answer. After a failure those that had switched go back to what they were.
  bool rolling = false;
  MigrationHandler migrate;
  Trial trial;
  // The time that processes have to quiesce, and hooks to do their work; after that the reload fails and nothing has
  // changed. In a rolling reload this holds for each process.
  std::chrono::nanoseconds quiet_wait_max = std::chrono::seconds(5);
};

// Values out of range, in one validation_failed.
Result<void> check_reload_policy(const ReloadPolicy& policy);

// The facts that are kept with a version that is loaded or staged.
struct VersionOptions {
  // Bounds: 1,000 keys of 4,096 bytes, and 1 MiB in all; as many modules may be needed, and an actor may be as long.
  std::map<std::string, std::string> metadata;
  VersionNeeds needs;  // which versions of other modules it can work with, whether it imports from them or not
  std::string actor = "caller";
};

// The options of one reload, and the facts that are kept with it.
struct ReloadOptions {
  std::optional<ReloadPolicy> policy;  // nullopt: the sandbox's
  StateHints renames;                  // fields that continue under another name
  std::map<std::string, std::string> metadata;
  VersionNeeds needs;            // as in VersionOptions; of a ModuleSpec that has none of its own
  std::string actor = "caller";  // for the history
};

// The options of one rollback.
struct RollbackOptions {
  // Going back is no trial, and needs no permission for functions that only the newer version has.
  std::optional<ReloadPolicy> policy;
  // The state as it was at the switch, in place of what became of it since. Only from the version of the last switch
  // back to the one before it.
  bool snapshot = false;
  std::string actor = "caller";
};

// The report about one process.
struct ProcessSwitch {
  std::string process;
  std::chrono::nanoseconds pause{};  // for which it answered nobody
  Tier tier = Tier::interpreted;
};

// The report of a reload.
struct ReloadReport {
  std::string module;
  bool no_change = false;  // the version asked for was the active one
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  ArtifactId artifact;  // of the version it runs now; not with no_change
  StateWay state = StateWay::none;
  bool snapshot = false;          // state is that of the switch before, and did not cross
  std::optional<StatePlan> plan;  // of described state
  std::vector<ProcessSwitch> processes;
  std::chrono::nanoseconds preparation{};  // beside the running version
  std::chrono::nanoseconds pause_max{};
};

// The plan of a reload: what it would do.
struct ReloadPlan {
  std::string module;
  bool no_change = false;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  StateWay state = StateWay::none;
  std::optional<StatePlan> plan;
  std::optional<Error> refusal;  // why it would fail, as far as that shows without the values
};

// One field, or one element of a list, to be written.
struct StateUpdate {
  std::string name;
  StateValue value;
  std::uint32_t index = 0;
};

}  // namespace petri
