// A sandbox as it stood at one moment: what its processes knew, what waited for them, the code they ran.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/result.h"
#include "petri/value.h"

namespace petri {

// The contents of a snapshot.
struct SnapshotInfo {
  std::string sandbox;
  WallTime time;
  std::vector<std::string> modules;
  std::vector<std::string> processes;  // their addresses
  std::uint64_t messages = 0;          // that waited
  std::uint64_t timers = 0;            // that had not rung
  std::uint64_t bytes = 0;             // of what the processes knew
};

struct SnapshotData;
namespace detail {
struct Access;
}

// A value that is cheap to copy; it needs neither the sandbox nor the runtime it came from.
class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<const SnapshotData> data) : data_(std::move(data)) {}

  SnapshotInfo info() const;
  // The code of the active versions.
  std::vector<ArtifactPtr> code() const;

  // One format with a version and a checksum. What is cut short, changed or no snapshot at all is parse_failed; a
  // format this petri does not read is rejected and named.
  std::string to_bytes() const;
  static Result<Snapshot> from_bytes(std::string_view bytes);
  // To and from a file; io_error names the path.
  Result<void> write(const std::string& path) const;
  static Result<Snapshot> read(const std::string& path);

 private:
  friend struct detail::Access;
  std::shared_ptr<const SnapshotData> data_;
};

// The options of a restore.
struct RestoreOptions {
  bool timers = true;  // those of the snapshot continue; else there are none
  std::chrono::nanoseconds quiet_wait_max = std::chrono::seconds(5);
  std::string actor = "caller";
};

// The options of a fork.
struct ForkOptions {
  bool share_random = false;  // the fork draws the same numbers; else it is seeded anew, by its id
  bool timers = true;
  std::vector<std::string> labels;  // beside those of the original
  // The one parent of a fork is its original.
  std::optional<std::uint64_t> generation;  // nullopt: that of the original
  std::string mutation;
};

}  // namespace petri
