#include "engine/module/wasm_sections.h"

#include <algorithm>

namespace petri {
namespace {

constexpr std::size_t kHeaderBytes = 8;

}  // namespace

std::optional<std::uint32_t> take_number(std::span<const std::uint8_t>& bytes) {
  constexpr std::size_t kBytesMax = 5;
  std::uint64_t value = 0;
  for (std::size_t index = 0; index < std::min(bytes.size(), kBytesMax); ++index) {
    value |= std::uint64_t{bytes[index] & 0x7fU} << (7 * index);
    if ((bytes[index] & 0x80U) != 0) continue;
    bytes = bytes.subspan(index + 1);
    return static_cast<std::uint32_t>(value);
  }
  return std::nullopt;
}

SectionReader::SectionReader(std::span<const std::uint8_t> wasm)
    : wasm_(wasm), position_(std::min(kHeaderBytes, wasm.size())) {}

std::optional<WasmSection> SectionReader::next() {
  if (position_ >= wasm_.size()) return std::nullopt;
  auto rest = wasm_.subspan(position_ + 1);
  const auto size = take_number(rest);
  if (!size) return std::nullopt;
  const WasmSection section{.id = wasm_[position_],
                            .offset = wasm_.size() - rest.size(),
                            .bytes = *size,
                            .contents = rest.first(std::min<std::size_t>(*size, rest.size()))};
  position_ = section.offset + section.contents.size();
  return section;
}

std::span<const std::uint8_t> find_section(std::span<const std::uint8_t> wasm, SectionKind kind) {
  SectionReader reader(wasm);
  while (const auto section = reader.next()) {
    if (section->id == static_cast<std::uint8_t>(kind)) return section->contents;
  }
  return {};
}

}  // namespace petri
