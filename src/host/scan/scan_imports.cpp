#include "host/scan/scan_imports.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "security/finding_rules.h"

namespace petri {
namespace {

std::string title_of(const ImportView& import) {
  return fmt::format("{}.{}", escape_text(import.module, kNameShownBytesMax),
                     escape_text(import.name, kNameShownBytesMax));
}

bool fits(const ImportView& import, const HostFunction* offered) {
  return offered != nullptr && import.kind == ExternKind::function && matches(import.signature, offered->signature);
}

std::string why_unknown(const ImportView& import, const HostFunction* offered) {
  if (import.kind != ExternKind::function) return fmt::format("a {}, and only functions can be", name_of(import.kind));
  if (offered == nullptr) return "which nobody offers";
  return fmt::format("as {}, but it is offered as {}", to_text(to_signature(import.signature)),
                     to_text(offered->signature));
}

Severity severity_of_embedded(std::optional<Permission> permission) {
  return permission ? std::max(Severity::low, severity_of(*permission)) : Severity::low;
}

}  // namespace

std::optional<Finding> import_finding(const ImportView& import, const HostFunction* offered) {
  Finding finding{.offset = import.offset, .text = fmt::format("it imports {}", title_of(import))};
  if (!fits(import, offered)) {
    finding.kind = FindingKind::imports_unknown;
    finding.severity = Severity::medium;
    finding.text += fmt::format(", {}", why_unknown(import, offered));
    return finding;
  }
  if (!offered->embedded && !offered->permission) return std::nullopt;
  finding.kind = offered->embedded ? FindingKind::imports_embedder : family_of(*offered->permission);
  finding.severity = offered->embedded ? severity_of_embedded(offered->permission) : severity_of(*offered->permission);
  return finding;
}

}  // namespace petri
