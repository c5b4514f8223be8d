#include "cli/guest_output.h"

#include <fmt/format.h>

#include "base/escape.h"

namespace petri::cli {
namespace {

bool is_harmless(unsigned char byte) { return byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7f); }

// U+0080 to U+009F, which some terminals obey like escape sequences: C2 80 to C2 9F in UTF-8.
bool starts_wide_control(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\xc2' && static_cast<unsigned char>(bytes[1]) >= 0x80 &&
         static_cast<unsigned char>(bytes[1]) < 0xa0;
}

}  // namespace

std::string for_terminal(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (is_harmless(byte) && !starts_wide_control(bytes.substr(i))) {
      text += bytes[i];
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  return text;
}

void write_guest_bytes(OutputStream& stream, std::string_view bytes, const std::function<bool()>& give_up) {
  stream.write(stream.is_terminal() ? for_terminal(bytes) : bytes, give_up);
}

std::string log_line(LogLevel level, std::string_view text) {
  return fmt::format("log {}: {}\n", name_of(level), escape_text(text));
}

}  // namespace petri::cli
