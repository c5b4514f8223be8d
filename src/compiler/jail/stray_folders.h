// Folders that compilers without a jail have left behind.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace petri {

// How the name of a folder of one job starts, below the folder for temporary files.
constexpr std::string_view kJobFolderPrefix = "petri-compile-";

// Marks a folder as used until the descriptor is closed, however its process ends.
void mark_used(int folder);
// A process that was killed cannot remove the folder of its job. Removes those of this user that are older than `age`
// and that nobody uses; returns how many.
std::size_t remove_stray_folders(std::chrono::nanoseconds age = std::chrono::hours(1));

}  // namespace petri
