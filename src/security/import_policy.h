// The import lists of a profile and of a spec, asked together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/complaints.h"
#include "petri/policy.h"

namespace petri {

// The lists are held one after the other: an import has to pass every one. A value; it is filled before it is shared.
class ImportPolicy {
 public:
  // `whose` ends the sentence: "the profile workshop".
  void add(ImportRules rules, std::string whose);
  bool empty() const { return lists_.empty(); }

  // The reason why this import is refused, as the end of a sentence about it; empty if it is allowed.
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

// Complains about the lists themselves: empty entries, and those that stand in both. `where` is their path.
void check_import_rules(const ImportRules& rules, const std::string& where, Complaints& complaints);

}  // namespace petri
