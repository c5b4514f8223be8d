#include "process/instance/module_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/module/module_words.h"
#include "process/history/retrace.h"

namespace petri {

// ---- linked ---------------------------------------------------------------------------------------------------

LinkedModules::LinkedModules(std::vector<ModulePart> parts) : parts_(std::move(parts)) {
  for (const ModulePart& part : parts_) by_name_.emplace(part.name, &part);
}

const ModulePart* LinkedModules::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

// Nothing when one of them has none.
template <typename CodeOf>
CodePtr LinkedModules::link(CodeOf code_of) const {
  LinkedMembers members;
  for (const ModulePart& part : parts_) {
    CodePtr code = code_of(*part.code);
    if (code == nullptr) return nullptr;
    members.push_back({part.name, part.code->artifact, std::move(code), part.targets});
  }
  return std::make_shared<const LinkedCode>(std::move(members));
}

CodePtr LinkedModules::interpreted_or_fixed() const {
  return link([](const ModuleCode& code) { return code.code; });
}

CodePtr LinkedModules::load_compiled(const LoadOptions& options) const {
  return link([&](const ModuleCode& code) { return code.load_compiled(options); });
}

CodePtr LinkedModules::compiled() const {
  MutexLock lock(mutex_);
  if (compiled_ == nullptr) {
    compiled_ = link([](const ModuleCode& code) { return code.hot == nullptr ? nullptr : code.hot->compiled(); });
  }
  return compiled_;
}

// ---- module ---------------------------------------------------------------------------------------------------

namespace {

template <typename Use>
void for_each_hot(const ModuleCode& code, Use use) {
  if (code.linked == nullptr) return use(*code.hot);
  for (const ModulePart& part : code.linked->parts()) {
    if (part.code->hot != nullptr) use(*part.code->hot);
  }
}

std::string reasons(std::string_view name, const ModuleCode& code) {
  const std::uint32_t bits = code.module().facts().not_movable;
  if (bits == 0) return {};
  return fmt::format("{} is not movable ({})", name, fmt::join(movability_reasons(bits), ", "));
}

}  // namespace

void ModuleCode::add_instance(const void* client) const {
  for_each_hot(*this, [&](HotCode& one) { one.add_instance(client); });
}

void ModuleCode::remove_instance() const {
  for_each_hot(*this, [](HotCode& one) { one.remove_instance(); });
}

// Linked modules become hot together, because how much each of them burned is not known.
void ModuleCode::add_burned(std::uint64_t fuel, const void* client) const {
  for_each_hot(*this, [&](HotCode& one) { one.add_burned(fuel, client); });
}

void ModuleCode::promote(const void* client) const {
  for_each_hot(*this, [&](HotCode& one) { one.promote(client); });
}

CodePtr ModuleCode::load_compiled(const LoadOptions& options) const {
  if (linked != nullptr) return linked->load_compiled(options);
  if (code->tier() == Tier::compiled) return code;
  return module().load(Tier::compiled, imports, options).value_or(nullptr);
}

std::string ModuleCode::why_not_movable() const {
  if (linked == nullptr) return reasons("its module", *this);
  for (const ModulePart& part : linked->parts()) {
    if (std::string why = reasons("the module " + part.name, *part.code); !why.empty()) return why;
  }
  return {};
}

bool ModuleCode::movable() const {
  if (linked == nullptr) return module().facts().not_movable == 0;
  return std::ranges::all_of(linked->parts(), [](const ModulePart& part) { return part.code->movable(); });
}

namespace {

void find_hooks(ModuleCode& made) {
  const auto number = [&](std::string_view name) { return made.module().export_number(name); };
  made.init = number("petri_init");
  made.handle = number("petri_handle");
  made.terminate = number("petri_terminate");
  made.save = number("petri_save");
  made.load = number("petri_load");
  made.migrate = number("petri_migrate");
  made.ready = number("petri_ready");
}

}  // namespace

ModuleCodePtr make_module_code(ArtifactPtr artifact, BoundImports imports, CodePtr code, std::shared_ptr<HotCode> hot,
                               std::vector<ModuleImport> from_modules, bool repeatable) {
  auto made = std::make_shared<ModuleCode>();
  made->artifact = std::move(artifact);
  made->imports = std::move(imports);
  made->from_modules = std::move(from_modules);
  made->code = std::move(code);
  made->hot = std::move(hot);
  made->repeatable = repeatable;
  made->retrace = std::make_shared<RetraceCode>();
  find_hooks(*made);
  return made;
}

ModuleCodePtr by_itself(const ModuleCodePtr& code) {
  return code->linked == nullptr ? code : code->linked->parts().back().code;
}

ModuleCodePtr make_linked_code(std::vector<ModulePart> parts) {
  auto made = std::make_shared<ModuleCode>(*parts.back().code);
  made->linked = std::make_shared<const LinkedModules>(std::move(parts));
  made->code = made->linked->interpreted_or_fixed();
  made->repeatable =
      std::ranges::all_of(made->linked->parts(), [](const ModulePart& part) { return part.code->repeatable; });
  made->retrace = std::make_shared<RetraceCode>();
  return made;
}

}  // namespace petri
