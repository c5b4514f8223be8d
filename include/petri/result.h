// Failure is in the type: a Result holds a value or an Error, which says why the guest was not entered or what failed
// in petri itself.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace petri {

// A closed list: the enumerator's name is its spelling in JSON, on the command line and in Python.
enum class ErrorCode {
  not_found,
  already_exists,
  validation_failed,
  parse_failed,
  compilation_failed,
  rejected,
  link_error,
  module_too_large,
  too_large,
  busy,
  timeout,
  circular_dependency,
  version_not_found,
  state_incompatible,
  migration_failed,
  limit_exceeded,
  permission_denied,
  queue_full,
  deadlock,
  cancelled,
  not_now,
  io_error,
  engine_fault,
  host_fault,
  start_failed,
};

enum class ErrorCategory { compilation, runtime, resource, security, system, usage };

std::string_view name_of(ErrorCode code);
std::string_view name_of(ErrorCategory category);
std::optional<ErrorCategory> error_category_named(std::string_view name);
ErrorCategory category_of(ErrorCode code);
// All codes in the order of the list above, for tables and checks.
const std::vector<ErrorCode>& all_error_codes();

struct ErrorDetail {
  std::string key;
  std::string value;
  bool operator==(const ErrorDetail&) const = default;
};

// `message` is one sentence for a person: what is wrong, with which thing, and what to do about it.
// `details` repeat its parts for programs: "operation", "component", "line", "column", "offset", ...
struct Error {
  ErrorCode code = ErrorCode::host_fault;
  std::string message;
  std::vector<ErrorDetail> details;

  ErrorCategory category() const { return category_of(code); }
  // The value of the first detail of this key, or an empty text.
  std::string_view detail(std::string_view key) const;
  Error with(std::string key, std::string value) &&;
  bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{.code = code, .message = std::move(message), .details = {}});
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace petri

// PETRI_TRY(auto value, expression): declares value, or returns the expression's error to the caller.
// PETRI_TRY(expression): the same for a Result<void>.
#define PETRI_TRY(...) PETRI_TRY_PICK(__VA_ARGS__, PETRI_TRY_2, PETRI_TRY_1)(__VA_ARGS__)
#define PETRI_TRY_PICK(a, b, name, ...) name
#define PETRI_TRY_1(expression) \
  if (auto petri_result = (expression); !petri_result) return ::petri::fail(std::move(petri_result.error()))
#define PETRI_TRY_2(declaration, expression) PETRI_TRY_3(declaration, expression, __LINE__)
#define PETRI_TRY_3(declaration, expression, line) PETRI_TRY_4(declaration, expression, line)
#define PETRI_TRY_4(declaration, expression, line)                                        \
  auto petri_result_##line = (expression);                                                \
  if (!petri_result_##line) return ::petri::fail(std::move(petri_result_##line.error())); \
  declaration = std::move(*petri_result_##line)
