#include "host/host_function.h"

namespace petri {

After stop_for_fault(Caller& caller) noexcept {
  // Short enough to need no allocation: memory may be what is missing.
  static_cast<HostContext*>(caller.context())->fault = "out of memory";
  caller.stop(EndKind::refused, 0);
  return After::stop;
}

}  // namespace petri
