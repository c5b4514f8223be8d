// The content of a Snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/instance/instance_image.h"
#include "host/functions/seeded_random.h"
#include "modules/version_table.h"
#include "petri/snapshot.h"
#include "petri/tree.h"
#include "petri/versions.h"
#include "process/process.h"
#include "sandbox/code/way_in.h"
#include "sandbox/timers/guest_timers.h"

namespace petri {

struct SavedModule {
  std::string name;
  std::uint64_t active = 0;
  std::uint64_t total = 0;
  std::vector<Version> versions;  // without code
  std::vector<VersionSwitch> switches;

  const Version& active_version() const;
};

struct SavedProcess {
  std::string address;
  std::string module;
  std::shared_ptr<const InstanceImage> image;
  SeededRandom::State random{};
  bool saw_outside = true;  // see LiveInstance; of what comes from a file nobody knows
  std::vector<SavedMessage> mailbox;
  std::vector<SavedTimer> timers;
};

// A child that the spec does not have.
struct SavedChild {
  TreeChild child;
  std::string supervisor;  // its address; of spawned ones empty
  std::string parent;      // the process that spawned it; empty: the host started it
};

// A sandbox at one moment, independent of it: nothing here refers to a live part. Several sandboxes may start from it
// at once, so it is never changed once it is made.
struct SnapshotData {
  std::string sandbox;
  WallTime time;
  SupervisorSpec tree;
  std::vector<SavedChild> spawned;  // by guests, in the tree of their own
  std::vector<SavedChild> added;    // to the tree of the spec, by request; parents before children
  std::vector<SavedModule> modules;
  std::vector<SavedProcess> processes;  // by address

  // nullptr if no process had this address.
  const SavedProcess* find(std::string_view address) const;
};

// How a new sandbox comes from one.
struct SnapshotOrigin {
  const SnapshotData& data;
  bool share_random = true;
  bool timers = true;
  WayIn way = WayIn::restore;
};

// A process that lives now.
struct LivePlace {
  std::string address;
  std::string module;
};
// state_incompatible unless the same processes live as in the snapshot, each of the same module: who lives has a place
// in the snapshot, and who is in the snapshot lives.
Result<void> check_same_processes(const SnapshotData& data, const std::vector<LivePlace>& here);

// limit_exceeded, naming the limit, and the process if it is about one. A snapshot may come from a sandbox that was
// allowed more, or from anywhere. The memory of instances is checked where they are made.
Result<void> check_limits(const SnapshotData& data, const SandboxLimits& limits);

class ModuleGate;

SavedModule save_module(const std::string& name, const VersionTable& versions);
// Its versions with their code. Only those that will be kept pass the gate and are loaded: an archive may have a
// thousand.
Result<VersionTable> admit_versions(const ModuleGate& gate, const SavedModule& saved, std::uint64_t versions_max,
                                    WayIn way);

}  // namespace petri
