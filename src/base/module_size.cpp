#include "base/module_size.h"

#include <fmt/format.h>

namespace petri {

Error module_too_large(std::string_view what, std::uint64_t bytes, std::uint64_t bytes_max) {
  return Error{.code = ErrorCode::module_too_large,
               .message = fmt::format("the {} has {} bytes and module_bytes_max allows {}", what, bytes, bytes_max),
               .details = {}}
      .with("limit", "module_bytes_max")
      .with("bytes", std::to_string(bytes));
}

Result<void> check_module_size(std::uint64_t bytes, std::uint64_t bytes_max, std::string_view what) {
  if (bytes <= bytes_max) return {};
  return fail(module_too_large(what, bytes, bytes_max));
}

}  // namespace petri
