#include "process/account/account_place.h"

#include <fmt/format.h>

#include "base/heap_bytes.h"

namespace petri {

// An instance, the host's side of it, and its places in the tables of its sandbox and its supervisor; in either tier.
std::uint64_t AccountPlace::bytes() const {
  constexpr std::uint64_t kBytes = 6'272;
  return kBytes + 4 * heap_bytes(process_);
}

bool AccountPlace::try_take() {
  if (!account_.try_add_process()) return false;
  if (account_.try_hold(bytes())) return true;
  account_.remove_process();
  return false;
}

Result<void> AccountPlace::take() {
  if (try_take()) return {};
  const std::uint64_t processes = account_.processes(), allowed = account_.limits()->processes_max;
  if (processes >= allowed) {
    account_.report_met(process_, {.limit = "processes_max", .wanted = processes + 1, .allowed = allowed});
    return fail(ErrorCode::limit_exceeded,
                fmt::format("{} would be one process more than processes_max allows", process_));
  }
  account_.report_met(
      process_, {.limit = "memory_bytes_max", .wanted = account_.taken() + bytes(), .allowed = account_.allowed()});
  return fail(ErrorCode::limit_exceeded, fmt::format("memory_bytes_max leaves no room for the process {}", process_));
}

void AccountPlace::give_back() {
  account_.remove_process();
  account_.let_go(bytes());
}

}  // namespace petri
