#include "cli/number_arguments.h"

#include <utility>

namespace petri::cli {
namespace {

constexpr std::string_view kOption = "--args";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool looks_like_a_number(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  if (word == "inf" || word == "nan" || word.starts_with("nan:")) return true;
  if (word.starts_with('.')) word.remove_prefix(1);
  return !word.empty() && is_digit(word.front());
}

std::vector<std::string> bind_number_arguments(std::vector<std::string> words) {
  std::vector<std::string> bound;
  bound.reserve(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool starts_list = words[i] == kOption && i + 1 < words.size() && looks_like_a_number(words[i + 1]);
    if (!starts_list) {
      bound.push_back(std::move(words[i]));
      continue;
    }
    for (; i + 1 < words.size() && looks_like_a_number(words[i + 1]); ++i) {
      bound.push_back(std::string(kOption) + "=" + words[i + 1]);
    }
  }
  return bound;
}

}  // namespace petri::cli
