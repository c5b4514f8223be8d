// How many files a folder holds, and how large they are together.
#pragma once

#include <cstdint>
#include <optional>

#include "host/pace.h"

namespace petri {

struct FolderUsage {
  std::uint64_t files = 0;  // folders inside it count too
  std::uint64_t bytes = 0;
};

struct FolderMeasure {
  std::optional<FolderUsage> usage;  // nothing: more than `files_max` files, or a part of it cannot be read
  bool given_up = false;             // the guest has ended before all was seen
};

// Looks through the folder and all folders inside it, following no links.
FolderMeasure measure_folder(int folder, std::uint64_t files_max, Pace pace = {});

}  // namespace petri
