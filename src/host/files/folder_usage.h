// How many files a folder holds, and how large they are together.
#pragma once

#include <cstdint>
#include <optional>

#include "host/guest/pace.h"

namespace petri {

struct FolderUsage {
  std::uint64_t files = 0;  // folders inside it count too
  std::uint64_t bytes = 0;
  std::uint64_t levels = 0;  // of folders inside folders, the deepest; 0: it holds none
};

struct FolderMeasure {
  std::optional<FolderUsage> usage;  // nullopt: more than `files_max` files, or a part of it cannot be read
  bool given_up = false;             // the guest has ended before all was seen
};

// Looks through the folder and all folders inside it, following no links, however long their names are together.
FolderMeasure measure_folder(int folder, std::uint64_t files_max, Pace pace = {});

// How many folders lie between the root and this one, itself included; nothing when there are more than `levels_max`,
// or it is not below the root any more.
std::optional<std::uint64_t> levels_below(int root, int folder, std::uint64_t levels_max);

}  // namespace petri
