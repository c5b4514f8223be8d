#include "cli/shell/bound_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "cli/nearest.h"
#include "cli/parsing.h"

namespace petri::cli {
namespace {

std::vector<std::string_view> option_names_of(const Verb& verb) {
  std::vector<std::string_view> names;
  for (const VerbOption& option : verb.options) names.push_back(option.name);
  return names;
}

}  // namespace

Result<BoundArguments> BoundArguments::bind(const Verb& verb, const std::vector<std::string>& words) {
  BoundArguments bound(verb);
  bool options_end = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (!options_end && word == kEndOfWords) {
      options_end = true;
    } else if (!options_end && word.starts_with("--")) {
      PETRI_TRY(bound.take_option(words, at));
    } else {
      bound.arguments_.push_back(word);
    }
  }
  PETRI_TRY(bound.check_count());
  return bound;
}

Result<void> BoundArguments::take_option(const std::vector<std::string>& words, std::size_t& at) {
  const std::string& word = words[at];
  const std::size_t equals = word.find('=');
  const std::string name = with_hyphens(word.substr(0, equals));
  const auto option = std::ranges::find(verb_->options, name, &VerbOption::name);
  if (option == verb_->options.end()) {
    return refuse(fmt::format("there is no option {}{}", in_quotes(name), did_you_mean(name, option_names_of(*verb_))));
  }
  auto& values = options_[name];
  if (!values.empty() && !option->repeats) return refuse(fmt::format("the option {} is given more than once", name));
  if (option->value.empty()) {
    if (equals != std::string::npos) return refuse(fmt::format("the option {} takes no value", name));
    values.emplace_back();
    return {};
  }
  if (equals != std::string::npos) {
    values.push_back(word.substr(equals + 1));
    return {};
  }
  if (at + 1 == words.size()) return refuse(fmt::format("the option {} needs a value", name));
  values.push_back(words[++at]);
  return {};
}

Result<void> BoundArguments::check_count() const {
  const auto& wanted = verb_->arguments;
  for (std::size_t place = arguments_.size(); place < wanted.size(); ++place) {
    if (wanted[place].required) return refuse(fmt::format("{} is missing", wanted[place].name));
  }
  const bool no_end = !wanted.empty() && wanted.back().repeats;
  if (!no_end && arguments_.size() > wanted.size())
    return refuse(fmt::format("{} is one word too many", in_quotes(arguments_[wanted.size()])));
  return {};
}

std::unexpected<Error> BoundArguments::refuse(std::string_view what) const {
  return fail(ErrorCode::validation_failed, fmt::format("{}; see help {}", what, verb_->name));
}

const std::string& BoundArguments::at(std::size_t place) const {
  static const std::string none;
  return has(place) ? arguments_[place] : none;
}

std::vector<std::string> BoundArguments::from(std::size_t place) const {
  if (!has(place)) return {};
  return {arguments_.begin() + static_cast<std::ptrdiff_t>(place), arguments_.end()};
}

std::optional<std::string> BoundArguments::value(std::string_view option) const {
  const auto found = options_.find(option);
  if (found == options_.end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> BoundArguments::values(std::string_view option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::vector<std::string>{} : found->second;
}

}  // namespace petri::cli
