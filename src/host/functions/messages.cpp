// Messages between the processes of a sandbox, their children and their timers.
#include <algorithm>

#include "host/functions/families.h"
#include "host/guest/guest_writer.h"
#include "host/process_port.h"

namespace petri {
namespace {

// No process has a longer name: one that is longer is not looked at, nor copied.
constexpr std::uint32_t kNameBytesMax = 1'024;

GuestResult<std::string_view> read_name(HostCall& call, std::uint32_t pointer, std::uint32_t length) {
  if (length <= kNameBytesMax) return call.read(pointer, length);
  return std::unexpected(call.exists(pointer, length) ? GuestError::not_found : GuestError::out_of_bounds);
}

// Copies a name when all of it fits, and returns how long it is either way.
std::int32_t copy_name(HostCall& call, std::string_view name, std::uint32_t destination, std::uint32_t capacity) {
  auto room = GuestWriter::open(call, destination, capacity);
  if (!room) return call.refuse(GuestError::out_of_bounds);
  if (name.size() <= capacity) room->write(name);
  return static_cast<std::int32_t>(name.size());
}

MessageHead message_of(HostCall& call) {
  return call.context.port == nullptr ? MessageHead{} : call.context.port->message();
}

std::int32_t message_kind(HostCall& call) { return static_cast<std::int32_t>(message_of(call).kind); }

std::int64_t message_tag(HostCall& call) { return message_of(call).tag; }

std::int32_t sender(HostCall& call, std::uint32_t destination, std::uint32_t capacity) {
  return copy_name(call, message_of(call).sender, destination, capacity);
}

std::int32_t self(HostCall& call, std::uint32_t destination, std::uint32_t capacity) {
  return copy_name(call, call.context.port == nullptr ? "" : call.context.port->name(), destination, capacity);
}

// The request to another process, or to the tree, may have taken long.
std::int32_t counted(HostCall& call, std::int32_t answer) {
  call.look();
  return answer < 0 ? call.refuse(static_cast<GuestError>(answer)) : answer;
}

std::int32_t send(HostCall& call, std::uint32_t to, std::uint32_t to_length, std::uint32_t source,
                  std::uint32_t length) {
  const auto bytes = call.read(source, length);
  if (!bytes) return call.refuse(bytes.error());
  const auto name = read_name(call, to, to_length);
  if (!name) return call.refuse(name.error());
  if (call.context.port == nullptr) return call.refuse(GuestError::not_found);
  return counted(call, call.context.port->send(call, *name, *bytes));
}

// The texts are copied: while this guest waits, nothing of its memory may be held.
std::int32_t call_process(HostCall& call, std::uint32_t to, std::uint32_t to_length, std::uint32_t source,
                          std::uint32_t length, std::uint32_t timeout_ms) {
  const auto bytes = call.read(source, length);
  if (!bytes) return call.refuse(bytes.error());
  const auto name = read_name(call, to, to_length);
  if (!name) return call.refuse(name.error());
  if (call.context.port == nullptr) return call.refuse(GuestError::not_found);
  call.context.reply = {};
  call.context.reply_bytes.let_go();
  return counted(call, call.context.port->call(call, *name, *bytes, timeout_ms, call.context.reply));
}

std::int32_t reply_read(HostCall& call, std::uint32_t destination, std::uint32_t offset, std::uint32_t length) {
  auto room = GuestWriter::open(call, destination, length);
  if (!room) return call.refuse(GuestError::out_of_bounds);
  const std::string_view all = call.context.reply;
  return static_cast<std::int32_t>(room->write(all.substr(std::min<std::size_t>(offset, all.size()), length)));
}

std::int32_t spawn(HostCall& call, std::uint32_t spec, std::uint32_t length) {
  const auto text = call.read(spec, length);
  if (!text) return call.refuse(text.error());
  if (call.context.port == nullptr) return call.refuse(GuestError::not_now);
  return counted(call, call.context.port->spawn(call, *text));
}

std::int32_t stop(HostCall& call, std::uint32_t pointer, std::uint32_t length) {
  const auto name = read_name(call, pointer, length);
  if (!name) return call.refuse(name.error());
  if (call.context.port == nullptr) return call.refuse(GuestError::not_now);
  return counted(call, call.context.port->stop(*name));
}

std::int32_t timer(HostCall& call, std::uint32_t milliseconds, std::int64_t tag) {
  if (call.context.port == nullptr) return call.refuse(GuestError::not_now);
  return counted(call, call.context.port->timer(call, milliseconds, tag));
}

}  // namespace

HostFamily message_functions() {
  const auto row = [](std::string_view name, std::uint32_t fuel, bool bytes, std::optional<Permission> permission) {
    return HostFunctionRow{.module = "petri",
                           .name = name,
                           .fuel = fuel,
                           .charges_bytes = bytes,
                           .also = name == "spawn" ? "bytes" : "",
                           .permission = permission,
                           .deterministic = false,
                           .version = name == "spawn" || name == "stop" ? 2U : 1U};
  };
  return {
      host_function<&message_kind>(row("message_kind", 4, false, std::nullopt)),
      host_function<&message_tag>(row("message_tag", 4, false, std::nullopt)),
      host_function<&sender>(row("sender", 8, true, std::nullopt)),
      host_function<&self>(row("self", 8, true, std::nullopt)),
      host_function<&send>(row("send", 128, true, Permission::messages)),
      host_function<&call_process>(row("call", 256, true, Permission::messages)),
      host_function<&reply_read>(row("reply_read", 8, true, Permission::messages)),
      host_function<&spawn>(row("spawn", 4'096, true, Permission::spawn)),
      host_function<&stop>(row("stop", 512, true, Permission::spawn)),
      host_function<&timer>(row("timer", 256, false, Permission::timers)),
  };
}

}  // namespace petri
