#include "base/json/bounded_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json_builder.h"
#include "base/json/json_text.h"

namespace petri {
namespace {

// Where the parser stopped reading, as an editor counts.
std::string place_in(std::string_view text, std::size_t bytes) {
  const std::string_view read = text.substr(0, std::min(bytes, text.size()));
  const auto line = std::count(read.begin(), read.end(), '\n') + 1;
  const std::size_t line_start = read.rfind('\n') == std::string_view::npos ? 0 : read.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(read.size() - line_start, 1));
}

}  // namespace

ErrorCode JsonFault::code() const {
  if (kind == JsonFaultKind::stopped) return ErrorCode::cancelled;
  const bool is_bound = kind >= JsonFaultKind::too_long;
  return is_bound ? ErrorCode::too_large : ErrorCode::parse_failed;
}

Error JsonFault::error(std::string_view what) const {
  return {.code = code(), .message = fmt::format("{} {}", what, why), .details = {}};
}

JsonResult parse_json(std::string_view text, const JsonBounds& bounds, const std::function<bool()>& may_continue) {
  JsonBuilder builder(bounds);
  if (text.size() > bounds.bytes_max) {
    builder.refuse(JsonFaultKind::too_long,
                   fmt::format("has {} bytes, more than the {} allowed", text.size(), bounds.bytes_max));
    return builder.take();
  }
  JsonText reader(text, may_continue, builder);
  if (reader.read()) return builder.take();
  auto result = builder.take();
  JsonFault& fault = result.error();
  fault.byte = reader.byte();
  if (fault.kind == JsonFaultKind::syntax) fault.why += fmt::format(" from {} on", place_in(text, fault.byte));
  return result;
}

}  // namespace petri
