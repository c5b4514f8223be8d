#include "supervisor/tree_path.h"

#include <fmt/format.h>

namespace petri {

std::string field_path(const std::string& parent, std::string_view field) {
  return parent.empty() ? std::string(field) : fmt::format("{}.{}", parent, field);
}

std::string child_path(const std::string& parent, std::size_t index) {
  return field_path(parent, fmt::format("children[{}]", index));
}

Result<void> tree_result(const Complaints& complaints) {
  if (complaints.empty()) return {};
  Error error{.code = ErrorCode::validation_failed,
              .message = "the tree cannot be used: " + complaints.message(),
              .details = {}};
  for (const auto& complaint : complaints.kept()) error.details.push_back({"field", complaint.where});
  return fail(std::move(error));
}

}  // namespace petri
