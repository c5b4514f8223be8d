// The file of `--cases`: what each candidate is called with. docs/reference/cases.md describes it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "petri/evaluate.h"
#include "petri/result.h"
#include "petri/value.h"

namespace petri::cli {

// The arguments stay text until their types are known.
struct CaseText {
  std::vector<std::string> arguments;
  std::string input;
  std::optional<std::string> expected;  // output
  bool operator==(const CaseText&) const = default;
};

struct CasesFile {
  std::optional<std::vector<ValueType>> types;  // of the arguments; absent: the candidates tell
  std::vector<CaseText> cases;                  // all with the same number of arguments
  std::vector<double> targets;                  // one a case, or none

  // A case says which output is right.
  bool expects_output() const;
  std::size_t arguments_per_case() const { return cases.empty() ? 0 : cases.front().arguments.size(); }
};

// parse_failed for what is not JSON, validation_failed for what is something else than cases; the sentence says where.
Result<CasesFile> parse_cases(std::string_view text);

// `types` has arguments_per_case(). validation_failed names the first number that cannot be of its type.
Result<std::vector<Case>> with_types(const CasesFile& file, std::span<const ValueType> types);

}  // namespace petri::cli
