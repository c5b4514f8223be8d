// The candidates that the tab key offers.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace petri::cli {

// Names a session knows now.
struct KnownNames {
  struct OfSandbox {
    std::vector<std::string> processes;  // addresses inside the sandbox
    std::vector<std::string> modules;
    std::vector<std::string> functions;                                          // exported by any of its modules
    std::map<std::string, std::vector<std::string>, std::less<>> versions = {};  // numbers, by module
  };
  std::map<std::string, OfSandbox, std::less<>> sandboxes;
  std::vector<std::string> background_calls;
};

struct Completion {
  std::size_t begin = 0;                // of the word that is completed, in bytes of the line
  std::vector<std::string> candidates;  // whole words that could stand there, sorted
  bool files = false;                   // file names fit as well; `prefix` is what was typed of it
  std::string prefix;
};

// The words that could stand at the cursor, given the text before it. Looks at nothing but its arguments.
Completion complete(std::string_view line, std::size_t cursor, const KnownNames& known);

// The names in a folder that continue this path, folders with a "/" at their end, sorted; none when it cannot be
// read. At most `names_max`.
std::vector<std::string> complete_path(const std::string& path, std::size_t names_max = 1'000);

}  // namespace petri::cli
