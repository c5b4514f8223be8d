#include "host/wasi/file_status.h"

#include <algorithm>

#include "base/assert.h"
#include "host/wasi/memory.h"

namespace petri {
namespace {

constexpr std::uint64_t kAllRights = (1U << 28) - 1;
// fd_seek, fd_tell: a terminal has neither, which is how libc knows one.
constexpr std::uint64_t kRightsOfPosition = (1U << 2) | (1U << 5);
constexpr std::uint64_t kRightPoll = 1U << 27;

std::uint64_t whole_ms_in_ns(const timespec& time) {
  constexpr std::int64_t kMillisecondNs = 1'000'000;
  const std::int64_t milliseconds = std::int64_t{time.tv_sec} * 1'000 + time.tv_nsec / kMillisecondNs;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(milliseconds, 0)) * kMillisecondNs;
}

bool may_know_the_time(const HostContext& context) {
  return !context.settings().deterministic && context.permissions().has(Permission::clock);
}

}  // namespace

WasiFileType wasi_file_type(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return WasiFileType::regular_file;
    case S_IFDIR: return WasiFileType::directory;
    case S_IFLNK: return WasiFileType::symbolic_link;
    case S_IFCHR: return WasiFileType::character_device;
    case S_IFBLK: return WasiFileType::block_device;
    case S_IFSOCK: return WasiFileType::socket_stream;
    default: return WasiFileType::unknown;
  }
}

// Output is a terminal to the guest, so that its libc writes line by line; input is a stream of bytes.
WasiFileType wasi_file_type(DescriptorKind kind) {
  switch (kind) {
    case DescriptorKind::standard_input: return WasiFileType::unknown;
    case DescriptorKind::standard_output:
    case DescriptorKind::standard_error: return WasiFileType::character_device;
    case DescriptorKind::folder: return WasiFileType::directory;
    case DescriptorKind::file: return WasiFileType::regular_file;
  }
  PETRI_UNREACHABLE();
}

void write_file_status(std::span<std::uint8_t> bytes, const struct stat& status, const HostContext& context) {
  std::ranges::fill(bytes, std::uint8_t{0});
  store(bytes, 8, static_cast<std::uint64_t>(status.st_ino));
  store(bytes, 16, static_cast<std::uint8_t>(wasi_file_type(status.st_mode)));
  store(bytes, 24, static_cast<std::uint64_t>(status.st_nlink));
  store(bytes, 32, static_cast<std::uint64_t>(status.st_size));
  if (!may_know_the_time(context)) return;
  store(bytes, 40, whole_ms_in_ns(status.st_atim));
  store(bytes, 48, whole_ms_in_ns(status.st_mtim));
  store(bytes, 56, whole_ms_in_ns(status.st_ctim));
}

std::uint64_t wasi_rights(const WasiDescriptor& descriptor) {
  if (descriptor.kind == DescriptorKind::folder) return kAllRights & ~kRightsOfPosition;
  std::uint64_t rights = kRightPoll;
  if (descriptor.readable) rights |= kRightRead;
  if (descriptor.writable) rights |= kRightWrite | kRightDatasync | kRightSetSize;
  if (descriptor.kind == DescriptorKind::file) rights |= kRightsOfPosition | (1U << 3) | (1U << 21);
  return rights;
}

std::uint64_t wasi_rights_inherited(const WasiDescriptor& descriptor) {
  return descriptor.kind == DescriptorKind::folder ? kAllRights : 0;
}

}  // namespace petri
