// A harness, loaded, to be linked with one candidate after the other.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "engine/instance/linked_code.h"
#include "host/link.h"
#include "petri/evaluate.h"
#include "tiering/hot_code.h"
#include "tiering/lru_map.h"

namespace petri {

// One candidate that has all the harness imports.
struct HarnessedCandidate {
  ArtifactPtr artifact;
  std::vector<LinkedTarget> targets;  // of each import of the harness
};

// Loaded once for each tier and shared by all candidates, which together make it hot. Any thread.
class LoadedHarness {
 public:
  // The promoter outlives it, and puts nothing where candidates are looked for: as a candidate it would be a bad one.
  LoadedHarness(ArtifactPtr artifact, Linked linked, Promoter& promoter, MachineCodeOptions compile);

  const LoadableArtifact& module() const { return loadable(*artifact_); }
  // True if it imports the candidate's `_start`.
  bool calls_command() const;
  // link_error, naming what the candidate lacks or has with another type.
  Result<HarnessedCandidate> join(ArtifactPtr candidate) const;

  // Candidate and harness as one, in the tier of the candidate's code. Loads the harness on
  // the first call; others wait for that.
  Result<CodePtr> link(const HarnessedCandidate& candidate, CodePtr code) EXCLUDES(mutex_);
  // As above, for compiled code of the candidate, without waiting: nullptr until the harness has been compiled.
  CodePtr link_if_compiled(const HarnessedCandidate& candidate, CodePtr code) EXCLUDES(mutex_);
  bool is_compiled() EXCLUDES(mutex_) { return compiled() != nullptr; }

  // Adds the fuel that a candidate and the harness burned together.
  void add_burned(std::uint64_t fuel) { hot_.add_burned(fuel); }

 private:
  Result<CodePtr> load(Tier tier) EXCLUDES(mutex_);
  Result<CodePtr> compile() REQUIRES(mutex_);
  CodePtr compiled() EXCLUDES(mutex_);
  CodePtr linked(const HarnessedCandidate& candidate, CodePtr code, CodePtr harness) const;

  const ArtifactPtr artifact_;
  const Linked linked_;
  HotCode hot_;
  Mutex mutex_;
  CodePtr interpreted_ GUARDED_BY(mutex_);
  CodePtr compiled_ GUARDED_BY(mutex_);
  std::optional<Error> not_compiled_ GUARDED_BY(mutex_);  // why; it is not tried for every candidate
  const MachineCodeOptions compile_;
};
using LoadedHarnessPtr = std::shared_ptr<LoadedHarness>;

// The harnesses that were used last, kept from one evaluation to the next. Any thread.
class Harnesses {
 public:
  static constexpr std::size_t kHarnessesMax = 16;

  // Both outlive it.
  Harnesses(const HostFunctions& host, Promoter& promoter, MachineCodeOptions compile)
      : host_(host), promoter_(promoter), compile_(std::move(compile)) {}
  // The loaded harness of a spec that has one. Errors of link_harness().
  Result<LoadedHarnessPtr> of(const EvaluationSpec& spec) EXCLUDES(mutex_);

 private:
  struct Hash {
    std::size_t operator()(const ArtifactId& artifact) const { return hash_of(artifact); }
  };

  const HostFunctions& host_;
  Promoter& promoter_;
  const MachineCodeOptions compile_;
  Mutex mutex_;
  LruMap<ArtifactId, LoadedHarnessPtr, Hash> loaded_ GUARDED_BY(mutex_){kHarnessesMax};
};

}  // namespace petri
