// Blocks of bytes that hold a text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace petri {

// The text in a block: up to the first zero byte, or all of it.
std::string_view text_in(std::span<const std::uint8_t> block);
// False unless the text is UTF-8 and nothing but zeros follows it.
bool is_text_block(std::span<const std::uint8_t> block);
// Puts zeros behind the text, so that equal texts are equal blocks.
void clear_behind_text(std::span<std::uint8_t> block);

}  // namespace petri
