#include "state/state_problems.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "petri/state.h"

namespace petri {
namespace {

constexpr std::size_t kShownBytesMax = 80;

}  // namespace

std::string shown_name(std::string_view name) { return fmt::format("\"{}\"", escape_text(name, kShownBytesMax)); }

void StateProblems::add(std::string_view field, std::string what, std::vector<ErrorDetail> details) {
  if (++count_ > kStateProblemsMax) return;
  if (!field.empty()) details.insert(details.begin(), {.key = "field", .value = escape_text(field, kShownBytesMax)});
  kept_.push_back({.what = std::move(what), .details = std::move(details)});
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
