#include "cli/commands/section_outline.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "engine/module/wasm_sections.h"

namespace petri::cli {
namespace {

constexpr std::size_t kSectionsMax = 1'000;
constexpr std::array<std::string_view, 14> kNames{"custom", "type",   "import",     "function", "table",
                                                  "memory", "global", "export",     "start",    "element",
                                                  "code",   "data",   "data_count", "tag"};

std::string custom_name(std::span<const std::uint8_t> contents) {
  const auto size = take_number(contents);
  if (!size || *size > contents.size()) return "";
  return {reinterpret_cast<const char*>(contents.data()), *size};
}

std::string name_of(const WasmSection& section) {
  if (section.id == static_cast<std::uint8_t>(SectionKind::custom)) return custom_name(section.contents);
  return section.id < kNames.size() ? std::string(kNames[section.id]) : fmt::format("unknown ({})", section.id);
}

}  // namespace

std::vector<Section> section_outline(std::span<const std::uint8_t> wasm) {
  std::vector<Section> sections;
  SectionReader reader(wasm);
  while (sections.size() < kSectionsMax) {
    const auto section = reader.next();
    if (!section) break;
    sections.push_back({.name = name_of(*section),
                        .custom = section->id == static_cast<std::uint8_t>(SectionKind::custom),
                        .offset = section->offset,
                        .bytes = section->bytes,
                        .complete = section->contents.size() == section->bytes});
    if (!sections.back().complete) break;
  }
  return sections;
}

}  // namespace petri::cli
