#include "modules/link_modules.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/text/escape.h"
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

// The parts before one, with their places: a module may import from a thousand others.
struct PartsBefore {
  std::vector<ModulePart> parts;
  std::map<std::string, std::uint32_t, std::less<>> places;

  void add(ModulePart part) {
    places.emplace(part.name, static_cast<std::uint32_t>(parts.size()));
    parts.push_back(std::move(part));
  }
};

Result<LinkedTarget> target_of(const ImportView& import, const PartsBefore& before) {
  const auto callee = before.places.find(import.module);
  if (callee == before.places.end()) return refuse_missing(import);
  return find_target(import, before.parts[callee->second].code->module(), callee->second);
}

Result<LinkedTarget> target_in(const ImportView& import, const ModuleFinder& find) {
  const ModuleCodePtr callee = find(import.module);
  if (callee == nullptr) return refuse_missing(import);
  return find_target(import, callee->module(), 0);
}

Result<std::vector<LinkedTarget>> targets_of(const ModulePart& part, const PartsBefore& before) {
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

Result<void> check_imports(const std::string& name, const ModuleFinder& find) {
  const ModuleCodePtr code = find(name);
  for (const ModuleImport& from : code->from_modules) {
    auto target = target_in(code->module().import_at(from.index), find);
    if (!target) return fail(name_importer(name, std::move(target.error())));
  }
  return {};
}

Result<ModuleCodePtr> link_modules(const std::string& name, const ModuleFinder& find) {
  ModuleCodePtr alone = find(name);
  if (alone->from_modules.empty()) return alone;
  PETRI_TRY(const std::vector<std::string> order, dependency_order(graph_from(name, find), name));
  PartsBefore before;
  for (const std::string& next : order) {
    ModulePart part{.name = next, .code = find(next), .targets = {}};
    PETRI_TRY(part.targets, targets_of(part, before));
    before.add(std::move(part));
  }
  return make_linked_code(std::move(before.parts));
}

}  // namespace petri
