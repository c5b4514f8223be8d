// Artifacts that are refused for a while, because they met ending limits again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "petri/outcome.h"
#include "petri/policy.h"
#include "security/repeated_failures.h"

namespace petri {

// Keeps failures by artifact, or by artifact and sandbox. Any thread; time is an argument. As long as nothing has ever
// been put into quarantine, find() takes one load.
class Quarantine {
 public:
  // Artifacts it counts for; beyond that the one that met its last limit longest ago is forgotten, those in quarantine
  // last.
  static constexpr std::size_t kArtifactsMax = 10'000;

  explicit Quarantine(const QuarantineOptions& options) : options_(options) {}

  // An artifact in quarantine.
  struct Entry {
    std::string cause;  // the limit it met last
    Clock::TimePoint until;
  };
  // A limit has ended a guest of this artifact. Returns the entry if the artifact is in quarantine from now on: in
  // this sandbox, or without one everywhere.
  std::optional<Entry> limit_met(const ArtifactId& artifact, std::string_view cause, Clock::TimePoint now,
                                 std::string_view sandbox = {}) EXCLUDES(mutex_);
  // The entry of the artifact; nullopt: it may be used in this sandbox.
  std::optional<Entry> find(const ArtifactId& artifact, Clock::TimePoint now, std::string_view sandbox = {})
      EXCLUDES(mutex_);
  // An artifact in quarantine, and where.
  struct Place {
    ArtifactId artifact;
    std::string sandbox;  // empty: everywhere
    Entry entry;
  };
  std::vector<Place> all(Clock::TimePoint now) EXCLUDES(mutex_);
  // Ends the quarantine of an artifact, in all sandboxes; false if it is in none. Limits that it met before no longer
  // count.
  bool lift(const ArtifactId& artifact, Clock::TimePoint now) EXCLUDES(mutex_);
  // How many artifacts are in quarantine now.
  std::size_t size(Clock::TimePoint now) EXCLUDES(mutex_);

  const QuarantineOptions& options() const { return options_; }

 private:
  struct Record {
    RepeatedFailures failures;
    std::optional<Entry> entry;
    Clock::TimePoint last;
  };
  using Key = std::pair<ArtifactId, std::string>;  // the sandbox; empty: all
  using Records = std::map<Key, Record>;
  void make_room(Clock::TimePoint now) REQUIRES(mutex_);
  std::optional<Entry> find_here(const Key& key, Clock::TimePoint now) REQUIRES(mutex_);

  const QuarantineOptions options_;
  std::atomic<bool> any_{false};  // has ever been in it: what most runtimes need to know
  Mutex mutex_;
  Records records_ GUARDED_BY(mutex_);
};

}  // namespace petri
