// WASI: files with several names, and symbolic links.
#include "host/functions/families.h"
#include "host/guest/guest_writer.h"
#include "host/wasi/memory.h"
#include "host/wasi/path_place.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

WasiErrno path_link(FileCall& call, std::uint32_t from_number, std::uint32_t lookup, std::uint32_t from,
                    std::uint32_t from_length, std::uint32_t to_number, std::uint32_t to, std::uint32_t to_length) {
  const auto source = find_place(call, from_number, from, from_length);
  if (!source) return refuse(call, source.error());
  const auto target = find_place(call, to_number, to, to_length);
  if (!target) return refuse(call, target.error());
  if ((lookup & kLookupFollow) != 0) return refuse(call, WasiErrno::inval);
  LimitMet met;
  const WasiErrno linked = call.folder().link(source->at, source->path, target->at, target->path, met, Pace(call));
  call.note_met(met);
  return answer_change(call, linked);
}

// As much of it as fits, as readlink(2) does.
WasiErrno path_readlink(FileCall& call, std::uint32_t number, std::uint32_t path, std::uint32_t length,
                        std::uint32_t buffer, std::uint32_t buffer_length, std::uint32_t result) {
  const auto place = find_place(call, number, path, length);
  if (!place) return refuse(call, place.error());
  auto room = GuestWriter::open(call, buffer, buffer_length);
  const auto slot = call.structure<4>(result);
  if (!room || !slot) return refuse(call, WasiErrno::fault);
  const auto text = call.folder().read_link(place->at, place->path);
  if (!text) return refuse_path(call, text.error(), Permission::file_read);
  room->write(*text);
  store(*slot, 0, static_cast<std::uint32_t>(room->used()));
  return WasiErrno::success;
}

// No guest makes symbolic links: petri follows none, and a program of the host that reads the folder later might.
WasiErrno path_symlink(FileCall& call, std::uint32_t target, std::uint32_t target_length, std::uint32_t number,
                       std::uint32_t path, std::uint32_t length) {
  if (!call.exists(target, target_length)) return refuse(call, WasiErrno::fault);
  const auto place = find_place(call, number, path, length);
  return refuse(call, place ? WasiErrno::notsup : place.error());
}

HostFunctionRow first_row(std::string_view name, Permission permission) {
  HostFunctionRow row = path_row(name, permission);
  row.version = 1;
  return row;
}

}  // namespace

HostFamily wasi_link_functions() {
  return {
      host_function<&path_link>(first_row("path_link", Permission::file_write)),
      host_function<&path_readlink>(first_row("path_readlink", Permission::file_read)),
      host_function<&path_symlink>(first_row("path_symlink", Permission::file_write)),
  };
}

}  // namespace petri
