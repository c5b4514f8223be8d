#include "engine/module/module_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "engine/module/module_words.h"
#include "engine/module/wasm_sections.h"

namespace petri {
namespace {

// A part of the module that has to be the same in both, byte for byte.
struct Part {
  SectionKind section;
  std::string_view difference;
};

constexpr Part kParts[] = {
    {SectionKind::table, "their declarations of tables differ"},
    {SectionKind::global, "their globals differ in number, type, mutability or initial value"},
    {SectionKind::data, "their data segments differ"},
};

std::unexpected<Error> differ(std::string_view how) {
  return fail(ErrorCode::state_incompatible,
              fmt::format("memory cannot be carried as it is from one version to the other: {}", how));
}

Result<void> check_movable(const LoadableArtifact& artifact, std::string_view which) {
  const auto reasons = movability_reasons(artifact.facts().not_movable);
  if (reasons.empty()) return {};
  return differ(fmt::format("the {} is not movable, because {}", which, fmt::join(reasons, " and ")));
}

// By what they say, since a size can be written in several ways.
bool same_memory(const ModuleFacts& from, const ModuleFacts& to) {
  return from.memories == to.memories && from.memory_pages_min == to.memory_pages_min &&
         from.memory_pages_max == to.memory_pages_max;
}

}  // namespace

Result<void> check_same_layout(const LoadableArtifact& from, const LoadableArtifact& to) {
  PETRI_TRY(check_movable(from, "old one"));
  PETRI_TRY(check_movable(to, "new one"));
  if (!same_memory(from.facts(), to.facts())) return differ("their declarations of memory differ");
  for (const Part& part : kParts) {
    if (!std::ranges::equal(find_section(from.bytes(), part.section), find_section(to.bytes(), part.section))) {
      return differ(part.difference);
    }
  }
  return {};
}

}  // namespace petri
