// Modules of a sandbox that import one another's functions: who needs whom, and who is switched with whom.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/escape.h"
#include "base/ids.h"
#include "sandbox/sandbox_core.h"

namespace petri {

// There may be thousands of them.
class SandboxCore::PartsByName {
 public:
  explicit PartsByName(const std::vector<Part>& parts) {
    for (const Part& part : parts) by_name_.emplace(part.name, &part);
  }
  // nullptr: there is none of this name.
  const Part* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  // The code by itself that a module will have; nullptr: it is no part.
  ModuleCodePtr code(std::string_view name) const {
    const Part* const part = find(name);
    return part == nullptr ? nullptr : by_itself(part->to);
  }

 private:
  std::map<std::string_view, const Part*> by_name_;
};

bool SandboxCore::has_links() const {
  return std::ranges::any_of(modules_, [](const auto& module) { return !module.second.code->from_modules.empty(); });
}

ModuleCodePtr SandboxCore::code_in_table(std::string_view name) const {
  const auto found = modules_.find(name);
  return found == modules_.end() ? nullptr : by_itself(found->second.code);
}

DependencyGraph SandboxCore::dependency_graph() const {
  DependencyGraph graph;
  for (const auto& [name, module] : modules_) graph[name] = imported_modules(*module.code);
  return graph;
}

Result<std::vector<std::string>> SandboxCore::dependencies(std::string_view module) {
  MutexLock lock(mutex_);
  PETRI_TRY(const Module* found, find_module(module));
  return imported_modules(*found->code);
}

Result<std::vector<std::string>> SandboxCore::reload_order() {
  MutexLock lock(mutex_);
  PETRI_TRY(must_exist_now());
  return dependency_order(dependency_graph());
}

// ---- linking --------------------------------------------------------------------------------------------------

// Each is linked when the first process of it starts: most modules of a long chain have none, and linking all of them
// would take the square of their number.
Result<void> SandboxCore::check_all_links() {
  MutexLock lock(mutex_);
  PETRI_TRY(check_all_needs({}));
  if (!has_links()) return {};
  const auto find = [this](std::string_view name) REQUIRES(mutex_) { return code_in_table(name); };
  PETRI_TRY(dependency_order(dependency_graph()));  // so that the whole ring is told, whoever is asked first
  for (const auto& [name, module] : modules_) {
    PETRI_TRY(check_imports(name, find));
  }
  if (tree_spec_ == nullptr) tree_spec_ = std::make_unique<SupervisorSpec>(tree_spec());
  return {};
}

Result<ModuleCodePtr> SandboxCore::link_with_table(std::string_view name, const ModuleCodePtr& code,
                                                   const VersionNeeds& needs) const {
  MutexLock lock(mutex_);
  return link_with_table_now(name, code, needs);
}

Result<ModuleCodePtr> SandboxCore::link_with_table_now(std::string_view name, const ModuleCodePtr& code,
                                                       const VersionNeeds& needs) const {
  PETRI_TRY(check_needs(std::string(name), needs, {}));
  if (code->from_modules.empty()) return code;
  return link_modules(std::string(name), [&](std::string_view wanted) REQUIRES(mutex_) {
    return wanted == name ? by_itself(code) : code_in_table(wanted);
  });
}

const VersionNeeds& SandboxCore::needs_of(const std::string& module, const Part* part) const {
  static const VersionNeeds none;
  if (part != nullptr && part->added) return part->added->needs;
  const auto& past = modules_.find(module)->second.past;
  if (past == nullptr) return none;
  const Version* version = part == nullptr ? &past->versions.active() : past->versions.find(part->to_number);
  return version == nullptr ? none : version->needs;
}

Result<void> SandboxCore::check_all_needs(const std::vector<Part>& parts) const {
  const PartsByName by_name(parts);
  for (const auto& [name, module] : modules_) {
    PETRI_TRY(check_needs(name, needs_of(name, by_name.find(name)), parts));
  }
  return {};
}

Result<void> SandboxCore::check_needs(const std::string& module, const VersionNeeds& needs,
                                      const std::vector<Part>& parts) const {
  if (needs.contains(module)) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the module {} needs itself: leave it out of its needs", module));
  }
  for (const auto& [needed, range] : needs) {
    const auto part = std::ranges::find(parts, needed, &Part::name);
    const auto found = modules_.find(needed);
    const bool open = range.max == VersionRange{}.max;
    const std::string wanted =
        fmt::format("the module {} needs version {}{} of {}", module, range.min,
                    open ? " or later" : fmt::format(" to {}", range.max), escape_text(needed, kSandboxIdBytesMax));
    std::string instead = "there is no such module";
    if (found != modules_.end()) {
      const std::uint64_t number = part == parts.end() ? active_number(found->second) : part->to_number;
      if (range.contains(number)) continue;
      instead = fmt::format("{} {} active", number, part == parts.end() ? "is" : "would be");
    }
    return fail(
        Error{.code = ErrorCode::link_error, .message = fmt::format("{}, and {}", wanted, instead), .details = {}}
            .with("importer", module)
            .with("module", needed));
  }
  return {};
}

// ---- switching together ---------------------------------------------------------------------------------------

std::set<std::string> SandboxCore::modules_with_processes() const {
  std::set<std::string> modules;
  for (const auto& runner : trees()) {
    for (const TreeEntry& entry : runner->entries()) {
      if (const ChildSpec* child = entry.spec->process()) modules.insert(child->module);
    }
  }
  return modules;
}

Result<void> SandboxCore::link_parts(std::vector<Part>& parts) {
  const std::set<std::string> run = modules_with_processes();
  MutexLock lock(mutex_);
  const auto imports = [](const Part& part) { return !part.to->from_modules.empty(); };
  if (!has_links() && std::ranges::none_of(parts, imports)) return check_all_needs(parts);
  PETRI_TRY(add_dependents(parts));
  PETRI_TRY(check_all_needs(parts));
  const PartsByName by_name(parts);
  const auto find = [&](std::string_view name) REQUIRES(mutex_) {
    ModuleCodePtr code = by_name.code(name);
    return code == nullptr ? code_in_table(name) : code;
  };
  std::set<std::string> imported;
  for (const Part& part : parts) {
    for (std::string& name : imported_modules(*part.to)) imported.insert(std::move(name));
  }
  for (Part& part : parts) {
    part.links_later = imports(part) && imported.contains(part.name) && !run.contains(part.name);
    if (part.links_later) {
      PETRI_TRY(check_imports(part.name, find));
      part.to = by_itself(part.to);
    } else {
      PETRI_TRY(part.to, link_modules(part.name, find));
    }
  }
  go_together(parts);
  return {};
}

Result<void> SandboxCore::link_late(Part& part, const std::vector<Part>& parts) {
  {
    MutexLock lock(mutex_);
    const PartsByName by_name(parts);
    PETRI_TRY(part.to, link_modules(part.name, [&](std::string_view name) REQUIRES(mutex_) {
                ModuleCodePtr code = by_name.code(name);
                return code == nullptr ? code_in_table(name) : code;
              }));
  }
  part.links_later = false;
  part.change->set_code(part.to);
  return add_members(part, parts);
}

Result<void> SandboxCore::add_dependents(std::vector<Part>& parts) {
  DependencyGraph graph = dependency_graph();
  std::vector<std::string> changed;
  for (const Part& part : parts) {
    graph[part.name] = imported_modules(*part.to);
    if (part.changes()) changed.push_back(part.name);
  }
  PETRI_TRY(const std::vector<std::string> order, dependency_order(graph));
  std::set<std::string> known;
  for (const Part& part : parts) known.insert(part.name);
  for (const std::string& name : dependents_of(graph, changed)) {
    if (known.contains(name)) continue;
    const Module& module = modules_.find(name)->second;
    const std::uint64_t number = active_number(module);
    Part part{.name = name, .from = module.code, .to = module.code, .from_number = number, .to_number = number};
    part.only_links = true;
    parts.push_back(std::move(part));
  }
  std::map<std::string_view, std::size_t> places;
  for (const std::string& name : order) places.emplace(name, places.size());
  std::ranges::sort(parts, {}, [&](const Part& part) { return places.at(part.name); });
  return {};
}

// Those that import from one another, or are imported together, go back together: their processes are the same. One
// part answers for all of them, and knows what the processes of those knew whose version stays.
void SandboxCore::go_together(std::vector<Part>& parts) const {
  std::vector<const LinkedModules*> groups;
  for (const Part& part : parts) {
    if (part.to->linked != nullptr) groups.push_back(part.to->linked.get());
  }
  const auto is_linked = [&](const Part& part) {
    return part.to->linked != nullptr ||
           std::ranges::any_of(groups, [&](const LinkedModules* group) { return group->find(part.name) != nullptr; });
  };
  const Part* lead = nullptr;
  for (Part& part : parts) {
    if (part.only_links || !part.changes() || !is_linked(part)) continue;
    if (lead == nullptr) lead = &part;
    part.lead = lead->name;
  }
  if (lead == nullptr) return;
  for (Part& part : parts) {
    if (!part.only_links) continue;
    part.lead = lead->name;
    part.back_to = lead->back_to;
  }
}

// Others may have come, or have been changed, while processes came to rest.
Result<void> SandboxCore::check_links(const std::vector<Part>& parts) const {
  const PartsByName by_name(parts);
  const auto planned = [&](std::string_view name) { return by_name.find(name); };
  const auto busy = [](std::string_view name) {
    return fail(ErrorCode::busy, fmt::format("the module {} came or was changed meanwhile: try again", name));
  };
  for (const Part& part : parts) {
    if (part.change == nullptr || part.to->linked == nullptr) continue;
    for (const ModulePart& member : part.to->linked->parts()) {
      const Part* other = planned(member.name);
      const ModuleCodePtr code = other == nullptr ? code_in_table(member.name) : by_itself(other->to);
      if (code != member.code) return busy(member.name);
    }
  }
  for (const auto& [name, module] : modules_) {
    if (module.code->from_modules.empty() || planned(name) != nullptr) continue;
    for (const std::string& import : imported_modules(*module.code)) {
      const Part* part = planned(import);
      if (part != nullptr && part->change != nullptr && part->changes()) return busy(name);
    }
  }
  return {};
}

void SandboxCore::keep_tree_as_it_is(const Part& part) {
  if (tree_spec_ != nullptr || part.to->from_modules.empty()) return;
  tree_spec_ = std::make_unique<SupervisorSpec>(tree_spec());
}

}  // namespace petri
