// WASI: files and folders by name, inside the granted folder.
#include <optional>

#include "host/functions/families.h"
#include "host/wasi/file_status.h"
#include "host/wasi/memory.h"
#include "host/wasi/path_place.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

enum OpenFlags : std::uint16_t { create = 1, directory = 2, exclusive = 4, truncate = 8, all_open_flags = 15 };

OpenRequest open_request(std::uint32_t flags, std::uint64_t rights) {
  constexpr std::uint64_t kWriting = kRightWrite | kRightDatasync | kRightAllocate | kRightSetSize;
  return {.read = (rights & (kRightRead | kRightReaddir)) != 0,
          .write = (rights & kWriting) != 0 && (flags & directory) == 0,
          .create = (flags & create) != 0,
          .exclusive = (flags & exclusive) != 0,
          .truncate = (flags & truncate) != 0,
          .directory = (flags & directory) != 0};
}

WasiErrno check_change(HostContext& context) {
  if (context.is_too_early(Permission::file_write)) return WasiErrno::again;
  return context.may_use(Permission::file_write) ? WasiErrno::success : WasiErrno::notcapable;
}

// success, or why the guest may not even ask.
WasiErrno check_request(HostContext& context, const OpenRequest& request, std::uint32_t descriptor_flags) {
  if ((descriptor_flags & ~std::uint32_t{kFlagAppend | kFlagNonblock}) != 0) return WasiErrno::notsup;
  const bool changes = request.write || request.create || request.truncate;
  return changes ? check_change(context) : WasiErrno::success;
}

WasiDescriptor to_descriptor(OpenedFile file, const OpenRequest& request, std::uint32_t descriptor_flags) {
  WasiDescriptor descriptor{.kind = file.directory ? DescriptorKind::folder : DescriptorKind::file,
                            .readable = request.read,
                            .writable = request.write && !file.directory,
                            .append = (descriptor_flags & kFlagAppend) != 0};
  descriptor.file = std::move(file);
  return descriptor;
}

WasiErrno path_open(FileCall& call, std::uint32_t number, std::uint32_t, std::uint32_t path, std::uint32_t length,
                    std::uint32_t flags, std::uint64_t rights, std::uint64_t, std::uint32_t descriptor_flags,
                    std::uint32_t result) {
  const auto place = find_place(call, number, path, length);
  if (!place) return refuse(call, place.error());
  const auto slot = call.structure<4>(result);
  if (!slot) return refuse(call, WasiErrno::fault);
  if ((flags & ~std::uint32_t{all_open_flags}) != 0) return refuse(call, WasiErrno::inval);
  const OpenRequest request = open_request(flags, rights);
  const WasiErrno denied = check_request(call.context, request, descriptor_flags);
  if (denied != WasiErrno::success) return refuse(call, denied);

  WasiState& wasi = call.context.wasi();
  if (wasi.is_full()) return refuse(call, WasiErrno::mfile);
  HeldDescriptor held;
  if (const WasiErrno none = held.take(call.context); none != WasiErrno::success) return refuse(call, none);
  LimitMet met;
  auto file = call.folder().open_file(place->at, place->path, request, met, Pace(call));
  call.note_met(met);
  if (!file) return refuse_path(call, file.error(), Permission::file_read);
  WasiDescriptor descriptor = to_descriptor(std::move(*file), request, descriptor_flags);
  descriptor.held = std::move(held);
  const auto opened = wasi.open(std::move(descriptor));
  if (!opened) return refuse(call, opened.error());
  store(*slot, 0, *opened);
  return WasiErrno::success;
}

WasiErrno path_filestat_get(FileCall& call, std::uint32_t number, std::uint32_t lookup, std::uint32_t path,
                            std::uint32_t length, std::uint32_t result) {
  const auto place = find_place(call, number, path, length);
  if (!place) return refuse(call, place.error());
  const auto bytes = call.structure<kFileStatusBytes>(result);
  if (!bytes) return refuse(call, WasiErrno::fault);
  const auto status = call.folder().status(place->at, place->path);
  if (!status) return refuse_path(call, status.error(), Permission::file_read);
  // Links are never followed, so that one who wants to see where it leads gets the answer that this is not done.
  if (S_ISLNK(status->st_mode) && (lookup & kLookupFollow) != 0) return refuse(call, WasiErrno::loop);
  write_file_status(*bytes, *status, call.context);
  return WasiErrno::success;
}

WasiErrno path_create_directory(FileCall& call, std::uint32_t number, std::uint32_t path, std::uint32_t length) {
  const auto place = find_place(call, number, path, length);
  if (!place) return refuse(call, place.error());
  LimitMet met;
  const WasiErrno made = call.folder().make_folder(place->at, place->path, met, Pace(call));
  call.note_met(met);
  return answer_change(call, made);
}

WasiErrno path_remove_directory(FileCall& call, std::uint32_t number, std::uint32_t path, std::uint32_t length) {
  const auto place = find_place(call, number, path, length);
  if (!place) return refuse(call, place.error());
  return answer_change(call, call.folder().remove_folder(place->at, place->path, Pace(call)));
}

WasiErrno path_unlink_file(FileCall& call, std::uint32_t number, std::uint32_t path, std::uint32_t length) {
  const auto place = find_place(call, number, path, length);
  if (!place) return refuse(call, place.error());
  return answer_change(call, call.folder().remove_file(place->at, place->path, Pace(call)));
}

WasiErrno path_rename(FileCall& call, std::uint32_t from_number, std::uint32_t from, std::uint32_t from_length,
                      std::uint32_t to_number, std::uint32_t to, std::uint32_t to_length) {
  const auto source = find_place(call, from_number, from, from_length);
  if (!source) return refuse(call, source.error());
  const auto target = find_place(call, to_number, to, to_length);
  if (!target) return refuse(call, target.error());
  return answer_change(call, call.folder().rename(source->at, source->path, target->at, target->path, Pace(call)));
}

}  // namespace

HostFamily wasi_path_functions() {
  return {
      host_function<&path_open>(path_row("path_open", Permission::file_read)),
      host_function<&path_filestat_get>(path_row("path_filestat_get", Permission::file_read)),
      host_function<&path_create_directory>(path_row("path_create_directory", Permission::file_write)),
      host_function<&path_remove_directory>(path_row("path_remove_directory", Permission::file_write)),
      host_function<&path_unlink_file>(path_row("path_unlink_file", Permission::file_write)),
      host_function<&path_rename>(path_row("path_rename", Permission::file_write)),
  };
}

}  // namespace petri
