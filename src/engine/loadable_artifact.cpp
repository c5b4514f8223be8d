#include "engine/loadable_artifact.h"

#include <algorithm>

#include "base/name_table.h"
#include "base/text/utf8.h"
#include "engine/module/module_words.h"

namespace petri {
namespace {

constexpr NameTable<4> kExternKinds{"function", "table", "memory", "global"};
static_assert(static_cast<std::size_t>(ExternKind::global) + 1 == kExternKinds.size());

constexpr NameTable<2> kModuleBounds{"candidate", "program"};
static_assert(static_cast<std::size_t>(ModuleBounds::program) + 1 == kModuleBounds.size());

ImportInfo to_info(const ImportView& view) {
  return {.module = std::string(view.module),
          .name = std::string(view.name),
          .kind = view.kind,
          .signature = to_signature(view.signature)};
}

ExportInfo to_info(const ExportView& view) {
  ExportInfo info{.name = std::string(view.name),
                  .kind = view.kind,
                  .index = view.index,
                  .signature = to_signature(view.signature)};
  if (view.kind == ExternKind::global) {
    info.global_type = view.global_type;
    info.global_mutable = view.global_mutable;
  }
  return info;
}

ModuleInfo to_info(const ArtifactId& id, const ModuleFacts& facts) {
  ModuleInfo info{.id = id,
                  .bytes = facts.bytes,
                  .code_bytes = facts.code_bytes,
                  .metered_bytes = facts.metered_bytes,
                  .types = facts.types,
                  .functions = facts.functions,
                  .tables = facts.tables,
                  .memories = facts.memories,
                  .globals = facts.globals,
                  .element_segments = facts.element_segments,
                  .data_segments = facts.data_segments,
                  .has_start = facts.has_start,
                  .features = feature_names(facts.features),
                  .not_movable_because = movability_reasons(facts.not_movable),
                  .memory_pages_min = facts.memory_pages_min,
                  .table_slots_min = facts.table_slots_min,
                  .stack_bytes_fixed = facts.stack_bytes_fixed,
                  .stack_bytes_per_depth = facts.stack_bytes_per_depth};
  if (facts.memory_pages_max != ModuleFacts::kNotDeclared) info.memory_pages_max = facts.memory_pages_max;
  return info;
}

}  // namespace

std::string_view name_of(ExternKind kind) { return name_in(kExternKinds, kind); }

std::string_view name_of(ModuleBounds bounds) { return name_in(kModuleBounds, bounds); }
std::optional<ModuleBounds> module_bounds_named(std::string_view name) {
  return find_name<ModuleBounds>(kModuleBounds, name);
}

bool matches(const SignatureView& view, const Signature& signature) {
  return std::ranges::equal(view.params, signature.params) && std::ranges::equal(view.results, signature.results);
}

Signature to_signature(const SignatureView& view) {
  return {.params = {view.params.begin(), view.params.end()}, .results = {view.results.begin(), view.results.end()}};
}

const ExportInfo* Artifact::find_export(std::string_view name) const {
  const auto& all = exports();
  const auto found = std::ranges::find(all, name, &ExportInfo::name);
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> LoadableArtifact::export_number(std::string_view name) const {
  for (std::uint32_t index = 0; index < facts_.exports; ++index) {
    if (export_at(index).name == name) return index;
  }
  return std::nullopt;
}

std::string LoadableArtifact::function_name(std::uint32_t function) const {
  const std::string_view name = name_section_entry(function);
  if (!name.empty() && is_utf8(name)) return std::string(name);
  for (std::uint32_t index = 0; index < facts_.exports; ++index) {
    const ExportView view = export_at(index);
    if (view.kind == ExternKind::function && view.index == function) return std::string(view.name);
  }
  return {};
}

const LoadableArtifact::Description& LoadableArtifact::description() const {
  std::call_once(described_, [this] { description_ = std::make_unique<const Description>(describe()); });
  return *description_;
}

LoadableArtifact::Description LoadableArtifact::describe() const {
  Description description{.info = to_info(id(), facts_), .imports = {}, .exports = {}};
  description.imports.reserve(facts_.imports);
  for (std::uint32_t index = 0; index < facts_.imports; ++index)
    description.imports.push_back(to_info(import_at(index)));
  description.exports.reserve(facts_.exports);
  for (std::uint32_t index = 0; index < facts_.exports; ++index)
    description.exports.push_back(to_info(export_at(index)));
  return description;
}

const LoadableArtifact& loadable(const Artifact& artifact) { return static_cast<const LoadableArtifact&>(artifact); }

}  // namespace petri
