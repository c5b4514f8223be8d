#include "state/state_block.h"

#include <algorithm>

#include "base/text/utf8.h"

namespace petri {

std::string_view text_in(std::span<const std::uint8_t> block) {
  const std::string_view all(reinterpret_cast<const char*>(block.data()), block.size());
  return all.substr(0, all.find('\0'));
}

bool is_text_block(std::span<const std::uint8_t> block) {
  const std::string_view text = text_in(block);
  const auto behind = block.subspan(text.size());
  return is_utf8(text) && std::ranges::all_of(behind, [](std::uint8_t byte) { return byte == 0; });
}

void clear_behind_text(std::span<std::uint8_t> block) {
  std::ranges::fill(block.subspan(text_in(block).size()), std::uint8_t{0});
}

}  // namespace petri
