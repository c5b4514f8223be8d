// Finds the files that `petri evaluate` takes for candidates: those that are named, and those inside named folders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri::cli {

struct CandidateFiles {
  std::vector<std::string> paths;  // in the order of the rows, as the caller would write them
  std::size_t ignored = 0;         // what else lies in the folders
};

// True for names that end in .wasm, or as those of a source language do.
bool names_a_candidate(std::string_view path);

// Files come in the order they are named. A folder is searched with all folders in it, and its files come in the order
// of their paths, byte by byte; links to folders are not followed. An Error, before anything is read, when a named file
// is no candidate by its name, when a file or folder is missing or not readable, and when there is no candidate at all.
Result<CandidateFiles> find_candidates(const std::vector<std::string>& names);

// The .wasm and .wat files of a folder and of all folders in it, in the order of their paths; validation_failed if
// there is none.
Result<std::vector<std::string>> modules_in_folder(const std::string& folder);

}  // namespace petri::cli
