#include "engine/move_instance.h"

namespace petri {

Result<std::unique_ptr<Instance>> move_instance(Instance& from, const Code& code, const HostHooks& hooks,
                                                std::uint64_t memory_bytes_max) {
  PETRI_TRY(Instantiated made, code.instantiate(hooks, memory_bytes_max));
  if (made.instance == nullptr) {
    return fail(ErrorCode::engine_fault, "a module that was instantiated before cannot be instantiated to be moved");
  }
  PETRI_TRY(made.instance->adopt(from));
  made.instance->set_command_has_run(from.command_has_run());
  return std::move(made.instance);
}

}  // namespace petri
