// The versions of a module: which there are, which one runs, and how that came about.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/result.h"
#include "petri/state.h"

namespace petri {

using VersionTime = std::chrono::sys_time<std::chrono::nanoseconds>;

// The operation that put a version into the table.
enum class VersionOrigin : std::uint8_t { create, load, stage, reload, copy };
std::string_view name_of(VersionOrigin origin);

// Numbers of versions of another module that one can work with.
struct VersionRange {
  std::uint64_t min = 1;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  bool contains(std::uint64_t number) const { return number >= min && number <= max; }
  bool operator==(const VersionRange&) const = default;
};
using VersionNeeds = std::map<std::string, VersionRange>;  // by module; of those that are not named any will do

// import: functions of the other module are imported, and both are linked. declared: the module only says that it needs
// the other one, whose processes it sends messages to.
enum class DependencyKind : std::uint8_t { import, declared };
std::string_view name_of(DependencyKind kind);

struct ModuleDependency {
  std::string module;  // the one that is needed
  VersionRange versions;
  DependencyKind kind = DependencyKind::import;
  bool operator==(const ModuleDependency&) const = default;
};

struct VersionInfo {
  std::uint64_t number = 0;  // they only grow, and none is given twice
  bool active = false;
  ArtifactId artifact;
  ArtifactId source;     // SHA-256 of what was given; of wasm that is the artifact's
  std::string language;  // "wat" or "wasm"
  std::string text;      // the source, where it is text
  std::string path;      // where it was read, as the caller wrote it; empty when it came as bytes or text
  std::uint64_t bytes = 0;
  VersionTime time;
  VersionOrigin origin = VersionOrigin::create;
  std::vector<StateField> state;  // as the module describes it; none: it does not
  std::vector<ModuleDependency>
      imports;  // other modules of the sandbox that it needs: imported ones by name, then others
  std::map<std::string, std::string> metadata;
};

// Why another version became the active one. trial: the new one crashed too soon. recovery: supervision had given up.
enum class SwitchCause : std::uint8_t { create, load, reload, activate, rollback, trial, recovery, restore };
std::string_view name_of(SwitchCause cause);

struct VersionSwitch {
  std::uint64_t from = 0;  // 0: there was none
  std::uint64_t to = 0;
  VersionTime time;
  SwitchCause cause = SwitchCause::create;
  std::string actor;  // as the caller calls itself; "petri" when nobody asked
  bool operator==(const VersionSwitch&) const = default;
};

// Older switches are forgotten.
constexpr std::size_t kSwitchesKept = 100;

struct ModuleHistory {
  std::string module;
  std::uint64_t active = 0;
  std::uint64_t total = 0;              // ever made
  std::vector<VersionInfo> versions;    // those kept, newest first
  std::vector<VersionSwitch> switches;  // oldest first
};

struct SavedModule;

// A module with all its versions, apart from any sandbox. A value that is cheap to copy. As bytes it has one format
// with a version and a checksum, like a Snapshot.
class ModuleArchive {
 public:
  explicit ModuleArchive(std::shared_ptr<const SavedModule> data) : data_(std::move(data)) {}

  const std::string& name() const;
  const SavedModule& data() const { return *data_; }

  std::string to_bytes() const;
  static Result<ModuleArchive> from_bytes(std::string_view bytes);

 private:
  std::shared_ptr<const SavedModule> data_;
};

}  // namespace petri
