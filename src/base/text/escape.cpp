#include "base/text/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace petri {
namespace {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

// Characters that show nothing or rearrange what stands around them: all that Unicode calls
// Default_Ignorable_Code_Point, and some more.
constexpr std::array<CodePointRange, 19> kInvisible{{
    {0xad, 0xad},         // soft hyphen
    {0x34f, 0x34f},       // combining grapheme joiner
    {0x61c, 0x61c},       // Arabic letter mark
    {0x115f, 0x1160},     // Hangul fillers
    {0x17b4, 0x17b5},     // Khmer inherent vowels
    {0x180b, 0x180f},     // Mongolian variation selectors and vowel separator
    {0x200b, 0x200f},     // zero width, left-to-right and right-to-left marks
    {0x2028, 0x202e},     // line and paragraph separators, embeddings, overrides
    {0x2060, 0x206f},     // word joiner, isolates, deprecated format characters
    {0x2800, 0x2800},     // Braille without a dot
    {0x3164, 0x3164},     // Hangul filler
    {0xfe00, 0xfe0f},     // variation selectors, that of emoji too
    {0xfeff, 0xfeff},     // byte order mark
    {0xffa0, 0xffa0},     // half-width Hangul filler
    {0xfff0, 0xfffb},     // interlinear annotation
    {0x1bca0, 0x1bca3},   // shorthand format controls
    {0x1d173, 0x1d17a},   // beams, ties, slurs and phrases of music
    {0xe0000, 0xe0fff},   // tags, variation selectors
    {0xf0000, 0x10ffff},  // private use
}};

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

bool is_invisible(char32_t c) {
  return std::any_of(kInvisible.begin(), kInvisible.end(),
                     [c](CodePointRange r) { return c >= r.first && c <= r.last; });
}

std::string json_unit(std::uint32_t unit) { return fmt::format("\\u{:04x}", unit); }

std::string json_piece(std::string_view piece, Utf8Step step) {
  if (!step.valid) return json_unit(0xfffd);
  const char32_t c = step.code_point;
  if (c == '"') return "\\\"";
  if (c == '\\') return "\\\\";
  if (c == '\n') return "\\n";
  if (c == '<' || is_control(c) || (is_invisible(c) && c <= 0xffff)) return json_unit(c);
  if (is_invisible(c)) return json_unit(0xd7c0 + (c >> 10)) + json_unit(0xdc00 + (c & 0x3ff));
  return std::string(piece);
}

// Bytes that most text is made of, and that stand as they are.
bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '\\'; }
bool is_plain_in_json(char c) { return is_plain(c) && c != '"' && c != '<'; }

constexpr std::string_view kCut = "…";

}  // namespace

std::string escape_character(std::string_view piece, const Utf8Step& step) {
  if (!step.valid) return fmt::format("\\x{:02x}", static_cast<unsigned char>(piece.front()));
  switch (step.code_point) {
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    case '\\': return "\\\\";
    default: break;
  }
  const auto number = static_cast<std::uint32_t>(step.code_point);
  if (is_control(step.code_point)) return fmt::format("\\x{:02x}", number);
  if (is_invisible(step.code_point)) return fmt::format("\\u{{{:x}}}", number);
  return std::string(piece);
}

std::string escape_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string shown;
  std::size_t kept = 0;  // the part of `shown` that leaves room for the mark of a cut
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    shown += escape_character(text.substr(0, step.bytes), step);
    if (shown.size() > bytes_max) return shown.substr(0, kept).append(kCut);
    if (bytes_max - shown.size() >= kCut.size()) kept = shown.size();
    text.remove_prefix(step.bytes);
  }
  return shown;
}

std::string in_quotes(std::string_view text, std::size_t bytes_max) {
  return std::string(1, '"').append(escape_text(text, bytes_max)) += '"';
}

std::string json_string(std::string_view text) {
  std::string json;
  json.reserve(text.size() + 2);
  json += '"';
  for (;;) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain_in_json) - text.begin());
    json += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Step step = decode_utf8(text);
    json += json_piece(text.substr(0, step.bytes), step);
    text.remove_prefix(step.bytes);
  }
  return json += '"';
}

}  // namespace petri
