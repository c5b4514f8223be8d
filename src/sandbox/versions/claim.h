// Modules that one change has for itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sandbox/standing.h"
#include "sandbox/versions/module_table.h"

namespace petri {

// While it lives nobody else changes these modules, nor those that depend on them, and the sandbox is `reloading`. One
// thread at a time.
class Claim {
 public:
  // That the sandbox can be changed is asked together with the claim. rejected if it cannot; else as
  // ModuleTable::claim().
  static Result<Claim> take(Standing& standing, ModuleTable& modules, std::vector<std::string> names);
  Claim(Claim&& other) noexcept
      : standing_(other.standing_), modules_(std::exchange(other.modules_, nullptr)), names_(std::move(other.names_)) {}
  Claim& operator=(Claim&&) = delete;
  ~Claim() { release(); }

  // Before anybody learns what was done, or enters the new code.
  void release();

 private:
  Claim(Standing& standing, ModuleTable& modules, std::vector<std::string> names)
      : standing_(standing), modules_(&modules), names_(std::move(names)) {}

  Standing& standing_;
  ModuleTable* modules_;  // nullptr once it was released
  std::vector<std::string> names_;
};

}  // namespace petri
