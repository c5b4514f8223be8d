// The modules of a sandbox that somebody is changing.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "petri/result.h"

namespace petri {

// Names that belong to one change at a time. ModuleTable guards it, and knows which modules there are.
class ModuleClaims {
 public:
  // All of them or none: busy when one is claimed already, validation_failed when one is named twice.
  Result<void> take(const std::vector<std::string>& modules);
  // They were taken. True: none is claimed any more.
  bool give_back(const std::vector<std::string>& modules);

 private:
  std::unique_ptr<std::set<std::string>> claimed_;  // nullptr: none, as mostly
};

}  // namespace petri
