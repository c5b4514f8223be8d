// The import lists of a profile and of a spec, asked together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "petri/profile.h"

namespace petri {

class ImportPolicy {
 public:
  // `whose` ends the sentence: "the profile workshop".
  void add(ImportRules rules, std::string whose);
  bool empty() const { return lists_.empty(); }

  // Why this import may not be, as the end of a sentence about it; or nothing.
  std::string refusal(std::string_view module, std::string_view name) const;
  bool operator==(const ImportPolicy&) const = default;

 private:
  struct Lists {
    ImportRules rules;
    std::string whose;
    bool operator==(const Lists&) const = default;
  };
  std::vector<Lists> lists_;
};

// What is wrong with the lists themselves: empty entries, and those that stand in both. One sentence each.
std::vector<std::string> faults_of(const ImportRules& rules);

}  // namespace petri
