// Versions of modules and what becomes of them, in words and as JSON; docs/reference/json.md names the keys. Texts of
// guests are escaped.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "petri/reload.h"
#include "petri/sandbox.h"
#include "petri/versions.h"

namespace petri::cli {

// A module of a sandbox with what it imports from others.
struct ModuleRow {
  ModuleSummary module;
  std::vector<std::string> imports;
};

std::string to_text(const std::vector<ModuleRow>& modules);
std::string to_text(const VersionInfo& version);  // a line without its end: "version 2, 312 B, state count i32"
std::string to_text(const std::vector<VersionInfo>& versions);
std::string to_text(const ModuleHistory& history);
std::string to_text(const ReloadReport& report);
std::string to_text(const ReloadPlan& plan);

Json to_json(const std::vector<ModuleRow>& modules);
Json to_json(const VersionInfo& version);
Json to_json(const ModuleHistory& history);
Json to_json(const ReloadReport& report);
Json to_json(const ReloadPlan& plan);

}  // namespace petri::cli
