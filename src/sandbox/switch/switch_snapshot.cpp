#include "sandbox/switch/switch_snapshot.h"

namespace petri {

void SwitchSnapshot::keep(const std::string& process, Kept state) {
  const std::uint64_t bytes =
      state.image ? state.image->bytes_kept() : (state.document ? state.document->bytes().size() : 0);
  const bool room = account_.try_take(bytes);
  if (room) bytes_ += bytes;
  if (!room) state = {};
  kept_.insert_or_assign(process, std::move(state));
}

const SwitchSnapshot::Kept* SwitchSnapshot::find(const std::string& process) const {
  const auto found = kept_.find(process);
  return found == kept_.end() ? nullptr : &found->second;
}

const std::vector<GuestTimer>* SwitchSnapshot::timers_of(const std::string& process) const {
  const auto found = timers_.find(process);
  return found == timers_.end() ? nullptr : &found->second;
}

}  // namespace petri
