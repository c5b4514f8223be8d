// Watching: sources on the disk whose changes reload the modules of running sandboxes. docs/guides/watch.md shows it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "petri/reload.h"
#include "petri/result.h"

namespace petri {

// The sources to watch, and when a change of them counts.
struct WatchSpec {
  // A folder with those below it, except folders whose names start with a dot: it is compiled as Source::folder. A
  // module of the sandbox is reloaded if it was read from there, or has the name of one of the folder's modules.
  std::string folder;
  // Files in place of a folder; each is a module, and the headers that it includes are watched with it.
  std::vector<std::string> files;
  // The files of the folder that count: "*.c", "src/**/*.h". None: sources, headers and petri.json.
  std::vector<std::string> patterns;
  // Without a change before the code is compiled. After ten times as long it is compiled although changes still come.
  std::chrono::nanoseconds debounce = std::chrono::milliseconds(100);
  std::optional<ReloadPolicy> reload;  // nullopt: the sandbox's
};

// The range of WatchSpec::debounce.
constexpr std::chrono::nanoseconds kDebounceMin = std::chrono::milliseconds(1);
constexpr std::chrono::nanoseconds kDebounceMax = std::chrono::seconds(10);
// Sources that one sandbox may watch, and folders below one of them.
constexpr std::size_t kWatchesMax = 100;
constexpr std::size_t kWatchedFoldersMax = 10'000;

// One folder or file that a sandbox watches.
struct WatchInfo {
  std::string path;  // absolute, without symbolic links
  bool is_folder = false;
  bool automatic = false;  // by auto-reload
  std::vector<std::string> patterns;
  std::chrono::nanoseconds debounce{};
  std::uint64_t reloads = 0;   // after which new code ran
  std::uint64_t failures = 0;  // edits that were broken or refused
  std::string last_error;      // why the last one was; empty after one that was good
};

}  // namespace petri
