#include "sandbox/switch/state_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/name_table.h"
#include "base/text/escape.h"
#include "engine/module/module_layout.h"
#include "sandbox/switch/described_state.h"

namespace petri {
namespace {

constexpr NameTable<5> kWays{"best", "described", "hooks", "memory", "none"};

// Nobody outside calls these, and a version may do without them.
constexpr std::array<std::string_view, 8> kOwnHooks{"petri_init",    "petri_terminate", "petri_save", "petri_load",
                                                    "petri_migrate", "petri_ready",     "_start",     "_initialize"};

bool has_no_state(const LoadableArtifact& module) {
  return module.facts().memories == 0 && module.facts().globals == 0 && module.facts().tables == 0;
}

// Why the hooks cannot be used, or nothing.
std::string fault_of_hooks(const ModuleCode& from, const ModuleCode& to) {
  if (!from.save) return "the running version exports no petri_save";
  if (!to.load) return "the new version exports no petri_load";
  if (from.module().facts().not_movable != 0) return "the running version is not movable, so petri_save has no copy";
  return {};
}

std::unexpected<Error> incompatible(std::string_view module, std::string_view why) {
  return fail(
      Error{.code = ErrorCode::state_incompatible,
            .message = fmt::format("the state of {} has no way to the new version: {}; ask for the way \"none\" "
                                   "to start fresh",
                                   module, why),
            .details = {}}
          .with("module", std::string(module)));
}

Result<StateWay> best_way(std::string_view module, const ModuleCode& from, const ModuleCode& to) {
  if (describes_state(from.module())) return StateWay::described;
  const std::string hooks = fault_of_hooks(from, to);
  if (hooks.empty()) return StateWay::hooks;
  if (has_no_state(from.module())) return StateWay::none;
  const auto same = check_same_layout(from.module(), to.module());
  if (same) return StateWay::memory;
  return incompatible(module, fmt::format("it is not described, {}, and {}", hooks, same.error().message));
}

bool exports_alike(const LoadableArtifact& module, const ExportView& wanted) {
  const auto number = module.export_number(wanted.name);
  if (!number) return false;
  const ExportView found = module.export_at(*number);
  return found.kind == ExternKind::function && std::ranges::equal(found.signature.params, wanted.signature.params) &&
         std::ranges::equal(found.signature.results, wanted.signature.results);
}

}  // namespace

std::string_view name_of(StateWay way) { return name_in(kWays, way); }
std::optional<StateWay> state_way_named(std::string_view name) { return find_name<StateWay>(kWays, name); }

Result<void> check_reload_policy(const ReloadPolicy& policy) {
  const auto complain = [](std::string_view what) { return fail(ErrorCode::validation_failed, std::string(what)); };
  if (policy.quiet_wait_max <= std::chrono::nanoseconds(0) || policy.quiet_wait_max > std::chrono::hours(1)) {
    return complain("quiet_wait_max goes from above 0 to 1 h");
  }
  if (policy.trial.time < std::chrono::nanoseconds(0) || policy.trial.time > std::chrono::hours(24)) {
    return complain("the time of a trial goes from 0 to 24 h");
  }
  return {};
}

Result<StateWay> choose_way(StateWay asked, std::string_view module, const ModuleCode& from, const ModuleCode& to) {
  switch (asked) {
    case StateWay::best: return best_way(module, from, to);
    case StateWay::described:
      if (!describes_state(from.module())) return incompatible(module, "the running version does not describe it");
      break;
    case StateWay::hooks:
      if (const std::string why = fault_of_hooks(from, to); !why.empty()) return incompatible(module, why);
      break;
    // Asked for by name it is tried; whether memory and globals fit shows then.
    case StateWay::memory:
    case StateWay::none: break;
  }
  return asked;
}

// ", which is (i32) -> i64 there", if the module has a function of this name.
std::string other_type(const LoadableArtifact& module, std::string_view name) {
  const auto number = module.export_number(name);
  if (!number || module.export_at(*number).kind != ExternKind::function) return "";
  return fmt::format(" (in the new version it is {})", to_text(to_signature(module.export_at(*number).signature)));
}

Result<void> check_exports(std::string_view module, const ModuleCode& from, const ModuleCode& to) {
  std::string missing;
  const LoadableArtifact& old = from.module();
  for (std::uint32_t number = 0; number < old.facts().exports; ++number) {
    const ExportView view = old.export_at(number);
    if (view.kind != ExternKind::function || std::ranges::find(kOwnHooks, view.name) != kOwnHooks.end()) continue;
    if (exports_alike(to.module(), view)) continue;
    missing += fmt::format("{}{} {}{}", missing.empty() ? "" : ", ", escape_text(view.name, 80),
                           to_text(to_signature(view.signature)), other_type(to.module(), view.name));
  }
  if (missing.empty()) return {};
  return fail(Error{.code = ErrorCode::rejected,
                    .message = fmt::format("the new version of {} lacks what the running one exports: {}; callers may "
                                           "need it, and drop_exports takes it away from them",
                                           module, missing),
                    .details = {}}
                  .with("component", "exports")
                  .with("module", std::string(module)));
}

}  // namespace petri
