#include "supervisor/tree_complaints.h"

#include <fmt/format.h>

#include "petri/tree.h"

namespace petri {

void TreeComplaints::add(std::string where, std::string what) {
  if (++count_ <= kTreeComplaintsMax) kept_.push_back({.where = std::move(where), .what = std::move(what)});
}

Result<void> TreeComplaints::result() const {
  if (empty()) return {};
  Error error{.code = ErrorCode::validation_failed, .message = "The tree cannot be used: ", .details = {}};
  for (const auto& [where, what] : kept_) {
    error.message +=
        fmt::format("{}{}{}", &where == &kept_.front().where ? "" : "; ", where.empty() ? "it" : where, what);
    error = std::move(error).with("field", where);
  }
  if (count_ > kept_.size()) error.message += fmt::format("; and {} more", count_ - kept_.size());
  error.message += '.';
  return fail(std::move(error));
}

std::string field_path(const std::string& parent, std::string_view field) {
  return parent.empty() ? std::string(field) : fmt::format("{}.{}", parent, field);
}

std::string child_path(const std::string& parent, std::size_t index) {
  return field_path(parent, fmt::format("children[{}]", index));
}

}  // namespace petri
