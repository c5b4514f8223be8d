// WASI: reading and writing through descriptors.
#include <algorithm>
#include <cerrno>
#include <limits>

#include "host/functions/families.h"
#include "host/wasi/memory.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

// A single call reads no more than this: a read may be short, and what it takes stays bounded.
constexpr std::uint64_t kReadBytesMax = std::uint64_t{1} << 20;
constexpr std::uint64_t kFuelPerLine = 16;       // of standard error
constexpr std::uint64_t kCallbackBytes = 4'096;  // what handing a piece to the embedder counts as, in a Pace

// ---- reading ----

// Whole buffers but the last, and in pieces where one is long: what is read between two looks at the clock.
WasiResult<std::size_t> read_input(Pace pace, std::string_view input, std::uint64_t offset, const Buffers& buffers) {
  std::size_t done = 0;
  input.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(offset, input.size())));
  input = input.substr(0, kReadBytesMax);
  for (std::span<std::uint8_t> piece : buffers.pieces) {
    while (!piece.empty() && !input.empty()) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>({piece.size(), input.size(), Pace::kBytesMax}));
      std::memcpy(piece.data(), input.data(), count);
      piece = piece.subspan(count);
      input.remove_prefix(count);
      done += count;
      if (!pace.step(count)) return done;
    }
    if (input.empty()) break;
  }
  return done;
}

WasiResult<std::size_t> read_file(int descriptor, std::uint64_t offset, const Buffers& buffers, Pace pace) {
  return move_in_batches(buffers.pieces, kReadBytesMax, pace, [&](const FileBatch& batch) -> WasiResult<std::size_t> {
    const auto from = static_cast<off_t>(offset + batch.done);
    const ssize_t count = ::preadv(descriptor, batch.buffers.data(), static_cast<int>(batch.buffers.size()), from);
    if (count < 0) return std::unexpected(to_wasi_errno(errno));
    return static_cast<std::size_t>(count);
  });
}

WasiResult<std::size_t> read_descriptor(FileCall& call, const WasiDescriptor& descriptor, std::uint64_t offset,
                                        const Buffers& buffers) {
  if (descriptor.kind == DescriptorKind::standard_input)
    return read_input(Pace(call), call.context.input, offset, buffers);
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::unexpected(WasiErrno::inval);
  return read_file(call.host_descriptor(descriptor), offset, buffers, Pace(call));
}

// success, or why this descriptor cannot be read.
WasiErrno check_readable(const WasiDescriptor* descriptor) {
  if (descriptor == nullptr) return WasiErrno::badf;
  if (descriptor->kind == DescriptorKind::folder) return WasiErrno::isdir;
  return descriptor->readable ? WasiErrno::success : WasiErrno::badf;
}

// The shared part of fd_read and fd_pread: with `position` the descriptor's own is read from and moved.
WasiErrno read_at(FileCall& call, WasiDescriptor& descriptor, std::uint64_t* position, std::uint64_t offset,
                  std::uint32_t list, std::uint32_t count, std::uint32_t result) {
  const auto slot = call.structure<4>(result);
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

WasiErrno fd_read(FileCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count, std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_readable(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  const bool file = descriptor->kind == DescriptorKind::file;
  if (file && !call.context.may_use(Permission::file_read)) return refuse(call, WasiErrno::notcapable);
  return read_at(call, *descriptor, &descriptor->position, descriptor->position, list, count, result);
}

WasiErrno fd_pread(FileCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count, std::uint64_t offset,
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
bool log_lines(HostCall& call, std::string_view bytes, Pace& pace) {
  std::string& line = call.context.wasi().error_line();
  while (!bytes.empty()) {
    const std::string_view window = bytes.substr(0, HostContext::kLogLineBytesMax - line.size());
    const std::size_t end = window.find('\n');
    line.append(window.substr(0, end));
    bytes.remove_prefix(end == std::string_view::npos ? window.size() : end + 1);
    if (end == std::string_view::npos && line.size() < HostContext::kLogLineBytesMax) {
      call.context.counts.log_bytes_dropped += call.context.wasi().keep_error_line(call.context);
      break;
    }
    call.context.write_log(LogLevel::warning, line, call.fuel_used());
    line.clear();
    if (!pace.step(HostContext::kLogLineBytesMax)) return false;
  }
  return true;
}

// A line costs what it costs the log, wherever it goes. False if the guest has ended.
bool write_error_piece(HostCall& call, std::string_view bytes, Pace& pace) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
  if (!call.charge(lines * kFuelPerLine)) return false;
  if (call.context.settings().on_stderr == nullptr) return log_lines(call, bytes, pace);
  call.context.write_stderr(bytes, call.fuel_used());
  return true;
}

bool write_stream_piece(HostCall& call, DescriptorKind kind, std::string_view bytes, Pace& pace) {
  if (kind == DescriptorKind::standard_output) call.context.write_stdout(bytes);
  return kind != DescriptorKind::standard_error || write_error_piece(call, bytes, pace);
}

// Bytes that do not fit are dropped and counted, and the program gets success: it continues to its end.
WasiResult<std::size_t> write_stream(HostCall& call, DescriptorKind kind, const Buffers& buffers) {
  Pace pace(call);
  for (const std::span<std::uint8_t> buffer : buffers.pieces) {
    for (std::string_view rest = as_text(buffer); !rest.empty();) {
      const std::string_view piece = rest.substr(0, Pace::kBytesMax);
      rest.remove_prefix(piece.size());
      if (!write_stream_piece(call, kind, piece, pace) || !pace.step(kCallbackBytes + piece.size())) return 0;
    }
  }
  return static_cast<std::size_t>(buffers.bytes);
}

// success, or why this descriptor cannot be written.
WasiErrno check_writable(const WasiDescriptor* descriptor) {
  return descriptor == nullptr || !descriptor->writable ? WasiErrno::badf : WasiErrno::success;
}

// The permission that fd_write needs depends on the kind of descriptor.
bool may_write_to(HostContext& context, DescriptorKind kind) {
  if (kind == DescriptorKind::file) return context.may_use(Permission::file_write);
  const bool to_log = kind == DescriptorKind::standard_error && context.settings().on_stderr == nullptr;
  return !to_log || context.may_use(Permission::log);
}

std::uint64_t end_of_file(FileCall& call, const WasiDescriptor& descriptor) {
  struct stat status{};
  return ::fstat(call.host_descriptor(descriptor), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

WasiErrno write_at(FileCall& call, WasiDescriptor& descriptor, std::uint64_t* position, std::uint64_t offset,
                   std::uint32_t list, std::uint32_t count, std::uint32_t result) {
  const auto slot = call.structure<4>(result);
  if (!slot) return refuse(call, WasiErrno::fault);
  const auto buffers = find_buffers(call, list, count);
  if (!buffers) return refuse(call, buffers.error());
  if (!call.charge_bytes(buffers->bytes)) return WasiErrno::success;
  LimitMet met;
  const auto done = descriptor.kind == DescriptorKind::file
                        ? call.folder().write(descriptor.file, buffers->pieces, offset, met, Pace(call))
                        : write_stream(call, descriptor.kind, *buffers);
  call.note_met(met);
  if (!done) return refuse(call, done.error());
  if (position != nullptr) *position = offset + *done;
  store(*slot, 0, static_cast<std::uint32_t>(*done));
  return WasiErrno::success;
}

WasiErrno fd_write(FileCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count,
                   std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_writable(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  if (!may_write_to(call.context, descriptor->kind)) return refuse(call, WasiErrno::notcapable);
  const std::uint64_t offset = descriptor->append ? end_of_file(call, *descriptor) : descriptor->position;
  return write_at(call, *descriptor, &descriptor->position, offset, list, count, result);
}

WasiErrno fd_pwrite(FileCall& call, std::uint32_t number, std::uint32_t list, std::uint32_t count, std::uint64_t offset,
                    std::uint32_t result) {
  WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (const WasiErrno wrong = check_writable(descriptor); wrong != WasiErrno::success) return refuse(call, wrong);
  if (descriptor->kind != DescriptorKind::file) return refuse(call, WasiErrno::spipe);
  return write_at(call, *descriptor, nullptr, offset, list, count, result);
}

}  // namespace

HostFamily wasi_stream_functions() {
  return {
      host_function<&fd_read>(
          {.module = kWasi, .name = "fd_read", .fuel = 256, .charges_bytes = true, .also = "buffers", .version = 2}),
      host_function<&fd_pread>({.module = kWasi,
                                .name = "fd_pread",
                                .fuel = 256,
                                .charges_bytes = true,
                                .also = "buffers",
                                .permission = Permission::file_read,
                                .deterministic = false,
                                .version = 2}),
      host_function<&fd_write>({.module = kWasi,
                                .name = "fd_write",
                                .fuel = 256,
                                .charges_bytes = true,
                                .also = "buffers + 16 × lines of standard error",
                                .version = 3}),
      host_function<&fd_pwrite>({.module = kWasi,
                                 .name = "fd_pwrite",
                                 .fuel = 256,
                                 .charges_bytes = true,
                                 .also = "buffers",
                                 .permission = Permission::file_write,
                                 .deterministic = false,
                                 .version = 2}),
  };
}

}  // namespace petri
