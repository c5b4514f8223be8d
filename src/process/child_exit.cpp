#include "process/child_exit.h"

namespace petri {
namespace {

void append_u32(std::string& bytes, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(number >> shift));
}

std::int64_t tag_of(const ChildExit& exit) {
  if (exit.reason == ChildExitReason::exited) return exit.code;
  return std::int64_t{static_cast<std::uint32_t>(exit.reason)} << 32;
}

}  // namespace

ChildExit child_exit_of(const Result<Outcome>& how) {
  if (!how) return {.reason = ChildExitReason::failed};
  switch (how->kind) {
    case OutcomeKind::ok:
    case OutcomeKind::exited: return {.reason = ChildExitReason::exited, .code = how->exit_code.value_or(0)};
    case OutcomeKind::trapped: return {.reason = ChildExitReason::trapped};
    case OutcomeKind::cancelled:
      return {.reason = how->cause.empty() ? ChildExitReason::cancelled : ChildExitReason::limit};
    default: return {.reason = ChildExitReason::limit};
  }
}

Message child_exit_message(const ChildExit& exit, const std::string& child, bool runs_again) {
  std::string bytes;
  bytes.reserve(kChildExitHeadBytes + child.size());
  append_u32(bytes, kChildExitFormat);
  append_u32(bytes, kChildExitHeadBytes);
  append_u32(bytes, static_cast<std::uint32_t>(exit.reason));
  append_u32(bytes, static_cast<std::uint32_t>(exit.code));
  append_u32(bytes, runs_again ? 1 : 0);
  append_u32(bytes, static_cast<std::uint32_t>(child.size()));
  bytes += child;
  return {.kind = MessageKind::child_exit, .bytes = std::move(bytes), .sender = child, .tag = tag_of(exit)};
}

}  // namespace petri
