// The folders and files of a WatchSpec, checked.
#pragma once

#include <vector>

#include "petri/watch.h"
#include "runtime/watched_source.h"
#include "sandbox/code/compiled_modules.h"

namespace petri {

// Debounce, patterns and policy; validation_failed names the first that is wrong.
Result<void> check_watch(const WatchSpec& spec);

// The folder or the files, each as the kernel names it. validation_failed: both or none; io_error: it is not there.
Result<std::vector<WatchedPlace>> watch_places(const WatchSpec& spec);

// The files and folders that modules were read from. validation_failed if there is none.
Result<std::vector<WatchedPlace>> places_of(const std::vector<ModulePlace>& modules, const WatchSpec& spec);

// The path as the kernel names it, whether it is there or not.
std::string plain_path(const std::string& path);

}  // namespace petri
