#include "host/wasi/memory.h"

#include "base/text/utf8.h"

namespace petri {
namespace {

constexpr std::uint32_t kBuffersMax = 1'024;
constexpr std::uint32_t kBufferEntryBytes = 8;  // pointer and length
constexpr std::uint32_t kPathBytesMax = 4'095;

}  // namespace

WasiResult<Buffers> find_buffers(HostCall& call, std::uint32_t list, std::uint32_t count) {
  if (count > kBuffersMax) return std::unexpected(WasiErrno::inval);
  const auto entries = call.list(list, count, kBufferEntryBytes);
  if (!entries) return std::unexpected(WasiErrno::fault);
  Buffers buffers;
  buffers.pieces.reserve(count);
  for (std::size_t offset = 0; offset < entries->size(); offset += kBufferEntryBytes) {  // bounded: kBuffersMax
    const auto piece =
        call.unpaid_memory(load<std::uint32_t>(*entries, offset), load<std::uint32_t>(*entries, offset + 4));
    if (!piece) return std::unexpected(WasiErrno::fault);
    buffers.pieces.push_back(*piece);
    buffers.bytes += piece->size();
  }
  return buffers;
}

WasiResult<std::string> read_path(HostCall& call, std::uint32_t pointer, std::uint32_t length) {
  if (!call.exists(pointer, length)) return std::unexpected(WasiErrno::fault);
  if (length > kPathBytesMax) return std::unexpected(WasiErrno::nametoolong);
  const auto text = call.read(pointer, length);
  if (!text || !call.charge(length)) return std::unexpected(WasiErrno::fault);
  if (text->find('\0') != std::string_view::npos) return std::unexpected(WasiErrno::inval);
  if (!is_utf8(*text)) return std::unexpected(WasiErrno::ilseq);
  return std::string(*text);
}

}  // namespace petri
