// Messages between the processes of a sandbox, their children and their timers.
#include <algorithm>
#include <cstring>

#include "host/families.h"
#include "host/process_port.h"

namespace petri {
namespace {

// Copies a name when all of it fits, and tells how long it is either way.
std::int32_t copy_name(HostCall& call, std::string_view name, std::uint32_t destination, std::uint32_t capacity) {
  const auto bytes = call.memory(destination, capacity);
  if (!bytes) return call.refuse(GuestError::out_of_bounds);
  if (!call.charge_bytes(name.size())) return 0;
  if (name.size() <= capacity) std::copy(name.begin(), name.end(), bytes->begin());
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

std::int32_t counted(HostCall& call, std::int32_t answer) {
  return answer < 0 ? call.refuse(static_cast<GuestError>(answer)) : answer;
}

std::int32_t send(HostCall& call, std::uint32_t to, std::uint32_t to_length, std::uint32_t source,
                  std::uint32_t length) {
  const auto name = call.text(to, to_length);
  const auto bytes = call.text(source, length);
  if (!name || !bytes) return call.refuse(GuestError::out_of_bounds);
  if (!call.charge_bytes(length)) return 0;
  if (call.context.port == nullptr) return call.refuse(GuestError::not_found);
  return counted(call, call.context.port->send(*name, *bytes));
}

// The texts are copied: while this guest waits, nothing of its memory may be held.
std::int32_t call_process(HostCall& call, std::uint32_t to, std::uint32_t to_length, std::uint32_t source,
                          std::uint32_t length, std::uint32_t timeout_ms) {
  const auto name = call.text(to, to_length);
  const auto bytes = call.text(source, length);
  if (!name || !bytes) return call.refuse(GuestError::out_of_bounds);
  if (!call.charge_bytes(length)) return 0;
  if (call.context.port == nullptr) return call.refuse(GuestError::not_found);
  call.context.reply.clear();
  return counted(call, call.context.port->call(call, *name, *bytes, timeout_ms, call.context.reply));
}

std::int32_t reply_read(HostCall& call, std::uint32_t destination, std::uint32_t offset, std::uint32_t length) {
  const auto bytes = call.memory(destination, length);
  if (!bytes) return call.refuse(GuestError::out_of_bounds);
  const std::string_view all = call.context.reply;
  const std::string_view piece = all.substr(std::min<std::size_t>(offset, all.size()), length);
  if (!call.charge_bytes(piece.size())) return 0;
  std::copy(piece.begin(), piece.end(), bytes->begin());
  return static_cast<std::int32_t>(piece.size());
}

std::int32_t spawn(HostCall& call, std::uint32_t spec, std::uint32_t length) {
  const auto text = call.text(spec, length);
  if (!text) return call.refuse(GuestError::out_of_bounds);
  if (!call.charge_bytes(length)) return 0;
  if (call.context.port == nullptr) return call.refuse(GuestError::not_now);
  return counted(call, call.context.port->spawn(*text));
}

std::int32_t stop(HostCall& call, std::uint32_t name, std::uint32_t length) {
  const auto text = call.text(name, length);
  if (!text) return call.refuse(GuestError::out_of_bounds);
  if (call.context.port == nullptr) return call.refuse(GuestError::not_now);
  return counted(call, call.context.port->stop(*text));
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
                           .permission = permission,
                           .deterministic = false};
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
      host_function<&stop>(row("stop", 512, false, Permission::spawn)),
      host_function<&timer>(row("timer", 256, false, Permission::timers)),
  };
}

}  // namespace petri
