#include "cli/commands/import_findings.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "host/host_table.h"

namespace petri::cli {
namespace {

ImportVerdict judge(const ImportInfo& import, const HostFunction* offered, Permissions permissions) {
  if (import.kind != ExternKind::function) return ImportVerdict::not_a_function;
  if (offered == nullptr) return ImportVerdict::unknown;
  if (offered->signature != import.signature) return ImportVerdict::wrong_type;
  if (offered->permission && !permissions.has(*offered->permission)) return ImportVerdict::not_permitted;
  return ImportVerdict::offered;
}

std::string reason_for(ImportVerdict verdict, const ImportInfo& import, const HostFunction* offered) {
  switch (verdict) {
    case ImportVerdict::offered: return "";
    case ImportVerdict::unknown: return "petri offers no such function";
    case ImportVerdict::not_a_function:
      return fmt::format("a {} cannot be imported, only functions can", name_of(import.kind));
    case ImportVerdict::wrong_type: return fmt::format("petri offers it as {}", to_text(offered->signature));
    case ImportVerdict::not_permitted: return fmt::format("it needs the permission {}", name_of(*offered->permission));
  }
  PETRI_UNREACHABLE();
}

}  // namespace

std::string_view name_of(ImportVerdict verdict) {
  switch (verdict) {
    case ImportVerdict::offered: return "offered";
    case ImportVerdict::unknown: return "unknown";
    case ImportVerdict::not_a_function: return "not_a_function";
    case ImportVerdict::wrong_type: return "wrong_type";
    case ImportVerdict::not_permitted: return "not_permitted";
  }
  PETRI_UNREACHABLE();
}

ImportFinding examine(const ImportInfo& import, const HostFunction* offered, Permissions permissions) {
  const ImportVerdict verdict = judge(import, offered, permissions);
  return {.import = import,
          .verdict = verdict,
          .permission = offered == nullptr ? std::nullopt : offered->permission,
          .reason = reason_for(verdict, import, offered)};
}

std::vector<ImportFinding> examine_imports(const Artifact& artifact, Permissions permissions) {
  std::vector<ImportFinding> findings;
  for (const ImportInfo& import : artifact.imports()) {
    findings.push_back(examine(import, find_builtin(import.module, import.name), permissions));
  }
  return findings;
}

}  // namespace petri::cli
