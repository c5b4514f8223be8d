#include "base/text/terminal_text.h"

#include <algorithm>
#include <utility>

#include "base/text/escape.h"
#include "base/text/utf8.h"

namespace petri {
namespace {

bool is_shown_as_it_is(char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; }

// More bytes may come that make a character of it.
bool is_cut(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; };
  return text.size() < utf8_length(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text.substr(1), continues);
}

}  // namespace

std::string TerminalText::next(std::string_view bytes) {
  if (kept_.empty() && std::ranges::all_of(bytes, is_shown_as_it_is)) return std::string(bytes);
  const std::string joined = std::exchange(kept_, {}).append(bytes);
  std::string shown;
  shown.reserve(joined.size());
  for (std::string_view rest = joined; !rest.empty();) {
    if (is_cut(rest)) {
      kept_ = rest;
      break;
    }
    const Utf8Step step = decode_utf8(rest);
    const std::string_view piece = rest.substr(0, step.bytes);
    shown += is_shown_as_it_is(piece.front()) ? std::string(piece) : escape_character(piece, step);
    rest.remove_prefix(step.bytes);
  }
  return shown;
}

std::string TerminalText::finish() {
  const std::string left = std::exchange(kept_, {});
  return escape_text(left);
}

std::string for_terminal(std::string_view text) {
  TerminalText terminal;
  std::string shown = terminal.next(text);
  return shown += terminal.finish();
}

}  // namespace petri
