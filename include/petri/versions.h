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
#include "petri/value.h"

namespace petri {

// The operation that put a version into the table.
enum class VersionOrigin : std::uint8_t { create, load, stage, reload, copy };
std::string_view name_of(VersionOrigin origin);

// Numbers of versions of another module that one can work with.
struct VersionRange {
  std::uint64_t min = 1;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  // True if the range has this number.
  bool contains(std::uint64_t number) const { return number >= min && number <= max; }
  bool operator==(const VersionRange&) const = default;
};
using VersionNeeds = std::map<std::string, VersionRange>;  // by module; of those that are not named any will do

// import: functions of the other module are imported, and both are linked. declared: the module only says that it needs
// the other one, whose processes it sends messages to.
enum class DependencyKind : std::uint8_t { import, declared };
std::string_view name_of(DependencyKind kind);

// Another module that a version needs.
struct ModuleDependency {
  std::string module;  // the one that is needed
  VersionRange versions;
  DependencyKind kind = DependencyKind::import;
  bool operator==(const ModuleDependency&) const = default;
};

// One version of a module.
struct VersionInfo {
  std::uint64_t number = 0;  // they only grow, and none is given twice
  bool active = false;
  ArtifactId artifact;
  ArtifactId source;     // SHA-256 of what was given; of wasm that is the artifact's
  std::string language;  // "wat" or "wasm"
  std::string text;      // the source, where it is text
  std::string path;      // where it was read, as the caller wrote it; empty when it came as bytes or text
  std::uint64_t bytes = 0;
  WallTime time;
  VersionOrigin origin = VersionOrigin::create;
  std::vector<StateField> state;  // as the module describes it; none: it does not
  std::vector<ModuleDependency>
      imports;  // other modules of the sandbox that it needs: imported ones by name, then others
  std::map<std::string, std::string> metadata;
};

// Why another version became the active one. trial: the new one crashed too soon. recovery: supervision had given up.
enum class SwitchCause : std::uint8_t { create, load, reload, activate, rollback, trial, recovery, restore };
std::string_view name_of(SwitchCause cause);

// One change of the active version.
struct VersionSwitch {
  std::uint64_t from = 0;  // 0: there was none
  std::uint64_t to = 0;
  WallTime time;
  SwitchCause cause = SwitchCause::create;
  std::string actor;  // as the caller calls itself; "petri" when nobody asked
  bool operator==(const VersionSwitch&) const = default;
};

// Older switches are forgotten.
constexpr std::size_t kSwitchesKept = 100;

// The versions of a module that are kept, and how it changed between them.
struct ModuleHistory {
  std::string module;
  std::uint64_t active = 0;
  std::uint64_t total = 0;              // ever created
  std::vector<VersionInfo> versions;    // those kept, newest first
  std::vector<VersionSwitch> switches;  // oldest first
};

struct SavedModule;
namespace detail {
struct Access;
}

// A module with all its versions, apart from any sandbox. A value that is cheap to copy. As bytes it has one format
// with a version and a checksum, like a Snapshot.
class ModuleArchive {
 public:
  explicit ModuleArchive(std::shared_ptr<const SavedModule> data) : data_(std::move(data)) {}

  const std::string& name() const;

  std::string to_bytes() const;
  // Bytes that are cut short or changed are parse_failed.
  static Result<ModuleArchive> from_bytes(std::string_view bytes);

 private:
  friend struct detail::Access;
  std::shared_ptr<const SavedModule> data_;
};

}  // namespace petri
