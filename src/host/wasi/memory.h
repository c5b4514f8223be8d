// Numbers and structures in a WASI guest's memory, little-endian and at any alignment.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "host/host_call.h"
#include "host/wasi/errno.h"

namespace petri {

constexpr std::string_view kWasi = "wasi_snapshot_preview1";

// Both are for offsets that the caller has checked: they must lie inside `bytes`.
template <typename T>
T load(std::span<const std::uint8_t> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

template <typename T>
void store(std::span<std::uint8_t> bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

// Counts a refused call, unless the guest has ended, and returns the error for the guest.
inline WasiErrno refuse(HostCall& call, WasiErrno error) {
  if (call.after() == After::resume) ++call.context.counts.calls_refused;
  return error;
}

// A list of buffers in guest memory, all of which exist. Their bytes may be the same, again and again.
struct Buffers {
  std::vector<std::span<std::uint8_t>> pieces;
  std::uint64_t bytes = 0;
};
// fault when the list or one of its buffers lies outside memory, inval when there are too many of them. Each buffer
// costs one of fuel; their bytes are for the caller to charge.
WasiResult<Buffers> find_buffers(HostCall& call, std::uint32_t list, std::uint32_t count);

// fault outside memory, ilseq when it is not UTF-8, inval with a zero byte in it, nametoolong above 4,095 bytes. Each
// byte costs one of fuel: the kernel walks every folder that a path names.
WasiResult<std::string> read_path(HostCall& call, std::uint32_t pointer, std::uint32_t length);

}  // namespace petri
