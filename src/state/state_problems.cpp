#include "state/state_problems.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "petri/state.h"

namespace petri {
namespace {

std::string types_text(const StateStep& step) {
  if (!step.to) return fmt::format("{}, gone", type_text(*step.from));
  return fmt::format("{} to {}", type_text(*step.from), type_text(*step.to));
}

}  // namespace

std::string shown_name(std::string_view name) { return fmt::format("\"{}\"", escape_text(name, kWordShownBytesMax)); }

void StateProblems::add(std::string_view field, std::string what, std::vector<ErrorDetail> details) {
  if (++count_ > kStateProblemsMax) return;
  if (!field.empty())
    details.insert(details.begin(), {.key = "field", .value = escape_text(field, kWordShownBytesMax)});
  kept_.push_back({.what = std::move(what), .details = std::move(details)});
}

void StateProblems::add(const StateStep& refused) {
  std::vector<ErrorDetail> details{{.key = "old_type", .value = type_text(*refused.from)},
                                   {.key = "new_type", .value = refused.to ? type_text(*refused.to) : ""},
                                   {.key = "reason", .value = refused.reason}};
  const std::string& name = refused.from->name;
  add(name, fmt::format("{} ({}): {}", shown_name(name), types_text(refused), refused.reason), std::move(details));
}

Result<void> StateProblems::result(ErrorCode code, std::string_view opening) const {
  if (empty()) return {};
  Error error{.code = code, .message = fmt::format("{}: ", opening), .details = {}};
  for (const auto& [what, details] : kept_) {
    error.message.append(&what == &kept_.front().what ? "" : "; ").append(what);
    error.details.insert(error.details.end(), details.begin(), details.end());
  }
  if (count_ > kept_.size()) error.message += fmt::format("; and {} more", count_ - kept_.size());
  error.message += '.';
  return fail(std::move(error));
}

}  // namespace petri
