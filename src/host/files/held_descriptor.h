// A descriptor of the host that a guest has open, on the guest's account for as long as this lives.
#pragma once

#include <cstdint>
#include <utility>

#include "host/guest/held_bytes.h"
#include "host/wasi/errno.h"

namespace petri {

class HostContext;
class MemoryAccount;

// One thread at a time; the context outlives it.
class HeldDescriptor {
 public:
  HeldDescriptor() = default;
  HeldDescriptor(HeldDescriptor&& other) noexcept
      : account_(std::exchange(other.account_, nullptr)), bytes_(std::move(other.bytes_)) {}
  HeldDescriptor& operator=(HeldDescriptor&& other) noexcept {
    std::swap(account_, other.account_);
    bytes_ = std::move(other.bytes_);
    return *this;
  }
  ~HeldDescriptor();

  // success; mfile when the guests of the account have as many as they may, nfile when all of the runtime's do, nomem
  // when memory_bytes_max leaves no room for what the host notes of it. The context has noted the limit.
  WasiErrno take(HostContext& context);

 private:
  MemoryAccount* account_ = nullptr;
  HeldBytes bytes_;
};

}  // namespace petri
