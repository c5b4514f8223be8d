// How many files a folder holds, and how large they are together.
#pragma once

#include <cstdint>
#include <optional>

namespace petri {

struct FolderUsage {
  std::uint64_t files = 0;  // folders inside it count too
  std::uint64_t bytes = 0;
};

// Looks through the folder and all folders inside it, following no links. Nothing once there are more than `files_max`
// files, or when a part of it cannot be read.
std::optional<FolderUsage> measure_folder(int folder, std::uint64_t files_max);

}  // namespace petri
