#include "sandbox/trees/child_room.h"

#include <fmt/format.h>

#include <utility>

#include "base/heap_bytes.h"
#include "base/ids.h"
#include "base/text/escape.h"

namespace petri {
namespace {

std::uint64_t bytes_of(const TreeChild& child) {
  constexpr std::uint64_t kEntry = 640;
  std::uint64_t bytes = kEntry + 3 * heap_bytes(child.id());
  if (const ChildSpec* process = child.process())
    return bytes + heap_bytes(process->module) + heap_bytes(process->input);
  for (const TreeChild& below : child.supervisor()->children) bytes += bytes_of(below);
  return bytes;
}

}  // namespace

Result<std::shared_ptr<void>> must_have_room_for(const std::shared_ptr<TreeAccount>& account, const TreeChild& child) {
  auto held = hold_bytes(account, bytes_of(child));
  if (held == nullptr) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("memory_bytes_max leaves no room for the spec of the child {}", child.id()));
  }
  return held;
}

Result<AddInstance> instance_request(const std::shared_ptr<TreeAccount>& account, const TreeRunner& tree,
                                     const InstanceSpec& instance, std::string_view supervisor) {
  if (!instance.id.empty() && !is_sandbox_id(instance.id)) {
    return fail(ErrorCode::validation_failed,
                fmt::format("\"{}\" cannot be the id of a child: an id has 1 to {} letters, digits, \"_\" or \"-\" and "
                            "starts with a letter or digit",
                            escape_text(instance.id, kSandboxIdBytesMax), kSandboxIdBytesMax));
  }
  const auto follows = tree.template_at(supervisor);
  if (!follows) return AddInstance{instance, nullptr};
  TreeChild child = *follows;
  if (child.process() && instance.input) {
    ChildSpec own = *child.process();
    own.input = *instance.input;
    child = std::move(own);
  }
  PETRI_TRY(auto held, must_have_room_for(account, child));
  return AddInstance{instance, std::move(held)};
}

}  // namespace petri
