#include "sandbox/reload/code_host.h"

namespace petri {

// As of now: permissions may be changed, and another end may be wanted.
ModuleGate CodeHost::gate() {
  return ModuleGate({.services = parts_.services,
                     .policy = parts_.traits->policy,
                     .account = parts_.environment.account(),
                     .journal = parts_.journal,
                     .sandbox = parts_.spec.id,
                     .permissions = parts_.environment.permissions(),
                     .deterministic = parts_.spec.deterministic,
                     .tier = parts_.spec.tier,
                     .stop = parts_.control.loading(),
                     .news = &parts_.news});
}

Result<void> CodeHost::commit(ModuleChanges& changes, const ModuleTable::Commit& commit) {
  PETRI_TRY(parts_.tree_spec.commit(changes, commit));
  parts_.standing.note_update(commit.time);
  return {};
}

}  // namespace petri
