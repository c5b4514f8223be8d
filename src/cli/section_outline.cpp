#include "cli/section_outline.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

namespace petri::cli {
namespace {

constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kSectionsMax = 1'000;
constexpr std::uint8_t kCustom = 0;
constexpr std::array<std::string_view, 14> kNames{"custom", "type",   "import",     "function", "table",
                                                  "memory", "global", "export",     "start",    "element",
                                                  "code",   "data",   "data_count", "tag"};

// Reads on from `position` and moves it; nothing once the bytes are used up.
struct Reader {
  std::span<const std::uint8_t> bytes;
  std::size_t position = 0;

  std::optional<std::uint8_t> byte() {
    if (position >= bytes.size()) return std::nullopt;
    return bytes[position++];
  }
  // An unsigned LEB128 number of at most 32 bits.
  std::optional<std::uint32_t> number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto next = byte();
      if (!next) return std::nullopt;
      value |= std::uint64_t{*next & 0x7fU} << shift;
      if ((*next & 0x80U) == 0) return static_cast<std::uint32_t>(value);
    }
    return std::nullopt;
  }
};

std::string custom_name(std::span<const std::uint8_t> contents) {
  Reader reader{contents};
  const auto size = reader.number();
  if (!size || *size > contents.size() - reader.position) return "";
  return {reinterpret_cast<const char*>(contents.data()) + reader.position, *size};
}

std::optional<Section> read_section(Reader& reader) {
  const auto id = reader.byte();
  if (!id) return std::nullopt;
  const auto size = reader.number();
  if (!size) return std::nullopt;
  const std::size_t left = reader.bytes.size() - reader.position;
  Section section{.name = *id < kNames.size() ? std::string(kNames[*id]) : fmt::format("unknown ({})", *id),
                  .custom = *id == kCustom,
                  .offset = reader.position,
                  .bytes = *size,
                  .complete = *size <= left};
  const std::size_t present = section.complete ? *size : left;
  if (section.custom) section.name = custom_name(reader.bytes.subspan(reader.position, present));
  reader.position += present;
  return section;
}

}  // namespace

std::vector<Section> section_outline(std::span<const std::uint8_t> wasm) {
  std::vector<Section> sections;
  if (wasm.size() < kHeaderBytes) return sections;
  Reader reader{wasm, kHeaderBytes};
  while (sections.size() < kSectionsMax) {
    auto section = read_section(reader);
    if (!section) break;
    sections.push_back(std::move(*section));
    if (!sections.back().complete) break;
  }
  return sections;
}

}  // namespace petri::cli
