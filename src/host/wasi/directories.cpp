// WASI: what a folder holds.
#include <array>

#include "host/functions/families.h"
#include "host/guest/guest_writer.h"
#include "host/wasi/file_status.h"
#include "host/wasi/memory.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

constexpr std::uint64_t kFuelPerEntry = 8;
constexpr std::size_t kEntryHeadBytes = 24;

// All of it is on the guest's account, from the first entry on.
WasiResult<std::vector<FolderEntry>> list_folder(FileCall& call, WasiDescriptor& descriptor) {
  descriptor.listing = {};
  descriptor.listing_bytes.let_go();
  const auto may_hold = [&](std::uint64_t bytes) { return descriptor.listing_bytes.try_add(call.context, bytes); };
  auto entries = Folder::list(call.host_descriptor(descriptor), may_hold, Pace(call));
  if (!entries) descriptor.listing_bytes.let_go();
  if (!entries) return entries;
  const FolderEntry dots[] = {{.name = ".", .type = S_IFDIR}, {.name = "..", .type = S_IFDIR}};
  entries->insert(entries->begin(), std::begin(dots), std::end(dots));
  return entries;
}

// As much of the entry as fits: a guest that finds its buffer full asks again with a larger one.
void write_entry(GuestWriter& room, const FolderEntry& entry, std::uint64_t next) {
  std::array<std::uint8_t, kEntryHeadBytes> head{};
  store<std::uint64_t>(head, 0, next);
  store<std::uint64_t>(head, 8, entry.inode);
  store(std::span<std::uint8_t>(head), 16, static_cast<std::uint32_t>(entry.name.size()));
  store(std::span<std::uint8_t>(head), 20, static_cast<std::uint8_t>(wasi_file_type(entry.type)));
  room.write({reinterpret_cast<const char*>(head.data()), head.size()});
  room.write(entry.name);
}

// The listing is made when reading starts, so that it does not move under its reader.
WasiErrno refresh_listing(FileCall& call, WasiDescriptor& descriptor, std::uint64_t cookie) {
  if (cookie != 0 && !descriptor.listing.empty()) return WasiErrno::success;
  auto entries = list_folder(call, descriptor);
  if (!entries) return entries.error();
  descriptor.listing = std::move(*entries);
  call.charge(descriptor.listing.size() * kFuelPerEntry);
  return WasiErrno::success;
}

WasiErrno fd_readdir(FileCall& call, std::uint32_t number, std::uint32_t buffer, std::uint32_t length,
                     std::uint64_t cookie, std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr) return refuse(call, WasiErrno::badf);
  if (descriptor->kind != DescriptorKind::folder) return refuse(call, WasiErrno::notdir);
  auto room = GuestWriter::open(call, buffer, length);
  const auto slot = call.structure<4>(result);
  if (!room || !slot) return refuse(call, WasiErrno::fault);
  const WasiErrno failed = refresh_listing(call, *descriptor, cookie);
  if (failed != WasiErrno::success) return refuse(call, failed);
  if (call.after() == After::stop) return WasiErrno::success;

  for (std::uint64_t index = cookie; index < descriptor->listing.size() && room->left() > 0; ++index) {
    if (!call.charge(1)) return WasiErrno::success;
    write_entry(*room, descriptor->listing[static_cast<std::size_t>(index)], index + 1);
  }
  store(*slot, 0, static_cast<std::uint32_t>(room->used()));
  return WasiErrno::success;
}

}  // namespace

HostFamily wasi_directory_functions() {
  return {host_function<&fd_readdir>({.module = kWasi,
                                      .name = "fd_readdir",
                                      .fuel = 1'024,
                                      .charges_bytes = true,
                                      .also = "entries + 8 × entries of the folder when it is listed",
                                      .permission = Permission::file_read,
                                      .deterministic = false,
                                      .version = 2})};
}

}  // namespace petri
