#include "sandbox/spec/spec_check.h"
#include "sandbox/versions/version_texts.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/access.h"
#include "base/ids.h"
#include "base/text/escape.h"
#include "host/host_table.h"
#include "population/individual_check.h"
#include "security/containment_check.h"
#include "supervisor/tree_check.h"

namespace petri {
namespace {

void add_result(Complaints& complaints, std::string where, const Result<void>& result) {
  if (!result) complaints.add_sentence(std::move(where), result.error().message);
}

// Adds the findings of another check, with the places it named.
void add_details(Complaints& complaints, const Error& error, const std::string& where = {}) {
  for (const ErrorDetail& detail : error.details) complaints.add_sentence(where + detail.key, detail.value);
}

// `kind` as in a mode: S_IFREG or S_IFDIR.
void check_path(const std::string& field, const std::string& path, mode_t kind, Complaints& complaints) {
  const std::string_view noun = kind == S_IFDIR ? "folder" : "file";
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    complaints.add_sentence(field, fmt::format("there is no {} {}", noun, escape_text(path, 200)));
  } else if ((status.st_mode & S_IFMT) != kind) {
    complaints.add_sentence(field, fmt::format("{} is not a {}", escape_text(path, 200), noun));
  }
}

// Each range has a place of its own.
void check_needs_of(const ModuleSpec& module, const std::string& field, Complaints& complaints) {
  const auto names = check_needed_names(module.needs);
  if (!names && names.error().detail("component") != "range") add_result(complaints, field, names);
  for (const auto& [needed, range] : module.needs) {
    const std::string place = field + ".needs." + escape_text(needed, kWordShownBytesMax);
    add_result(complaints, place, check_needed_range(needed, range));
    if (needed == module.name) complaints.add_sentence(place, "a module does not need itself: leave it out");
  }
}

void check_modules(const SandboxSpec& spec, Complaints& complaints) {
  if (spec.modules.empty()) complaints.add_sentence("modules", "a sandbox needs at least one module");
  std::set<std::string> names;
  for (const ModuleSpec& module : spec.modules) {
    const std::string field = "modules." + escape_text(module.name, kSandboxIdBytesMax);
    add_result(complaints, field, check_module_name(module.name));
    check_needs_of(module, field, complaints);
    if (!names.insert(module.name).second) complaints.add_sentence(field, "there are two modules of this name");
    if (module.source.kind() == Source::Kind::file) check_path(field, module.source.text(), S_IFREG, complaints);
    if (module.source.kind() == Source::Kind::folder) check_path(field, module.source.text(), S_IFDIR, complaints);
    if (module.source.kind() == Source::Kind::artifact && module.source.artifact() == nullptr) {
      complaints.add_sentence(field, "there is no artifact");
    }
  }
}

void check_tree_of(const SandboxSpec& spec, Complaints& complaints) {
  if (!spec.tree) return;
  std::vector<std::string> names;
  for (const ModuleSpec& module : spec.modules) names.push_back(module.name);
  check_tree(*spec.tree, names, "tree", complaints);
}

// The first that names a limit has it.
LimitChanges merged(std::initializer_list<const LimitChanges*> by_precedence) {
  LimitChanges all;
  for (const LimitChanges* changes : by_precedence) fill_in(all, *changes);
  return all;
}

void check_profile(const ProfileSpec& profile, Complaints& complaints) {
  if (!profile.base)
    complaints.add_sentence("profile.base", "a profile of your own needs one of strict, standard, trusted as its base");
  const Permissions both = profile.grant.common(profile.deny);
  if (!both.empty()) complaints.add("profile", fmt::format("grants and denies {}", both.to_text()));
}

// A permission that was asked for, and of whose functions the lists allow none, is a contradiction.
void check_imports_for(Permissions asked, const ImportPolicy& imports, const HostFunctions& host,
                       Complaints& complaints) {
  if (imports.empty()) return;
  for (const Permission permission : all_permissions()) {
    if (!asked.has(permission)) continue;
    const auto allows = [&](const HostFunction& function) {
      return function.permission == permission && imports.refusal(function.module, function.name).empty();
    };
    const bool own = std::ranges::any_of(builtin_functions(), allows);
    const bool embedded = std::ranges::any_of(detail::Access::impl(host).embedded,
                                              [&](const auto& entry) { return allows(entry.second->row); });
    if (own || embedded) continue;
    complaints.add_sentence("imports",
                            fmt::format("the permission {} is granted, but the lists allow no function that needs it",
                                        name_of(permission)));
  }
}

ModuleBounds bounds_of(const SandboxSpec& spec, const ProfileSpec& profile) {
  return spec.bounds.value_or(profile.bounds.value_or(rule_of(profile.base.value_or(Profile::strict)).bounds));
}

// Without host functions nothing is said about which of them the lists allow.
SandboxPolicy resolve(const SandboxSpec& spec, const HostFunctions* host, Complaints& complaints) {
  const ProfileSpec profile = profile_of(spec);
  const ProfileRule& rule = rule_of(profile.base.value_or(Profile::strict));
  SandboxPolicy policy;
  policy.permissions = spec.permissions.value_or(rule.permissions.with(profile.grant).without(profile.deny));
  policy.audit = spec.audit.value_or(profile.audit.value_or(rule.audit));
  policy.bounds = bounds_of(spec, profile);
  policy.reject_findings = spec.reject_findings ? spec.reject_findings : profile.reject_findings;
  check_import_rules(profile.imports, "profile.imports", complaints);
  check_import_rules(spec.imports, "imports", complaints);
  if (profile.imports != ImportRules{}) {
    policy.imports.add(profile.imports, "the profile " + escape_text(profile.title(), kSandboxIdBytesMax));
  }
  policy.imports.add(spec.imports, "the sandbox");
  if (host != nullptr) {
    check_imports_for(spec.permissions.value_or(profile.grant), policy.imports, *host, complaints);
  }
  return policy;
}

SandboxLimits check_limits_of(const SandboxSpec& spec, const LimitChanges& defaults, Complaints& complaints) {
  const ProfileSpec profile = profile_of(spec);
  SandboxLimits base = SandboxLimits::of(profile.base.value_or(Profile::strict));
  if (bounds_of(spec, profile) == ModuleBounds::program) base.module_bytes_max = kProgramBytesMax;
  auto limits = with_changes(base, merged({&spec.limits, &profile.limits, &defaults}));
  if (!limits) {
    if (auto own = with_changes(base, merged({&spec.limits, &defaults})); !own) add_details(complaints, own.error());
    if (auto own = with_changes(base, profile.limits); !own) add_details(complaints, own.error(), "profile.");
  }
  if (auto actions = check_actions(spec.on_limit); !actions) add_details(complaints, actions.error());
  return limits.value_or(SandboxLimits{});
}

void check_keeps(const SandboxSpec& spec, Complaints& complaints) {
  constexpr auto kNone = std::chrono::nanoseconds(0);
  if (spec.idle_keep && *spec.idle_keep <= kNone) complaints.add("idle_keep", "is not above 0");
  if (spec.dead_keep && *spec.dead_keep < kNone) complaints.add("dead_keep", "is below 0");
}

void check_descent(const SandboxSpec& spec, Complaints& complaints) {
  Individual individual;
  individual.id = spec.id.empty() ? "it" : spec.id;  // the id has a check of its own
  individual.parents = spec.parents;
  individual.mutation = spec.mutation;
  add_result(complaints, "parents", check_individual(individual));
}

void check_failures(const SandboxSpec& spec, Complaints& complaints) {
  if (spec.reload) add_result(complaints, "reload", check_reload_policy(*spec.reload));
  if (auto recovery = check_recovery(spec.recovery.value_or(Recovery{})); !recovery) {
    add_details(complaints, recovery.error());
  }
  if (spec.breaker) check_breaker(*spec.breaker, "breaker", complaints);
}

SandboxPolicy check_all(const SandboxSpec& spec, const LimitChanges& defaults, const HostFunctions* host,
                        Complaints& complaints) {
  add_result(complaints, "id", check_sandbox_id(spec.id));
  check_modules(spec, complaints);
  check_tree_of(spec, complaints);
  if (!spec.folder.empty()) check_path("folder", spec.folder, S_IFDIR, complaints);
  for (const std::string& label : spec.labels) add_result(complaints, "labels", check_label(label));
  check_descent(spec, complaints);
  check_profile(profile_of(spec), complaints);
  SandboxPolicy policy = resolve(spec, host, complaints);
  add_result(complaints, "permissions", check_permissions(profile_of(spec), policy.permissions));
  policy.limits = check_limits_of(spec, defaults, complaints);
  check_failures(spec, complaints);
  check_keeps(spec, complaints);
  return policy;
}

}  // namespace

ProfileSpec profile_of(const SandboxSpec& spec) { return spec.profile.value_or(Profile::standard); }

Result<void> check_permissions(const ProfileSpec& profile, Permissions permissions) {
  if (profile.base != Profile::strict || !permissions.has(Permission::file_write)) return {};
  return fail(Error{.code = ErrorCode::validation_failed,
                    .message =
                        "the profile strict and the permission file_write contradict each other: take standard or "
                        "trusted, or leave file_write out",
                    .details = {}}
                  .with("permissions", "file_write"));
}

void check_spec_alone(const SandboxSpec& spec, Complaints& complaints) { check_all(spec, {}, nullptr, complaints); }

Result<SandboxPolicy> check_spec(const SandboxSpec& spec, const LimitChanges& defaults, const HostFunctions& host) {
  Complaints complaints;
  SandboxPolicy policy = check_all(spec, defaults, &host, complaints);
  PETRI_TRY(complaints.result());
  return policy;
}

}  // namespace petri
