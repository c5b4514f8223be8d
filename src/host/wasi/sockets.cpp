// WASI: sockets, of which no guest has any. Programs that can use some import these functions and get an error number.
#include "host/functions/families.h"
#include "host/wasi/memory.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

WasiErrno no_socket(HostCall& call, std::uint32_t number) {
  return refuse(call, call.context.wasi().find(number) == nullptr ? WasiErrno::badf : WasiErrno::notsock);
}

WasiErrno sock_accept(HostCall& call, std::uint32_t number, std::uint32_t, std::uint32_t) {
  return no_socket(call, number);
}

WasiErrno sock_recv(HostCall& call, std::uint32_t number, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                    std::uint32_t) {
  return no_socket(call, number);
}

WasiErrno sock_send(HostCall& call, std::uint32_t number, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {
  return no_socket(call, number);
}

WasiErrno sock_shutdown(HostCall& call, std::uint32_t number, std::uint32_t) { return no_socket(call, number); }

}  // namespace

HostFamily wasi_socket_functions() {
  return {
      host_function<&sock_accept>({.module = kWasi, .name = "sock_accept", .fuel = 16}),
      host_function<&sock_recv>({.module = kWasi, .name = "sock_recv", .fuel = 16}),
      host_function<&sock_send>({.module = kWasi, .name = "sock_send", .fuel = 16}),
      host_function<&sock_shutdown>({.module = kWasi, .name = "sock_shutdown", .fuel = 16}),
  };
}

}  // namespace petri
