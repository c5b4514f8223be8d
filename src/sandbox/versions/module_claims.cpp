#include "sandbox/versions/module_claims.h"

#include <fmt/format.h>

namespace petri {

Result<void> ModuleClaims::take(const std::vector<std::string>& modules) {
  for (const std::string& module : modules) {
    if (claimed_ != nullptr && claimed_->contains(module)) {
      return fail(ErrorCode::busy, fmt::format("the module {} is being changed already: try again later", module));
    }
  }
  std::set<std::string> names;
  for (const std::string& module : modules) {
    if (names.insert(module).second) continue;
    return fail(ErrorCode::validation_failed, fmt::format("the module {} is named twice", module));
  }
  if (claimed_ == nullptr) claimed_ = std::make_unique<std::set<std::string>>();
  claimed_->merge(names);
  return {};
}

bool ModuleClaims::give_back(const std::vector<std::string>& modules) {
  for (const std::string& module : modules) claimed_->erase(module);
  if (!claimed_->empty()) return false;
  claimed_ = nullptr;
  return true;
}

}  // namespace petri
