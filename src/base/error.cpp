#include "petri/result.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "base/name_table.h"

namespace petri {
namespace {

struct CodeRow {
  ErrorCode code;
  std::string_view name;
  ErrorCategory category;
};

// A refused import is a matter of security even when it is only misspelt: the gate cannot tell the two apart.
constexpr std::array<CodeRow, 25> kCodes{{
    {ErrorCode::not_found, "not_found", ErrorCategory::usage},
    {ErrorCode::already_exists, "already_exists", ErrorCategory::usage},
    {ErrorCode::validation_failed, "validation_failed", ErrorCategory::usage},
    {ErrorCode::parse_failed, "parse_failed", ErrorCategory::compilation},
    {ErrorCode::compilation_failed, "compilation_failed", ErrorCategory::compilation},
    {ErrorCode::rejected, "rejected", ErrorCategory::security},
    {ErrorCode::link_error, "link_error", ErrorCategory::security},
    {ErrorCode::module_too_large, "module_too_large", ErrorCategory::resource},
    {ErrorCode::too_large, "too_large", ErrorCategory::resource},
    {ErrorCode::busy, "busy", ErrorCategory::resource},
    {ErrorCode::timeout, "timeout", ErrorCategory::resource},
    {ErrorCode::circular_dependency, "circular_dependency", ErrorCategory::compilation},
    {ErrorCode::version_not_found, "version_not_found", ErrorCategory::usage},
    {ErrorCode::state_incompatible, "state_incompatible", ErrorCategory::runtime},
    {ErrorCode::migration_failed, "migration_failed", ErrorCategory::runtime},
    {ErrorCode::limit_exceeded, "limit_exceeded", ErrorCategory::resource},
    {ErrorCode::permission_denied, "permission_denied", ErrorCategory::security},
    {ErrorCode::queue_full, "queue_full", ErrorCategory::resource},
    {ErrorCode::deadlock, "deadlock", ErrorCategory::runtime},
    {ErrorCode::cancelled, "cancelled", ErrorCategory::runtime},
    {ErrorCode::not_now, "not_now", ErrorCategory::runtime},
    {ErrorCode::io_error, "io_error", ErrorCategory::system},
    {ErrorCode::engine_fault, "engine_fault", ErrorCategory::system},
    {ErrorCode::host_fault, "host_fault", ErrorCategory::system},
    {ErrorCode::start_failed, "start_failed", ErrorCategory::runtime},
}};

constexpr NameTable<6> kCategories{"compilation", "runtime", "resource", "security", "system", "usage"};

constexpr bool rows_stand_at_their_codes() {
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    if (static_cast<std::size_t>(kCodes[i].code) != i) return false;
  }
  return static_cast<std::size_t>(ErrorCode::start_failed) + 1 == kCodes.size();
}
static_assert(rows_stand_at_their_codes());

const CodeRow& row_of(ErrorCode code) {
  const auto index = static_cast<std::size_t>(code);
  PETRI_ASSERT(index < kCodes.size());
  return kCodes[index];
}

std::vector<ErrorCode> list_codes() {
  std::vector<ErrorCode> codes;
  for (const CodeRow& row : kCodes) codes.push_back(row.code);
  return codes;
}

}  // namespace

std::string_view name_of(ErrorCode code) { return row_of(code).name; }

std::string_view name_of(ErrorCategory category) { return name_in(kCategories, category); }
std::optional<ErrorCategory> error_category_named(std::string_view name) {
  return find_name<ErrorCategory>(kCategories, name);
}

ErrorCategory category_of(ErrorCode code) { return row_of(code).category; }

const std::vector<ErrorCode>& all_error_codes() {
  static const std::vector<ErrorCode> codes = list_codes();
  return codes;
}

std::string_view Error::detail(std::string_view key) const {
  const auto found = std::find_if(details.begin(), details.end(), [&](const ErrorDetail& d) { return d.key == key; });
  return found == details.end() ? std::string_view() : std::string_view(found->value);
}

std::string to_text(const Error& error) { return std::string(name_of(error.code)) + ": " + error.message; }
std::ostream& operator<<(std::ostream& out, const Error& error) { return out << to_text(error); }

Error Error::with(std::string key, std::string value) && {
  details.push_back({std::move(key), std::move(value)});
  return std::move(*this);
}

}  // namespace petri
