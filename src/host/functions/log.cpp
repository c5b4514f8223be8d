// Lines a guest wants people to read.
#include "petri/host_functions.h"

#include "base/name_table.h"
#include "host/functions/families.h"

namespace petri {
namespace {

constexpr NameTable<5> kLogLevels{"trace", "debug", "info", "warning", "error"};
static_assert(static_cast<std::size_t>(LogLevel::error) + 1 == kLogLevels.size());

// Returns how many bytes of the line were kept, or limit_exceeded when the guest logs too fast.
std::int32_t log_line(HostCall& call, std::uint32_t level, std::uint32_t source, std::uint32_t length) {
  if (level >= kLogLevels.size() && call.exists(source, length)) return call.refuse(GuestError::invalid);
  const auto line = call.read(source, length);
  if (!line) return call.refuse(line.error());
  const auto kept = call.context.write_log(static_cast<LogLevel>(level), *line, call.fuel_used());
  return kept ? static_cast<std::int32_t>(*kept) : call.refuse(GuestError::limit_exceeded);
}

}  // namespace

std::string_view name_of(LogLevel level) { return name_in(kLogLevels, level); }

HostFamily log_functions() {
  return {host_function<&log_line>(
      {.module = "petri", .name = "log", .fuel = 64, .charges_bytes = true, .permission = Permission::log})};
}

}  // namespace petri
