// How code came into a sandbox, or was to: for the audit trail.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/name_table.h"
#include "petri/versions.h"

namespace petri {

// The names are those that the audit trail has: one that is renamed here changes the trail of every user.
enum class WayIn : std::uint8_t {
  create,
  run,
  load,
  stage,
  reload,
  activate,
  rollback,
  import_module,
  copy_version,
  restore,
  fork,
  plan,
};

inline std::string_view name_of(WayIn way) {
  static constexpr NameTable<12> kNames{"create",   "run",           "load",         "stage",   "reload", "activate",
                                        "rollback", "import_module", "copy_version", "restore", "fork",   "plan"};
  return name_in(kNames, way);
}

// The way in of a switch by this cause; a trial or recovery that goes back rolls back, too.
inline WayIn way_of(SwitchCause cause) {
  switch (cause) {
    case SwitchCause::activate: return WayIn::activate;
    case SwitchCause::rollback:
    case SwitchCause::trial:
    case SwitchCause::recovery: return WayIn::rollback;
    case SwitchCause::restore: return WayIn::restore;
    default: return WayIn::reload;
  }
}

}  // namespace petri
