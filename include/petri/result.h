// Failure is in the type: a Result holds a value or an Error, which says why the guest was not entered or what failed
// in petri itself.
#pragma once

#include <concepts>
#include <expected>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace petri {

namespace detail {
// True if a Result<T> takes a U as its value: a U that is itself a result or an error is not one.
template <typename T>
constexpr bool kIsExpected = false;
template <typename T, typename E>
constexpr bool kIsExpected<std::expected<T, E>> = true;
template <typename E>
constexpr bool kIsExpected<std::unexpected<E>> = true;
template <typename T>
concept IsResult = kIsExpected<T> || requires { typename T::Expected; } && std::derived_from<T, typename T::Expected>;
template <typename T, typename U>
concept ResultValue = std::is_constructible_v<T, U> && !IsResult<std::remove_cvref_t<U>> &&
                      !std::same_as<std::remove_cvref_t<U>, std::in_place_t>;
}  // namespace detail

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

// The kinds of failure; each code is in one of them.
enum class ErrorCategory { compilation, runtime, resource, security, system, usage };

std::string_view name_of(ErrorCode code);
std::string_view name_of(ErrorCategory category);
std::optional<ErrorCategory> error_category_named(std::string_view name);
// The category of a code.
ErrorCategory category_of(ErrorCode code);
// All codes in the order of the list above, for tables and checks.
const std::vector<ErrorCode>& all_error_codes();

// One part of a message, for programs.
struct ErrorDetail {
  std::string key;
  std::string value;
  bool operator==(const ErrorDetail&) const = default;
};

// `message` is one sentence for a person: what is wrong, with which thing, and what to do about it.
// `details` repeat its parts for programs: "operation", "component", "line", "column", "offset", ...
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::host_fault;
  std::string message;
  std::vector<ErrorDetail> details;

  ErrorCategory category() const { return category_of(code); }
  // The value of the first detail of this key, or an empty string.
  std::string_view detail(std::string_view key) const;
  Error with(std::string key, std::string value) &&;
  bool operator==(const Error&) const = default;
  // Prints to_text().
  friend std::ostream& operator<<(std::ostream& out, const Error& error);
};
// "validation_failed: processes_max is 0 but goes from 1 to 1,000,000 processes"
std::string to_text(const Error& error);

// A std::expected that may not be dropped: std::expected itself is not [[nodiscard]] everywhere. It converts from and
// to std::expected<T, Error>, which and_then() and transform() return.
template <typename T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  // The class that it derives from.
  using Expected = std::expected<T, Error>;

  // A Result of a value; implicit where the value converts implicitly.
  Result() = default;
  template <typename U = T>
    requires detail::ResultValue<T, U>
  constexpr explicit(!std::is_convertible_v<U, T>) Result(U&& value)
      : Expected(std::in_place, std::forward<U>(value)) {}
  template <typename... Arguments>
    requires std::is_constructible_v<T, Arguments...>
  constexpr explicit Result(std::in_place_t, Arguments&&... arguments)
      : Expected(std::in_place, std::forward<Arguments>(arguments)...) {}
  constexpr Result(std::unexpected<Error> error) : Expected(std::move(error)) {}
  constexpr Result(Expected result) : Expected(std::move(result)) {}
  // From a Result of something that converts to T.
  template <typename U>
    requires(!std::same_as<U, T> && std::is_convertible_v<U, T>)
  constexpr Result(Result<U> result) : Expected(std::move(static_cast<std::expected<U, Error>&>(result))) {}

  friend constexpr bool operator==(const Result& one, const Result& other) {
    return static_cast<const Expected&>(one) == static_cast<const Expected&>(other);
  }
  // True if it holds this value.
  template <typename U>
    requires(!detail::IsResult<U>)
  friend constexpr bool operator==(const Result& one, const U& value) {
    return one.has_value() && *one == value;
  }
};

// A Result without a value.
template <>
class [[nodiscard]] Result<void> : public std::expected<void, Error> {
 public:
  // The class that it derives from.
  using Expected = std::expected<void, Error>;

  // Success, unless it is created from an error.
  Result() = default;
  constexpr Result(std::unexpected<Error> error) : Expected(std::move(error)) {}
  constexpr Result(Expected result) : Expected(std::move(result)) {}
};

// The error that a function returns in place of a value: return fail(ErrorCode::busy, "the queue is full; try again").
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{.code = code, .message = std::move(message), .details = {}});
}
[[nodiscard]] inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

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
