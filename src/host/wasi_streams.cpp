// WASI: reading and writing through descriptors.
#include <algorithm>
#include <cerrno>
#include <limits>

#include "host/families.h"
#include "host/wasi_memory.h"
#include "host/wasi_state.h"

namespace petri {
namespace {

// A single call reads no more than this: a read may be short, and what it takes stays bounded.
constexpr std::uint64_t kReadBytesMax = std::uint64_t{1} << 20;

// The first `bytes_max` bytes of the buffers.
std::vector<std::span<std::uint8_t>> first_bytes(const Buffers& buffers, std::uint64_t bytes_max) {
  std::vector<std::span<std::uint8_t>> pieces;
  for (const std::span<std::uint8_t> piece : buffers.pieces) {
    if (bytes_max == 0) break;
    pieces.push_back(piece.first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), bytes_max))));
    bytes_max -= pieces.back().size();
  }
  return pieces;
}

// ---- reading ----

std::size_t read_input(std::string_view input, std::uint64_t offset,
                       const std::vector<std::span<std::uint8_t>>& pieces) {
  std::size_t done = 0;
  input.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(offset, input.size())));
  for (const std::span<std::uint8_t> piece : pieces) {
    const std::size_t count = std::min(piece.size(), input.size() - done);
    if (count > 0) std::memcpy(piece.data(), input.data() + done, count);
    done += count;
  }
  return done;
}

WasiResult<std::size_t> read_file(int descriptor, std::uint64_t offset,
                                  const std::vector<std::span<std::uint8_t>>& pieces) {
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::unexpected(WasiErrno::inval);
  std::size_t done = 0;
  for (const std::span<std::uint8_t> piece : pieces) {
    const ssize_t count = ::pread(descriptor, piece.data(), piece.size(), static_cast<off_t>(offset + done));
    if (count < 0 && done == 0) return std::unexpected(to_wasi_errno(errno));
    if (count > 0) done += static_cast<std::size_t>(count);
    if (count < static_cast<ssize_t>(piece.size())) break;
  }
  return done;
}

WasiResult<std::size_t> read_descriptor(HostCall& call, const WasiDescriptor& descriptor, std::uint64_t offset,
                                        const Buffers& buffers) {
  const auto pieces = first_bytes(buffers, kReadBytesMax);
  if (descriptor.kind == DescriptorKind::standard_input) return read_input(call.context.input, offset, pieces);
  return read_file(call.context.wasi().host_descriptor(descriptor), offset, pieces);
}

// success, or why this descriptor cannot be read.
WasiErrno check_readable(const WasiDescriptor* descriptor) {
  if (descriptor == nullptr) return WasiErrno::badf;
  if (descriptor->kind == DescriptorKind::folder) return WasiErrno::isdir;
  return descriptor->readable ? WasiErrno::success : WasiErrno::badf;
}

// The shared part of fd_read and fd_pread: with `position` the descriptor's own is read from and moved.
WasiErrno read_at(HostCall& call, WasiDescriptor& descriptor, std::uint64_t* position, std::uint64_t offset,
                  std::uint32_t list, std::uint32_t count, std::uint32_t result) {
  const auto slot = call.memory(result, 4);
  if (!slot) return refuse(call, WasiErrno::fault);
  const auto buffers = find_buffers(call, list, count);
  if (!buffers) return refuse(call, buffers.error());
  if (!call.charge_bytes(std::min(buffers->bytes, kReadBytesMax))) return WasiErrno::success;
  const auto done = read_descriptor(call, descriptor, offset, *buffers);
  if (!done) return refuse(call, done.error());
  if (position != nullptr) *position += *done;
  store(*slot, 0, static_cast<std::uint32_t>(*done));
  return WasiErrno::success;
}

WasiErrno fd_read(HostCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count, std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_readable(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  const bool file = descriptor->kind == DescriptorKind::file;
  if (file && !call.context.may_use(Permission::file_read)) return refuse(call, WasiErrno::notcapable);
  return read_at(call, *descriptor, &descriptor->position, descriptor->position, list, count, result);
}

WasiErrno fd_pread(HostCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count, std::uint64_t offset,
                   std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_readable(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  if (descriptor->kind != DescriptorKind::file) return refuse(call, WasiErrno::spipe);
  return read_at(call, *descriptor, nullptr, offset, list, count, result);
}

// ---- writing ----

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Each whole line becomes a line of the log, or several if it is long; the rest waits for its end.
void log_lines(HostCall& call, std::string_view bytes) {
  std::string& line = call.context.wasi().error_line();
  while (!bytes.empty()) {
    const std::string_view window = bytes.substr(0, HostContext::kLogLineBytesMax - line.size());
    const std::size_t end = window.find('\n');
    line.append(window.substr(0, end));
    bytes.remove_prefix(end == std::string_view::npos ? window.size() : end + 1);
    if (end == std::string_view::npos && line.size() < HostContext::kLogLineBytesMax) return;
    call.context.write_log(LogLevel::warning, line, call.fuel_used());
    line.clear();
  }
}

void write_error_stream(HostCall& call, std::string_view bytes) {
  if (call.context.settings().on_stderr != nullptr) return call.context.write_stderr(bytes, call.fuel_used());
  log_lines(call, bytes);
}

// What does not fit is dropped and counted, and the program is told that all went well: it goes on to its end.
WasiResult<std::size_t> write_stream(HostCall& call, DescriptorKind kind, const Buffers& buffers) {
  for (const std::span<std::uint8_t> piece : buffers.pieces) {
    if (kind == DescriptorKind::standard_output) call.context.write_stdout(as_text(piece));
    if (kind == DescriptorKind::standard_error) write_error_stream(call, as_text(piece));
  }
  return static_cast<std::size_t>(buffers.bytes);
}

// success, or why this descriptor cannot be written.
WasiErrno check_writable(const WasiDescriptor* descriptor) {
  return descriptor == nullptr || !descriptor->writable ? WasiErrno::badf : WasiErrno::success;
}

// What fd_write needs depends on where it goes.
bool may_write_to(HostContext& context, DescriptorKind kind) {
  if (kind == DescriptorKind::file) return context.may_use(Permission::file_write);
  const bool to_log = kind == DescriptorKind::standard_error && context.settings().on_stderr == nullptr;
  return !to_log || context.may_use(Permission::log);
}

std::uint64_t end_of_file(const WasiState& wasi, const WasiDescriptor& descriptor) {
  struct stat status{};
  return ::fstat(wasi.host_descriptor(descriptor), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

WasiErrno write_at(HostCall& call, WasiDescriptor& descriptor, std::uint64_t* position, std::uint64_t offset,
                   std::uint32_t list, std::uint32_t count, std::uint32_t result) {
  const auto slot = call.memory(result, 4);
  if (!slot) return refuse(call, WasiErrno::fault);
  const auto buffers = find_buffers(call, list, count);
  if (!buffers) return refuse(call, buffers.error());
  if (!call.charge_bytes(buffers->bytes)) return WasiErrno::success;
  LimitMet met;
  const auto done = descriptor.kind == DescriptorKind::file
                        ? call.context.wasi().folder().write(descriptor.file, buffers->pieces, offset, met)
                        : write_stream(call, descriptor.kind, *buffers);
  call.note_met(met);
  if (!done) return refuse(call, done.error());
  if (position != nullptr) *position = offset + *done;
  store(*slot, 0, static_cast<std::uint32_t>(*done));
  return WasiErrno::success;
}

WasiErrno fd_write(HostCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count,
                   std::uint32_t result) {
  WasiState& wasi = call.context.wasi();
  WasiDescriptor* descriptor = wasi.find(number);
  if (const WasiErrno wrong = check_writable(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  if (!may_write_to(call.context, descriptor->kind)) return refuse(call, WasiErrno::notcapable);
  const std::uint64_t offset = descriptor->append ? end_of_file(wasi, *descriptor) : descriptor->position;
  return write_at(call, *descriptor, &descriptor->position, offset, list, count, result);
}

WasiErrno fd_pwrite(HostCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count, std::uint64_t offset,
                    std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_writable(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  if (descriptor->kind != DescriptorKind::file) return refuse(call, WasiErrno::spipe);
  return write_at(call, *descriptor, nullptr, offset, list, count, result);
}

}  // namespace

HostFamily wasi_stream_functions() {
  return {
      host_function<&fd_read>({.module = kWasi, .name = "fd_read", .fuel = 256, .charges_bytes = true}),
      host_function<&fd_pread>({.module = kWasi,
                                .name = "fd_pread",
                                .fuel = 256,
                                .charges_bytes = true,
                                .permission = Permission::file_read,
                                .deterministic = false}),
      host_function<&fd_write>({.module = kWasi, .name = "fd_write", .fuel = 256, .charges_bytes = true}),
      host_function<&fd_pwrite>({.module = kWasi,
                                 .name = "fd_pwrite",
                                 .fuel = 256,
                                 .charges_bytes = true,
                                 .permission = Permission::file_write,
                                 .deterministic = false}),
  };
}

}  // namespace petri
