// Random numbers that depend on the seed alone.
#include "host/functions/families.h"

namespace petri {
namespace {

std::int64_t random_number(HostCall& call) { return static_cast<std::int64_t>(call.context.random.next()); }

}  // namespace

HostFamily random_functions() {
  return {host_function<&random_number>(
      {.module = "petri", .name = "random", .fuel = 8, .permission = Permission::random})};
}

}  // namespace petri
