// A guest's own end.
#include "host/functions/families.h"

namespace petri {
namespace {

void exit_with(HostCall& call, std::int32_t code) { call.exit(code); }

}  // namespace

HostFamily exit_functions() { return {host_function<&exit_with>({.module = "petri", .name = "exit", .fuel = 1})}; }

}  // namespace petri
