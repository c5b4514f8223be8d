// WASI: what descriptors are, where they stand, and their end.
#include <cerrno>

#include "host/files/file_sync.h"
#include "host/functions/families.h"
#include "host/wasi/file_status.h"
#include "host/wasi/memory.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

// The name under which the granted folder is open: paths with and without a slash in front are found below it.
constexpr std::string_view kGrantedName = "/";

WasiErrno fd_close(FileCall& call, std::uint32_t number) {
  return call.context.wasi().close(number) ? WasiErrno::success : refuse(call, WasiErrno::badf);
}

// ---- position ----

WasiResult<std::uint64_t> end_of(FileCall& call, const WasiDescriptor& descriptor) {
  struct stat status{};
  if (::fstat(call.host_descriptor(descriptor), &status) != 0) return std::unexpected(to_wasi_errno(errno));
  return static_cast<std::uint64_t>(status.st_size);
}

WasiResult<std::uint64_t> new_position(FileCall& call, const WasiDescriptor& descriptor, std::int64_t offset,
                                       std::uint32_t whence) {
  WasiResult<std::uint64_t> base = std::uint64_t{0};
  if (whence > 2) return std::unexpected(WasiErrno::inval);
  if (whence == 1) base = descriptor.position;
  if (whence == 2) base = end_of(call, descriptor);
  if (!base) return base;
  std::int64_t position = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(*base), offset, &position))
    return std::unexpected(WasiErrno::overflow);
  if (position < 0) return std::unexpected(WasiErrno::inval);
  return static_cast<std::uint64_t>(position);
}

// success, or why this descriptor has no position.
WasiErrno check_position(const WasiDescriptor* descriptor) {
  if (descriptor == nullptr) return WasiErrno::badf;
  if (descriptor->kind == DescriptorKind::folder) return WasiErrno::isdir;
  return descriptor->kind == DescriptorKind::file ? WasiErrno::success : WasiErrno::spipe;
}

WasiErrno fd_seek(FileCall& call, std::uint32_t number, std::int64_t offset, std::uint32_t whence,
                  std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_position(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  const auto slot = call.structure<8>(result);
  if (!slot) return refuse(call, WasiErrno::fault);
  const auto position = new_position(call, *descriptor, offset, whence);
  if (!position) return refuse(call, position.error());
  descriptor->position = *position;
  store(*slot, 0, *position);
  return WasiErrno::success;
}

WasiErrno fd_tell(HostCall& call, std::uint32_t number, std::uint32_t result) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_position(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  const auto slot = call.structure<8>(result);
  if (!slot) return refuse(call, WasiErrno::fault);
  store(*slot, 0, descriptor->position);
  return WasiErrno::success;
}

// ---- status ----

WasiErrno fd_fdstat_get(HostCall& call, std::uint32_t number, std::uint32_t result) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr) return refuse(call, WasiErrno::badf);
  const auto bytes = call.structure<24>(result);
  if (!bytes) return refuse(call, WasiErrno::fault);
  store(*bytes, 0, std::uint64_t{0});
  store(*bytes, 0, static_cast<std::uint8_t>(wasi_file_type(descriptor->kind)));
  store(*bytes, 2, descriptor->append ? kFlagAppend : std::uint16_t{0});
  store(*bytes, 8, wasi_rights(*descriptor));
  store(*bytes, 16, wasi_rights_inherited(*descriptor));
  return WasiErrno::success;
}

// Files never make a guest wait, so `nonblock` is what they are anyway; writes that wait for the disk are not offered.
WasiErrno fd_fdstat_set_flags(HostCall& call, std::uint32_t number, std::uint32_t flags) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr) return refuse(call, WasiErrno::badf);
  if ((flags & ~std::uint32_t{kFlagAppend | kFlagNonblock}) != 0) return refuse(call, WasiErrno::notsup);
  if (descriptor->kind == DescriptorKind::file) descriptor->append = (flags & kFlagAppend) != 0;
  return WasiErrno::success;
}

WasiErrno fd_filestat_get(FileCall& call, std::uint32_t number, std::uint32_t result) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr) return refuse(call, WasiErrno::badf);
  const auto bytes = call.structure<kFileStatusBytes>(result);
  if (!bytes) return refuse(call, WasiErrno::fault);
  struct stat status{};
  const bool stream = descriptor->kind != DescriptorKind::file && descriptor->kind != DescriptorKind::folder;
  if (!stream && ::fstat(call.host_descriptor(*descriptor), &status) != 0) return refuse(call, to_wasi_errno(errno));
  write_file_status(*bytes, status, call.context);
  if (stream) store(*bytes, 16, static_cast<std::uint8_t>(wasi_file_type(descriptor->kind)));
  return WasiErrno::success;
}

WasiErrno fd_filestat_set_size(FileCall& call, std::uint32_t number, std::uint64_t size) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr || !descriptor->writable) return refuse(call, WasiErrno::badf);
  if (descriptor->kind != DescriptorKind::file) return refuse(call, WasiErrno::inval);
  LimitMet met;
  const WasiErrno end = call.folder().resize(descriptor->file, size, met, Pace(call));
  call.note_met(met);
  return end == WasiErrno::success ? end : refuse(call, end);
}

// A hint that nothing follows from.
WasiErrno fd_advise(HostCall& call, std::uint32_t number, std::uint64_t, std::uint64_t, std::uint32_t advice) {
  constexpr std::uint32_t kAdviceMax = 5;
  const WasiErrno wrong = check_position(call.context.wasi().find(number));
  if (wrong != WasiErrno::success) return refuse(call, wrong);
  return advice <= kAdviceMax ? WasiErrno::success : refuse(call, WasiErrno::inval);
}

// The file is at least that long afterwards, and its bytes are counted. Space on the host's disk is not reserved.
WasiErrno fd_allocate(FileCall& call, std::uint32_t number, std::uint64_t offset, std::uint64_t length) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr || !descriptor->writable) return refuse(call, WasiErrno::badf);
  if (descriptor->kind != DescriptorKind::file) return refuse(call, WasiErrno::spipe);
  if (length == 0) return refuse(call, WasiErrno::inval);
  std::uint64_t end = 0;
  if (__builtin_add_overflow(offset, length, &end)) return refuse(call, WasiErrno::fbig);
  LimitMet met;
  const WasiErrno grown = call.folder().grow(descriptor->file, end, met, Pace(call));
  call.note_met(met);
  return grown == WasiErrno::success ? grown : refuse(call, grown);
}

// The descriptor gets the number of another one, which is closed.
WasiErrno fd_renumber(FileCall& call, std::uint32_t from, std::uint32_t to) {
  return call.context.wasi().renumber(from, to) ? WasiErrno::success : refuse(call, WasiErrno::badf);
}

// The disk takes as long as it takes, and nothing wakes who waits for it: another thread does that. One folder has few
// at a time, so that those of others have their turn; who comes when there are too many waits for its own.
WasiResult<std::shared_ptr<const FileSync>> start_in_turn(FileCall& call, int descriptor, FileSync::How how) {
  constexpr std::uint64_t kMillisecond = 1'000'000, kLongestStep = 16 * kMillisecond;
  for (std::uint64_t step = kMillisecond;; step = std::min(2 * step, kLongestStep)) {  // bounded: give_way() looks
    auto sync = FileSync::start(descriptor, how, call.folder().syncs());
    if (sync || sync.error() != WasiErrno::again || !call.give_way(step)) return sync;
  }
}

WasiErrno flush(FileCall& call, std::uint32_t number, FileSync::How how) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr || !descriptor->writable) return refuse(call, WasiErrno::badf);
  if (descriptor->kind != DescriptorKind::file) return refuse(call, WasiErrno::inval);
  call.context.waited = true;
  const auto sync = start_in_turn(call, call.host_descriptor(*descriptor), how);
  if (!sync) return refuse(call, sync.error());
  if (!call.wait_until((*sync)->done())) return WasiErrno::success;
  return (*sync)->result() == WasiErrno::success ? WasiErrno::success : refuse(call, (*sync)->result());
}

WasiErrno fd_sync(FileCall& call, std::uint32_t number) { return flush(call, number, FileSync::How::all); }
WasiErrno fd_datasync(FileCall& call, std::uint32_t number) { return flush(call, number, FileSync::How::data); }

// ---- the granted folder ----

WasiErrno fd_prestat_get(HostCall& call, std::uint32_t number, std::uint32_t result) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr || !descriptor->granted)
    return WasiErrno::badf;  // how programs find the last one: no refusal
  const auto bytes = call.structure<8>(result);
  if (!bytes) return refuse(call, WasiErrno::fault);
  store(*bytes, 0, std::uint32_t{0});
  store(*bytes, 4, static_cast<std::uint32_t>(kGrantedName.size()));
  return WasiErrno::success;
}

WasiErrno fd_prestat_dir_name(HostCall& call, std::uint32_t number, std::uint32_t buffer, std::uint32_t length) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr || !descriptor->granted) return refuse(call, WasiErrno::badf);
  if (length < kGrantedName.size()) return refuse(call, WasiErrno::nametoolong);
  const auto bytes = call.structure<kGrantedName.size()>(buffer);
  if (!bytes) return refuse(call, WasiErrno::fault);
  std::memcpy(bytes->data(), kGrantedName.data(), kGrantedName.size());
  return WasiErrno::success;
}

}  // namespace

HostFamily wasi_descriptor_functions() {
  constexpr auto write = Permission::file_write;
  return {
      host_function<&fd_close>({.module = kWasi, .name = "fd_close", .fuel = 128}),
      host_function<&fd_seek>({.module = kWasi, .name = "fd_seek", .fuel = 64}),
      host_function<&fd_tell>({.module = kWasi, .name = "fd_tell", .fuel = 16}),
      host_function<&fd_fdstat_get>({.module = kWasi, .name = "fd_fdstat_get", .fuel = 32}),
      host_function<&fd_fdstat_set_flags>({.module = kWasi, .name = "fd_fdstat_set_flags", .fuel = 32}),
      host_function<&fd_filestat_get>({.module = kWasi, .name = "fd_filestat_get", .fuel = 256}),
      host_function<&fd_filestat_set_size>({.module = kWasi,
                                            .name = "fd_filestat_set_size",
                                            .fuel = 1'024,
                                            .permission = write,
                                            .deterministic = false}),
      host_function<&fd_advise>({.module = kWasi, .name = "fd_advise", .fuel = 16}),
      host_function<&fd_allocate>(
          {.module = kWasi, .name = "fd_allocate", .fuel = 1'024, .permission = write, .deterministic = false}),
      host_function<&fd_renumber>({.module = kWasi, .name = "fd_renumber", .fuel = 128}),
      host_function<&fd_sync>(
          {.module = kWasi, .name = "fd_sync", .fuel = 65'536, .permission = write, .deterministic = false}),
      host_function<&fd_datasync>(
          {.module = kWasi, .name = "fd_datasync", .fuel = 65'536, .permission = write, .deterministic = false}),
      host_function<&fd_prestat_get>({.module = kWasi, .name = "fd_prestat_get", .fuel = 16}),
      host_function<&fd_prestat_dir_name>({.module = kWasi, .name = "fd_prestat_dir_name", .fuel = 16}),
  };
}

}  // namespace petri
