// For tests: the modules of the specification's own test scripts that must be refused.
#pragma once

#include <string>
#include <vector>

#include "petri/sandbox.h"

namespace petri {

struct SpecModule {
  std::string where;    // "binary.wast:12"
  std::string verdict;  // assert_invalid, assert_malformed, assert_unlinkable
  Source source;
};

// The refused modules of one script. Reads just enough of the format: comments, texts and nesting.
std::vector<SpecModule> refused_modules(const std::string& name, const std::string& script);

}  // namespace petri
