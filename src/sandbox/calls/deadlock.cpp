#include "sandbox/calls/deadlock.h"

#include <fmt/format.h>

#include "host/guest/inside.h"

namespace petri {
namespace {

bool is_below(std::string_view name, std::string_view address) {
  return name.starts_with(address) && (address.empty() || name.size() == address.size() || name[address.size()] == '/');
}

const Inside* waiting_for_this_thread(ProcessOwner& owner, const Awaited& awaited) {
  const bool any = awaited.with_queue && owner.deterministic_queue() != nullptr;
  for (const Inside* one = Inside::here(); one != nullptr; one = one->outer()) {
    if (one->process().owner == &owner && (any || is_below(one->process().name, awaited.address))) return one;
  }
  return nullptr;
}

}  // namespace

Result<void> may_wait_here(ProcessOwner& owner, const Awaited& awaited, std::string_view verb,
                           std::string_view object) {
  const Inside* const inside = waiting_for_this_thread(owner, awaited);
  if (inside == nullptr) return {};
  return fail(ErrorCode::deadlock, fmt::format("{} {} cannot {} {}, which would wait for it; do that on another thread",
                                               inside->what(), inside->process().name, verb, object));
}

}  // namespace petri
