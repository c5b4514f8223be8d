// For tests of hostile code that is reloaded.
#pragma once

#include "sandboxes/environment.h"
#include "state_guests.h"

namespace petri {

inline bool is_long() { return count_from_environment("PETRI_LONG", 0) != 0; }

class HostileReloadTest : public VersionsFixture {
 protected:
  static SandboxSpec made_of(Source source) {
    SandboxSpec made{.id = "a", .modules = {{"service", std::move(source)}}};
    made.tier = Tier::interpreted;
    return made;
  }
};

}  // namespace petri
