#include "host/files/held_descriptor.h"

#include "host/host_context.h"

namespace petri {
namespace {

constexpr std::uint64_t kBytes = 256;  // its entry in the guest's table, and in that of the folder's open files

}  // namespace

WasiErrno HeldDescriptor::take(HostContext& context) {
  if (!bytes_.try_add(context, kBytes)) return WasiErrno::nomem;
  MemoryAccount* account = context.settings().account;
  if (account == nullptr) return WasiErrno::success;
  LimitMet met;
  const WasiErrno taken = account->try_add_descriptor(met);
  if (taken == WasiErrno::success) account_ = account;
  if (!met.limit.empty()) context.note_met(met.limit, met.wanted, met.allowed);
  return taken;
}

HeldDescriptor::~HeldDescriptor() {
  if (account_ != nullptr) account_->remove_descriptor();
}

}  // namespace petri
