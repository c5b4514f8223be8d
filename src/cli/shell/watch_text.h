// The watches of a sandbox and its last compile, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "petri/sandbox.h"

namespace petri::cli {

// A line for each.
std::string to_text(const std::vector<WatchInfo>& watched);
Json to_json(const std::vector<WatchInfo>& watched);

// "src/ 3 reloads, 1 failure", each after a comma; empty for none.
std::string watched_text(const SandboxInfo& info);
// "compiled 1 module: 12 ms, server"; empty if nothing was compiled.
std::string last_compile_text(const SandboxInfo& info);

}  // namespace petri::cli
