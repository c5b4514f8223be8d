// Time, in whole milliseconds.
#include "host/functions/families.h"

namespace petri {
namespace {

std::int64_t clock_ms(HostCall& call) {
  call.context.note_time_seen();
  return static_cast<std::int64_t>(call.context.wall_ms(call.fuel_used()));
}

}  // namespace

HostFamily clock_functions() {
  return {
      host_function<&clock_ms>({.module = "petri", .name = "clock_ms", .fuel = 16, .permission = Permission::clock})};
}

}  // namespace petri
