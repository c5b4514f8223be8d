#include "engine/module/wasm_sections.h"

#include <algorithm>

#include "engine/module/byte_reader.h"

namespace petri {
namespace {

constexpr std::size_t kHeaderBytes = 8;

}  // namespace

std::optional<std::uint32_t> take_number(std::span<const std::uint8_t>& bytes) {
  ByteReader reader(bytes);
  const std::uint32_t number = reader.number();
  if (reader.failed()) return std::nullopt;
  bytes = bytes.last(reader.left());
  return number;
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

std::string_view custom_section(std::span<const std::uint8_t> wasm, std::string_view name) {
  SectionReader reader(wasm);
  while (const auto section = reader.next()) {
    if (section->id != static_cast<std::uint8_t>(SectionKind::custom)) continue;
    ByteReader contents(section->contents);
    if (contents.string() != name || contents.failed()) continue;
    return section->contents.size() == section->bytes ? contents.take(contents.left()) : std::string_view();
  }
  return {};
}

}  // namespace petri
