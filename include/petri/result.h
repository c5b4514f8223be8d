// Failure is in the type: a Result holds a value or an Error.
#pragma once

#include <expected>
#include <utility>

#include "petri/error.h"

namespace petri {

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
