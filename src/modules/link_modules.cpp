#include "modules/link_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/escape.h"
#include "host/link.h"
#include "host/module_target.h"

namespace petri {
namespace {

std::string shown(std::string_view name) { return escape_text(name, kNameShownBytesMax); }

std::unexpected<Error> refuse_missing(const ImportView& import) {
  return fail(import_error(ErrorCode::link_error, "link", import,
                           fmt::format("(a function of type {}) is offered by nobody: the sandbox has no module {}",
                                       to_text(to_signature(import.signature)), shown(import.module))));
}

// All that the module needs, as far as it is there.
DependencyGraph graph_from(const std::string& name, const ModuleFinder& find) {
  DependencyGraph graph;
  std::vector<std::string> left{name};
  while (!left.empty()) {
    const std::string next = std::move(left.back());
    left.pop_back();
    const ModuleCodePtr code = graph.contains(next) ? nullptr : find(next);
    if (code == nullptr) continue;
    const auto& imports = graph[next] = imported_modules(*code);
    left.insert(left.end(), imports.begin(), imports.end());
  }
  return graph;
}

Result<LinkedTarget> target_of(const ImportView& import, const std::vector<ModulePart>& before) {
  const auto callee = std::ranges::find(before, import.module, &ModulePart::name);
  if (callee == before.end()) return refuse_missing(import);
  return find_target(import, callee->code->module(), static_cast<std::uint32_t>(callee - before.begin()));
}

Result<std::vector<LinkedTarget>> targets_of(const ModulePart& part, const std::vector<ModulePart>& before) {
  const LoadableArtifact& module = part.code->module();
  std::vector<LinkedTarget> targets(module.facts().imports);
  for (const ModuleImport& from : part.code->from_modules) {
    auto target = target_of(module.import_at(from.index), before);
    if (!target) return fail(name_importer(part.name, std::move(target.error())));
    targets[from.index] = *target;
  }
  return targets;
}

}  // namespace

std::vector<std::string> imported_modules(const ModuleCode& code) {
  std::set<std::string> names;
  for (const ModuleImport& from : code.from_modules) names.insert(from.module);
  return {names.begin(), names.end()};
}

Result<ModuleCodePtr> link_modules(const std::string& name, const ModuleFinder& find) {
  ModuleCodePtr alone = find(name);
  if (alone->from_modules.empty()) return alone;
  PETRI_TRY(const std::vector<std::string> order, dependency_order(graph_from(name, find), name));
  std::vector<ModulePart> parts;
  for (const std::string& next : order) {
    ModulePart part{.name = next, .code = find(next), .targets = {}};
    PETRI_TRY(part.targets, targets_of(part, parts));
    parts.push_back(std::move(part));
  }
  return make_linked_code(std::move(parts));
}

}  // namespace petri
