// How WASI describes files and descriptors.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <span>

#include "host/host_call.h"
#include "host/wasi/state.h"

namespace petri {

enum class WasiFileType : std::uint8_t {
  unknown = 0,
  block_device = 1,
  character_device = 2,
  directory = 3,
  regular_file = 4,
  socket_stream = 6,
  symbolic_link = 7,
};
WasiFileType wasi_file_type(mode_t mode);
WasiFileType wasi_file_type(DescriptorKind kind);

// The size of WASI's `filestat`, which write_file_status() fills.
constexpr std::uint32_t kFileStatusBytes = 64;
// Times are in whole milliseconds, and 0 for guests that may not know the time.
void write_file_status(std::span<std::uint8_t> bytes, const struct stat& status, const HostContext& context);

// Rights, of which WASI has one bit each.
constexpr std::uint64_t kRightDatasync = 1U << 0;
constexpr std::uint64_t kRightRead = 1U << 1;
constexpr std::uint64_t kRightWrite = 1U << 6;
constexpr std::uint64_t kRightAllocate = 1U << 8;
constexpr std::uint64_t kRightReaddir = 1U << 14;
constexpr std::uint64_t kRightSetSize = 1U << 22;
// The rights that a descriptor has now, by how it was opened.
std::uint64_t wasi_rights(const WasiDescriptor& descriptor);
// The rights that files opened below a folder can have; permissions are looked at when one is opened.
std::uint64_t wasi_rights_inherited(const WasiDescriptor& descriptor);

}  // namespace petri
