#include "modules/link_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/escape.h"
#include "host/link.h"

namespace petri {
namespace {

constexpr std::size_t kNameShownBytesMax = 100;

std::unexpected<Error> refuse(const std::string& module, const ImportView& import, std::string_view why) {
  Error error = import_error(ErrorCode::link_error, "link", import, why);
  error.message = fmt::format("the module {}: {}", module, error.message);
  return fail(std::move(error).with("importer", module));
}

bool has_reference(const SignatureView& signature) {
  const auto is_reference = [](ValueType type) { return type == ValueType::funcref; };
  return std::ranges::any_of(signature.params, is_reference) || std::ranges::any_of(signature.results, is_reference);
}

std::string shown(std::string_view name) { return escape_text(name, kNameShownBytesMax); }

Result<LinkedTarget> target_of(const std::string& by, const ImportView& import, const ModuleCode& callee,
                               std::uint32_t member) {
  const LoadableArtifact& module = callee.module();
  const auto number = module.export_number(import.name);
  if (!number || module.export_at(*number).kind != ExternKind::function) {
    return refuse(by, import,
                  fmt::format("is offered by nobody: the module {} exports no such function", shown(import.module)));
  }
  const SignatureView offered = module.export_at(*number).signature;
  if (!matches(import.signature, to_signature(offered))) {
    return refuse(
        by, import,
        fmt::format("is a function of type {}, but the module {} exports one of type {}",
                    to_text(to_signature(import.signature)), shown(import.module), to_text(to_signature(offered))));
  }
  if (has_reference(offered)) return refuse(by, import, "passes references, which do not cross between modules");
  return LinkedTarget{.member = member,
                      .export_number = *number,
                      .params = static_cast<std::uint32_t>(offered.params.size()),
                      .results = static_cast<std::uint32_t>(offered.results.size())};
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

Result<std::vector<LinkedTarget>> targets_of(const ModulePart& part, const std::vector<ModulePart>& before) {
  const LoadableArtifact& module = part.code->module();
  std::vector<LinkedTarget> targets(module.facts().imports);
  for (const ModuleImport& from : part.code->from_modules) {
    const ImportView import = module.import_at(from.index);
    const auto callee = std::ranges::find(before, from.module, &ModulePart::name);
    if (callee == before.end()) {
      return refuse(part.name, import,
                    fmt::format("(a function of type {}) is offered by nobody: the sandbox has no module {}",
                                to_text(to_signature(import.signature)), shown(from.module)));
    }
    const auto member = static_cast<std::uint32_t>(callee - before.begin());
    PETRI_TRY(targets[from.index], target_of(part.name, import, *callee->code, member));
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
  const ModuleCodePtr alone = find(name);
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
