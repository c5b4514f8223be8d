#include "host/wasi/path_place.h"

#include "host/wasi/memory.h"
#include "host/wasi/state.h"

namespace petri {

WasiResult<PathPlace> find_place(FileCall& call, std::uint32_t number, std::uint32_t path, std::uint32_t length) {
  WasiState& wasi = call.context.wasi();
  const WasiDescriptor* folder = wasi.find(number);
  if (folder == nullptr) return std::unexpected(WasiErrno::badf);
  if (folder->kind != DescriptorKind::folder) return std::unexpected(WasiErrno::notdir);
  auto text = read_path(call, path, length);
  if (!text) return std::unexpected(text.error());
  return PathPlace{.at = call.host_descriptor(*folder), .path = std::move(*text)};
}

WasiErrno refuse_path(FileCall& call, WasiErrno why, Permission permission) {
  if (why == WasiErrno::notcapable || why == WasiErrno::loop) call.context.note_denied(permission);
  return refuse(call, why);
}

WasiErrno answer_change(FileCall& call, WasiErrno end) {
  return end == WasiErrno::success ? end : refuse_path(call, end, Permission::file_write);
}

HostFunctionRow path_row(std::string_view name, Permission permission) {
  return {.module = kWasi,
          .name = name,
          .fuel = 1'024,
          .charges_bytes = true,
          .also = "bytes of the path",
          .permission = permission,
          .deterministic = false,
          .version = 2};
}

}  // namespace petri
