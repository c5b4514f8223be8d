// A file that lies in memory, for readers that want a path.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/assert.h"

namespace petri::fuzz {

class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) { PETRI_ASSERT(descriptor_ >= 0); }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }
  void write(std::string_view text) const {
    PETRI_ASSERT(::ftruncate(descriptor_, 0) == 0);
    PETRI_ASSERT(::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }

 private:
  const int descriptor_;
};

}  // namespace petri::fuzz
