#include "host/host_function.h"

#include <array>

namespace petri {

void* data_of(std::optional<Permission> permission) {
  static std::array<Permission, kPermissionCount> permissions = [] {
    std::array<Permission, kPermissionCount> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Permission>(i);
    return all;
  }();
  return permission ? &permissions[static_cast<std::size_t>(*permission)] : nullptr;
}

After stop_for_fault(Caller& caller) noexcept {
  static_cast<HostContext*>(caller.context())->fault = "out of memory";
  caller.stop(EndKind::refused, 0);
  return After::stop;
}

}  // namespace petri
