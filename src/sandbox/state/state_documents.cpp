#include "sandbox/state/state_documents.h"

#include <fmt/format.h>

#include "sandbox/calls/deadlock.h"
#include "sandbox/reload/reload.h"
#include "sandbox/state/process_state.h"

namespace petri {
namespace {

// Enters the process once it is idle; the caller leaves it.
Result<void> take(Process& process, Entrance::Frozen frozen, Clock::TimePoint deadline) {
  for (;;) {
    switch (process.entrance().try_take(frozen)) {
      case Entrance::Taken::taken: return {};
      case Entrance::Taken::down:
        return fail(ErrorCode::not_found, fmt::format("the process {} does not live right now", process.name()));
      case Entrance::Taken::at_work: break;
    }
    if (process.entrance().wait_until_idle(deadline, {})) continue;
    return fail(ErrorCode::busy, fmt::format("the process {} did not come to rest in time", process.name()));
  }
}

}  // namespace

template <typename T, typename Use>
Result<T> StateDocuments::with_state(std::string_view name, ProcessTable::Reach reach, Use use) const {
  parts_.aftermath.wait(Reload::deadline_of(parts_.policy));
  PETRI_TRY(const ProcessPtr process, parts_.processes.addressee(name, reach));
  PETRI_TRY(may_wait_here(parts_.owner, {process->name()}, "use the state of", process->name()));
  const bool frozen_too = reach == ProcessTable::Reach::frozen_too;
  PETRI_TRY(take(*process, frozen_too ? Entrance::Frozen::take : Entrance::Frozen::leave,
                 Reload::deadline_of(parts_.policy)));
  const LiveInstance& live = process->live();
  auto state = ProcessState::of(*live.code, *live.guest->instance(), parts_.owner.account().limits()->state_bytes_max);
  Result<T> used = state ? use(*state) : fail(std::move(state.error()));
  process->entrance().put_back();
  return used;
}

Result<StateDocument> StateDocuments::state(std::string_view process) const {
  return with_state<StateDocument>(process, ProcessTable::Reach::frozen_too,
                                   [](ProcessState& state) { return state.capture(); });
}

Result<void> StateDocuments::update(const std::vector<StateUpdate>& updates, std::string_view process) const {
  return with_state<void>(process, ProcessTable::Reach::live, [&](ProcessState& state) -> Result<void> {
    PETRI_TRY(StateDocument document, state.capture());
    for (const StateUpdate& update : updates) {
      PETRI_TRY(document.set(update.name, update.value, update.index));
    }
    return state.restore(document);
  });
}

}  // namespace petri
