// Ends another thread's wait in poll().
#pragma once

#include <sys/eventfd.h>

#include <cstdint>

#include "base/files/owned_descriptor.h"

namespace petri {

// Any thread.
class WakeUp {
 public:
  WakeUp() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  int descriptor() const { return descriptor_.get(); }
  bool is_valid() const { return static_cast<bool>(descriptor_); }
  void wake() const { ::eventfd_write(descriptor_.get(), 1); }
  void clear() const {
    eventfd_t ignored = 0;
    ::eventfd_read(descriptor_.get(), &ignored);
  }

 private:
  const OwnedDescriptor descriptor_;
};

}  // namespace petri
