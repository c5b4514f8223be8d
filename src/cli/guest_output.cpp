#include "cli/guest_output.h"

#include <fmt/format.h>

#include "base/text/escape.h"

namespace petri::cli {

std::string log_line(LogLevel level, std::string_view text) {
  return fmt::format("log {}: {}\n", name_of(level), escape_text(text));
}

}  // namespace petri::cli
