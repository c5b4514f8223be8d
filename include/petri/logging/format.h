// Errors, outcomes, values and hashes for fmt: fmt::format("{}", error), spdlog::error("{}", error). A program that
// includes this links fmt::fmt (or spdlog::spdlog, which has it) itself; std::ostream needs no header of its own.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

#include "petri/outcome.h"
#include "petri/result.h"
#include "petri/value.h"

namespace petri::detail {
inline std::string format_text(const Sha256& hash) { return hash.hex(); }
inline std::string format_text(const auto& value) { return to_text(value); }
// The types that are formatted as the string that is their text.
template <typename T>
concept FormattedAsText = std::same_as<T, Error> || std::same_as<T, Outcome> || std::same_as<T, Value> ||
                          std::same_as<T, Signature> || std::same_as<T, Sha256>;
}  // namespace petri::detail

namespace fmt {
// The width and alignment of a string work: "{:>20}".
template <petri::detail::FormattedAsText T>
struct formatter<T> : formatter<std::string_view> {
  auto format(const T& value, format_context& context) const {
    return formatter<std::string_view>::format(petri::detail::format_text(value), context);
  }
};
}  // namespace fmt
