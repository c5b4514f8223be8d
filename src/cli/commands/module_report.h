// Everything `petri inspect` prints about a module, as data; then as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/import_findings.h"
#include "cli/commands/section_outline.h"
#include "cli/json.h"
#include "petri/artifact.h"
#include "petri/limits.h"
#include "petri/policy.h"

namespace petri::cli {

struct ModuleReport {
  ModuleInfo info;
  std::vector<ImportFinding> imports;
  std::vector<ExportInfo> exports;
  std::vector<Section> sections;
  std::vector<std::string> refused;  // why a run with these permissions and limits would not work, a sentence each
};

ModuleReport report_on(const Artifact& artifact, Permissions permissions, const Limits& limits);

// `title` says which module it is and is shown as it is. All names of the guest are escaped.
std::string to_text(const ModuleReport& report, std::string_view title);
Json to_json(const ModuleReport& report);

// The sections alone: all there is to show of a module that was rejected.
std::string to_text(const std::vector<Section>& sections);
Json to_json(const std::vector<Section>& sections);

}  // namespace petri::cli
