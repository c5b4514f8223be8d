#include "host/link.h"

#include <fmt/format.h>

#include <deque>

#include "base/access.h"
#include "base/text/escape.h"
#include "engine/instance/linked_code.h"
#include "host/host_call.h"

namespace petri {
namespace {

std::string what_it_is(const ImportView& import) {
  if (import.kind != ExternKind::function) return fmt::format("a {}", name_of(import.kind));
  return "a function of type " + to_text(to_signature(import.signature));
}

std::unexpected<Error> refuse(const ImportView& import, std::string_view why) {
  return fail(import_error(ErrorCode::link_error, "link", import, why));
}

std::unexpected<Error> refuse_unknown(const ImportView& import) {
  return refuse(import, fmt::format("({}) is offered by nobody", what_it_is(import)));
}

std::unexpected<Error> refuse_unpermitted(const ImportView& import, Permission permission) {
  auto refused =
      refuse(import, fmt::format("needs the permission {}, which the guest does not have", name_of(permission)));
  return fail(std::move(refused.error()).with("permission", std::string(name_of(permission))));
}

// A callee whose stack is too small here gets a thread of its own, which takes a thousand times as long as the call.
bool is_time_to_look() {
  constexpr std::uint32_t kCallsBetweenLooks = 16;
  thread_local std::uint32_t calls = 0;
  return ++calls % kCallsBetweenLooks == 0;
}

After look_at_clock(Caller& caller) {
  HostCall call(caller);
  call.look();
  return call.after();
}

// A call into another module, on the thread and the budget of the guest that makes it. `data` is the import's number.
After enter_module(void* data, Caller& caller, const std::uint64_t* arguments, std::uint64_t* results) {
  auto& context = *static_cast<HostContext*>(caller.context());
  const std::uint64_t used = caller.fuel_used();
  context.fuel_before += used;
  const auto after = context.linked->call_import(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data)),
                                                 caller, arguments, results);
  context.fuel_before -= used;
  if (after) return *after == After::stop || !is_time_to_look() ? *after : look_at_clock(caller);
  context.fault = after.error().code == ErrorCode::rejected ? kCommandRunsOnce : "a call into another module failed";
  caller.stop(EndKind::refused, 0);
  return After::stop;
}

// The bindings besides the host's own functions, and the table that those are in.
struct OwnImports {
  std::shared_ptr<const void> host;
  std::deque<HostImport> imports;
};

constexpr std::string_view kAllocator = "petri_alloc";

Result<void> check_allocator(const LoadableArtifact& artifact, const ImportView& import) {
  const auto number = artifact.export_number(kAllocator);
  if (number && artifact.export_at(*number).kind == ExternKind::function &&
      to_text(to_signature(artifact.export_at(*number).signature)) == "(i32) -> i32") {
    return {};
  }
  return refuse(import, fmt::format("returns bytes in memory that the guest gives, and the guest exports no function "
                                    "\"{}\" of type (i32) -> i32",
                                    kAllocator));
}

}  // namespace

Error import_error(ErrorCode code, std::string_view component, const ImportView& import, std::string_view why) {
  const std::string module = escape_text(import.module, kNameShownBytesMax);
  const std::string name = escape_text(import.name, kNameShownBytesMax);
  Error error{.code = code, .message = fmt::format("the import \"{}\".\"{}\" {}", module, name, why), .details = {}};
  return std::move(error).with("component", std::string(component)).with("module", module).with("name", name);
}

Result<const HostFunction*> resolve_import(const ImportView& import, const HostFunctions::Impl& host,
                                           Permissions permissions) {
  const HostFunction* function = host.find(import.module, import.name);
  if (function == nullptr) return refuse_unknown(import);
  if (import.kind != ExternKind::function || !matches(import.signature, function->signature)) {
    return refuse(import, fmt::format("is {}, but the host offers a function of type {}", what_it_is(import),
                                      to_text(function->signature)));
  }
  if (function->permission && !permissions.has(*function->permission)) {
    return refuse_unpermitted(import, *function->permission);
  }
  return function;
}

Result<Linked> link(const LoadableArtifact& artifact, const HostFunctions& host, Permissions permissions,
                    Neighbours neighbours) {
  Linked linked;
  const std::uint32_t count = artifact.facts().imports;
  if (count == 0) return linked;
  linked.imports.functions.reserve(count);
  linked.imports.owner = detail::Access::shared_impl(host);
  std::shared_ptr<OwnImports> own;
  for (std::uint32_t index = 0; index < count; ++index) {
    const ImportView import = artifact.import_at(index);
    if (neighbours == Neighbours::may_be && import.kind == ExternKind::function &&
        !detail::Access::impl(host).has(import.module) && find_builtin(import.module, import.name) == nullptr) {
      if (own == nullptr) own = std::make_shared<OwnImports>(detail::Access::shared_impl(host));
      own->imports.push_back(
          {.callback = &enter_module, .data = reinterpret_cast<void*>(std::uintptr_t{index}), .fuel = kModuleCallFuel});
      linked.imports.functions.push_back(&own->imports.back());
      linked.imports.owner = own;
      linked.from_modules.push_back({index, std::string(import.module)});
      continue;
    }
    PETRI_TRY(const HostFunction* function, resolve_import(import, detail::Access::impl(host), permissions));
    if (function->allocates) PETRI_TRY(check_allocator(artifact, import));
    linked.imports.functions.push_back(&function->import);
    linked.deterministic = linked.deterministic && function->deterministic;
    linked.repeatable = linked.repeatable && (!function->embedded || function->deterministic);
  }
  return linked;
}

Result<void> require_deterministic(const LoadableArtifact& artifact, const HostFunctions& host, Asked asked,
                                   std::string_view why) {
  for (std::uint32_t index = 0; index < artifact.facts().imports; ++index) {
    const ImportView import = artifact.import_at(index);
    const HostFunction* function = detail::Access::impl(host).find(import.module, import.name);
    // link() reports a function that nobody offers.
    if (function == nullptr || function->deterministic || (asked == Asked::embedded && !function->embedded)) continue;
    return refuse(import, fmt::format("is not deterministic{}", why));
  }
  return {};
}

}  // namespace petri
