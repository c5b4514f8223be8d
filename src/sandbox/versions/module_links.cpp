#include "sandbox/versions/module_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ids.h"
#include "base/text/escape.h"

namespace petri {
namespace {

// There may be thousands of them.
class ChangesByName {
 public:
  ChangesByName() = default;
  explicit ChangesByName(const ModuleChanges& changes) {
    for (const ModuleChange& change : changes) by_name_.emplace(change.name, &change);
  }
  // nullptr if no change has this name.
  const ModuleChange* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string_view, const ModuleChange*> by_name_;
};

// The code of a module without its links; nullptr if there is no such module.
ModuleCodePtr code_in(const ModuleEntries& modules, std::string_view name) {
  const auto found = modules.find(name);
  return found == modules.end() ? nullptr : by_itself(found->second.code);
}

// The code that each module will have after the changes.
ModuleFinder finder_of(const ModuleEntries& modules, const ChangesByName& changes) {
  return [&](std::string_view name) {
    const ModuleChange* const change = changes.find(name);
    return change == nullptr ? code_in(modules, name) : by_itself(change->to);
  };
}

const VersionNeeds& no_needs() {
  static const VersionNeeds none;
  return none;
}

// The needs of the version that the change leads to, or without one of the active version.
const VersionNeeds& needs_after(const ModuleEntry& module, const ModuleChange* change) {
  if (change == nullptr) return needs_of(module);
  if (change->added) return change->added->needs;
  const Version* const version = module.past == nullptr ? nullptr : module.past->versions.find(change->to_number);
  return version == nullptr ? no_needs() : version->needs;
}

// link_error when a version it needs is not one of those it can work with, or there is none.
Result<void> check_needs(const ModuleEntries& modules, const std::string& module, const VersionNeeds& needs,
                         const ChangesByName& changes) {
  if (needs.contains(module)) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the module {} needs itself: leave it out of its needs", module));
  }
  for (const auto& [needed, range] : needs) {
    const ModuleChange* const change = changes.find(needed);
    const auto found = modules.find(needed);
    const bool open = range.max == VersionRange{}.max;
    const std::string wanted =
        fmt::format("the module {} needs version {}{} of {}", module, range.min,
                    open ? " or later" : fmt::format(" to {}", range.max), escape_text(needed, kSandboxIdBytesMax));
    std::string instead = "there is no such module";
    if (found != modules.end()) {
      const std::uint64_t number = change == nullptr ? found->second.active_number() : change->to_number;
      if (range.contains(number)) continue;
      instead = fmt::format("{} {} active", number, change == nullptr ? "is" : "would be");
    }
    return fail(
        Error{.code = ErrorCode::link_error, .message = fmt::format("{}, and {}", wanted, instead), .details = {}}
            .with("importer", module)
            .with("module", needed));
  }
  return {};
}

Result<void> check_all_needs(const ModuleEntries& modules, const ChangesByName& changes) {
  for (const auto& [name, module] : modules) {
    PETRI_TRY(check_needs(modules, name, needs_after(module, changes.find(name)), changes));
  }
  return {};
}

Result<void> add_dependents(const ModuleEntries& modules, ModuleChanges& changes) {
  DependencyGraph graph = graph_of(modules);
  std::vector<std::string> changed;
  for (const ModuleChange& change : changes) {
    graph[change.name] = imported_modules(*change.to);
    if (change.changes()) changed.push_back(change.name);
  }
  PETRI_TRY(const std::vector<std::string> order, dependency_order(graph));
  std::set<std::string> known;
  for (const ModuleChange& change : changes) known.insert(change.name);
  for (const std::string& name : dependents_of(graph, changed)) {
    if (known.contains(name)) continue;
    const ModuleEntry& module = modules.find(name)->second;
    const std::uint64_t number = module.active_number();
    ModuleChange change{
        .name = name, .from = module.code, .to = module.code, .from_number = number, .to_number = number};
    change.kind = Relink{};
    changes.push_back(std::move(change));
  }
  std::map<std::string_view, std::size_t> places;
  for (const std::string& name : order) places.emplace(name, places.size());
  std::ranges::sort(changes, {}, [&](const ModuleChange& change) { return places.at(change.name); });
  return {};
}

// Modules that import from one another, or are imported together, go back together: their processes are the same. One
// change answers for all of them, and knows what the processes of those knew whose version stays.
void choose_lead(ModuleChanges& changes) {
  std::vector<const LinkedModules*> groups;
  for (const ModuleChange& change : changes) {
    if (change.to->linked != nullptr) groups.push_back(change.to->linked.get());
  }
  const auto is_linked = [&](const ModuleChange& change) {
    return change.to->linked != nullptr ||
           std::ranges::any_of(groups, [&](const LinkedModules* group) { return group->find(change.name) != nullptr; });
  };
  const ModuleChange* lead = nullptr;
  for (ModuleChange& change : changes) {
    if (change.is_relink() || !change.changes() || !is_linked(change)) continue;
    if (lead == nullptr) lead = &change;
    change.lead = lead->name;
  }
  if (lead == nullptr) return;
  for (ModuleChange& change : changes) {
    if (!change.is_relink()) continue;
    change.lead = lead->name;
    change.kind = Relink{.snapshot = lead->snapshot()};
  }
}

}  // namespace

bool has_links(const ModuleEntries& modules) {
  return std::ranges::any_of(modules, [](const auto& module) { return !module.second.code->from_modules.empty(); });
}

DependencyGraph graph_of(const ModuleEntries& modules) {
  DependencyGraph graph;
  for (const auto& [name, module] : modules) graph[name] = imported_modules(*module.code);
  return graph;
}

const VersionNeeds& needs_of(const ModuleEntry& module) {
  return module.past == nullptr ? no_needs() : module.past->versions.active().needs;
}

Result<void> check_links(const ModuleEntries& modules) {
  const ChangesByName none;
  PETRI_TRY(check_all_needs(modules, none));
  if (!has_links(modules)) return {};
  PETRI_TRY(dependency_order(graph_of(modules)));  // so that the whole ring is named, whoever is asked first
  const ModuleFinder find = finder_of(modules, none);
  for (const auto& [name, module] : modules) {
    PETRI_TRY(check_imports(name, find));
  }
  return {};
}

Result<ModuleCodePtr> link_with(const ModuleEntries& modules, std::string_view name, const ModuleCodePtr& code,
                                const VersionNeeds& needs) {
  PETRI_TRY(check_needs(modules, std::string(name), needs, {}));
  if (code->from_modules.empty()) return code;
  return link_modules(std::string(name), [&](std::string_view wanted) {
    return wanted == name ? by_itself(code) : code_in(modules, wanted);
  });
}

Result<void> link_changes(const ModuleEntries& modules, ModuleChanges& changes, const std::set<std::string>& run) {
  const auto imports = [](const ModuleChange& change) { return !change.to->from_modules.empty(); };
  if (!has_links(modules) && std::ranges::none_of(changes, imports)) {
    return check_all_needs(modules, ChangesByName(changes));
  }
  PETRI_TRY(add_dependents(modules, changes));
  const ChangesByName by_name(changes);
  PETRI_TRY(check_all_needs(modules, by_name));
  const ModuleFinder find = finder_of(modules, by_name);
  std::set<std::string> imported;
  for (const ModuleChange& change : changes) {
    for (std::string& name : imported_modules(*change.to)) imported.insert(std::move(name));
  }
  for (ModuleChange& change : changes) {
    change.links_later = imports(change) && imported.contains(change.name) && !run.contains(change.name);
    if (change.links_later) {
      PETRI_TRY(check_imports(change.name, find));
      change.to = by_itself(change.to);
    } else {
      PETRI_TRY(change.to, link_modules(change.name, find));
    }
  }
  choose_lead(changes);
  return {};
}

Result<ModuleCodePtr> link_late(const ModuleEntries& modules, const ModuleChange& change,
                                const ModuleChanges& changes) {
  const ChangesByName by_name(changes);
  return link_modules(change.name, finder_of(modules, by_name));
}

// Others may have come, or have been changed, while the processes became quiescent.
Result<void> check_still_linked(const ModuleEntries& modules, const ModuleChanges& changes) {
  const ChangesByName by_name(changes);
  const ModuleFinder find = finder_of(modules, by_name);
  const auto busy = [](std::string_view name) {
    return fail(ErrorCode::busy, fmt::format("the module {} came or was changed meanwhile: try again", name));
  };
  for (const ModuleChange& change : changes) {
    if (change.module_switch == nullptr || change.to->linked == nullptr) continue;
    for (const ModulePart& member : change.to->linked->parts()) {
      if (find(member.name) != member.code) return busy(member.name);
    }
  }
  for (const auto& [name, module] : modules) {
    if (module.code->from_modules.empty() || by_name.find(name) != nullptr) continue;
    for (const std::string& import : imported_modules(*module.code)) {
      const ModuleChange* const change = by_name.find(import);
      if (change != nullptr && change->module_switch != nullptr && change->changes()) return busy(name);
    }
  }
  return {};
}

}  // namespace petri
