// The words after a verb, each in its place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/verb.h"
#include "petri/result.h"

namespace petri::cli {

class BoundArguments {
 public:
  // Options may stand anywhere; "--option=value" and "--option value" are the same, and what follows "--" is no option.
  // Too few, too many and unknown words are validation_failed in one sentence that names them.
  static Result<BoundArguments> bind(const Verb& verb, const std::vector<std::string>& words);

  const Verb& verb() const { return *verb_; }
  // The argument in this place, or an empty text when it was left out.
  const std::string& at(std::size_t place) const;
  bool has(std::size_t place) const { return place < arguments_.size(); }
  // All from this place on.
  std::vector<std::string> from(std::size_t place) const;

  bool has(std::string_view option) const { return options_.contains(option); }
  // The value of an option that is given once; nothing when it was not.
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;

 private:
  explicit BoundArguments(const Verb& verb) : verb_(&verb) {}
  Result<void> take_option(const std::vector<std::string>& words, std::size_t& at);
  Result<void> check_count() const;
  std::unexpected<Error> refuse(std::string_view what) const;

  const Verb* verb_;
  std::vector<std::string> arguments_;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
};

}  // namespace petri::cli
