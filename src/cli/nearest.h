// Finds the names that a misspelt word may have meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace petri::cli {

// The name that takes the fewest changes of single characters, if those are few for the length of the word; of several
// the first.
std::optional<std::string_view> nearest_name(std::string_view word, const std::vector<std::string_view>& names);

// At most `count` names, the nearest first: those that have the word in them, then those that take the fewest changes.
std::vector<std::string_view> nearest_names(std::string_view word, std::vector<std::string_view> names,
                                            std::size_t count);

// "; did you mean call?" or an empty text.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace petri::cli
