#include "host/guest/held_bytes.h"

#include "host/host_context.h"

namespace petri {

bool HeldBytes::try_add(HostContext& context, std::uint64_t bytes) {
  if (!context.try_hold(bytes)) return false;
  context_ = &context;
  bytes_ += bytes;
  return true;
}

void HeldBytes::let_go() {
  if (bytes_ > 0) context_->let_go(std::exchange(bytes_, 0));
}

}  // namespace petri
