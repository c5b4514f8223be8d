// Memory that the host holds for a guest, on the guest's account for as long as this lives.
#pragma once

#include <cstdint>
#include <utility>

namespace petri {

class HostContext;

// One thread at a time; the context outlives it.
class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(HeldBytes&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  HeldBytes& operator=(HeldBytes&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HeldBytes() { let_go(); }

  // Counts this many bytes more, before they are allocated. False if memory_bytes_max leaves no room: the context has
  // noted that, and nothing has changed.
  bool try_add(HostContext& context, std::uint64_t bytes);
  // Gives everything back to the account.
  void let_go();
  std::uint64_t bytes() const { return bytes_; }

 private:
  HostContext* context_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace petri
