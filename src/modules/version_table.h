// The versions of one module of a sandbox.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "petri/result.h"
#include "petri/versions.h"
#include "process/instance/module_code.h"

namespace petri {

// The source that code was made of, as far as that is known.
struct SourceFacts {
  ArtifactId hash;                          // of what was given
  std::shared_ptr<const std::string> text;  // nullptr: it was wasm
  std::shared_ptr<const std::string> path;  // nullptr: it was not read from a file
  std::string language;                     // of source code; empty: wat where there is a text, else wasm
};

struct Version {
  std::uint64_t number = 0;  // given by the table
  ArtifactPtr artifact;
  ModuleCodePtr code;  // of that, as a sandbox runs it; none while the version is apart from any
  SourceFacts source;
  WallTime time;
  VersionOrigin origin = VersionOrigin::create;
  std::map<std::string, std::string> metadata;
  VersionNeeds needs;
  // The version whose state first crossed to this one, and the fields that have another name here. 0: none did.
  std::uint64_t before = 0;
  StateHints renames;
};

// Not for several threads at once.
class VersionTable {
 public:
  // With its first version, which is active.
  VersionTable(Version first, SwitchCause cause, std::string actor);
  // As another was: versions by their numbers, which were given by that one.
  VersionTable(std::vector<Version> versions, std::vector<VersionSwitch> switches, std::uint64_t active,
               std::uint64_t total)
      : versions_(std::move(versions)), switches_(std::move(switches)), active_(active), total_(total) {}

  const Version& active() const { return *find(active_); }
  const Version* find(std::uint64_t number) const;
  const Version* find(const ArtifactId& artifact) const;
  const std::vector<Version>& versions() const { return versions_; }  // by number
  const std::vector<VersionSwitch>& switches() const { return switches_; }
  std::uint64_t total() const { return total_; }
  // The number that the next added version gets.
  std::uint64_t next_number() const { return total_ + 1; }
  // The version that was active before the active one; 0: none is kept that was.
  std::uint64_t number_before() const;
  // version_not_found, naming those that are kept.
  Result<const Version*> require(std::string_view module, std::uint64_t number) const;

  const Version& add(Version version);
  // State has crossed from one to the other. Remembered of a version that no state had come to before, for the way
  // back.
  void note_crossing(std::uint64_t from, std::uint64_t to, const StateHints& renames);
  void activate(std::uint64_t number, WallTime time, SwitchCause cause, std::string actor);
  // The oldest go first, the active one never does.
  void prune(std::uint64_t versions_max);

  // The renames of all versions between two of them, in their order there: those on the way back are turned round. None
  // when a version on the way is not kept any more, or where no state ever crossed.
  StateHints renames_between(std::uint64_t from, std::uint64_t to) const;

 private:
  std::vector<const Version*> way_up(std::uint64_t number) const;

  std::vector<Version> versions_;
  std::vector<VersionSwitch> switches_;
  std::uint64_t active_ = 0;
  std::uint64_t total_ = 0;
};

// Successive sets as one: what was renamed twice is renamed once. Takes time in proportion to what is added: an archive
// of a module may have a thousand versions with a thousand renames each.
class JoinedRenames {
 public:
  void add(const StateHints& next);
  StateHints take() &&;

 private:
  StateHints all_;
  std::unordered_multimap<std::string, std::size_t> by_to_;  // of those that rename anything
};

StateHints turned_round(const StateHints& renames);

}  // namespace petri
