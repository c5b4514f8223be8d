#include "supervisor/exit_reason.h"

#include "base/assert.h"
#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<3> kReasons = {"normal", "shutdown", "abnormal"};

}  // namespace

std::string_view name_of(ExitReason reason) { return name_in(kReasons, reason); }

ExitReason exit_reason_of(const Outcome& outcome) {
  const bool exited_well = outcome.kind == OutcomeKind::exited && outcome.exit_code == 0;
  return exited_well || outcome.kind == OutcomeKind::ok ? ExitReason::normal : ExitReason::abnormal;
}

bool should_restart(RestartType type, ExitReason reason) {
  switch (type) {
    case RestartType::permanent: return true;
    case RestartType::transient: return reason == ExitReason::abnormal;
    case RestartType::temporary: return false;
  }
  PETRI_UNREACHABLE();
}

}  // namespace petri
