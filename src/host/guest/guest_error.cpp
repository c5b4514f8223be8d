#include "petri/host_functions.h"

#include "base/assert.h"

namespace petri {
namespace {

constexpr GuestErrorRule kRules[] = {
    {GuestError::invalid, "invalid", "an argument has no meaning: a level, kind or name that does not exist"},
    {GuestError::out_of_bounds, "out_of_bounds", "pointer and length do not lie inside the guest's memory"},
    {GuestError::permission_denied, "permission_denied", "the guest does not have the permission, or has it no longer"},
    {GuestError::not_found, "not_found", "there is nothing of this name"},
    {GuestError::already_exists, "already_exists", "there is something of this name already"},
    {GuestError::too_large, "too_large", "more bytes than the limit allows in one piece"},
    {GuestError::limit_exceeded, "limit_exceeded", "a limit on how many or how fast is met"},
    {GuestError::queue_full, "queue_full", "the receiver's mailbox is full"},
    {GuestError::deadlock, "deadlock", "the call would wait for itself"},
    {GuestError::timeout, "timeout", "no answer came in time"},
    {GuestError::not_now, "not_now", "effects are refused until the new version is switched to"},
    {GuestError::cancelled, "cancelled", "the other side ended before it answered"},
    {GuestError::host_function_threw, "host_function_threw", "a function of the embedding program failed"},
    {GuestError::too_deep, "too_deep", "calls between guests are nested too deeply"},
    {GuestError::busy, "busy", "the host has no memory to spare for more; try again later"},
};

constexpr bool is_without_gaps() {
  std::int32_t expected = -1;
  for (const GuestErrorRule& rule : kRules) {
    if (static_cast<std::int32_t>(rule.error) != expected--) return false;
  }
  return true;
}
static_assert(is_without_gaps());

}  // namespace

std::span<const GuestErrorRule> guest_error_rules() { return kRules; }

std::string_view name_of(GuestError error) {
  const auto index = static_cast<std::size_t>(-static_cast<std::int32_t>(error)) - 1;
  PETRI_ASSERT(index < std::size(kRules));
  return kRules[index].name;
}

}  // namespace petri
