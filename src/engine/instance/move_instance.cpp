#include "engine/instance/move_instance.h"

namespace petri {

Result<std::unique_ptr<Instance>> move_instance(Instance& from, const Code& code, const HostHooks& hooks,
                                                std::uint64_t memory_bytes_max, const MakingTime* time) {
  PETRI_TRY(Instantiated made, code.instantiate_within(time, hooks, memory_bytes_max));
  if (made.end.kind == EndKind::cancelled) return fail(ErrorCode::cancelled, "the guest was ended while it was moved");
  if (made.instance == nullptr) {
    return fail(ErrorCode::engine_fault, "a module that was instantiated before cannot be instantiated to be moved");
  }
  PETRI_TRY(made.instance->adopt(from));
  made.instance->set_command_has_run(from.command_has_run());
  return std::move(made.instance);
}

}  // namespace petri
