#include "sandbox/spec_check.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/escape.h"
#include "base/ids.h"
#include "host/host_table.h"
#include "security/containment_check.h"

namespace petri {
namespace {

class Complaints {
 public:
  void add(std::string field, std::string what) { error_.details.push_back({std::move(field), std::move(what)}); }
  void add(std::string field, const Result<void>& result) {
    if (!result) add(std::move(field), result.error().message);
  }
  // What another check has found, with the places it named.
  void add_all(const Error& error) {
    if (error.details.empty()) add("spec", error.message);
    for (const ErrorDetail& detail : error.details) error_.details.push_back(detail);
  }
  bool empty() const { return error_.details.empty(); }
  Error take() {
    for (const ErrorDetail& detail : error_.details) {
      error_.message.append(error_.message.empty() ? "" : "; ").append(detail.key + ": " + detail.value);
    }
    return std::move(error_);
  }

 private:
  Error error_{.code = ErrorCode::validation_failed, .message = {}, .details = {}};
};

// `kind` as in a mode: S_IFREG or S_IFDIR.
void check_path(const std::string& field, const std::string& path, mode_t kind, Complaints& complaints) {
  const std::string_view noun = kind == S_IFDIR ? "folder" : "file";
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    complaints.add(field, fmt::format("there is no {} {}", noun, escape_text(path, 200)));
  } else if ((status.st_mode & S_IFMT) != kind) {
    complaints.add(field, fmt::format("{} is not a {}", escape_text(path, 200), noun));
  }
}

void check_modules(const SandboxSpec& spec, Complaints& complaints) {
  if (spec.modules.empty()) complaints.add("modules", "a sandbox needs at least one module");
  std::set<std::string> names;
  for (const ModuleSpec& module : spec.modules) {
    const std::string field = "modules." + escape_text(module.name, kSandboxIdBytesMax);
    complaints.add(field, check_module_name(module.name));
    if (!names.insert(module.name).second) complaints.add(field, "there are two modules of this name");
    if (module.source.kind() == Source::Kind::file) check_path(field, module.source.text(), S_IFREG, complaints);
    if (module.source.kind() == Source::Kind::artifact && module.source.artifact() == nullptr) {
      complaints.add(field, "there is no artifact");
    }
  }
}

void check_tree(const SandboxSpec& spec, Complaints& complaints) {
  if (!spec.tree) return;
  std::vector<std::string> names;
  for (const ModuleSpec& module : spec.modules) names.push_back(module.name);
  if (auto valid = validate(*spec.tree, names); !valid) complaints.add("tree", valid.error().message);
}

// The first that names a limit has it.
LimitChanges merged(std::initializer_list<const LimitChanges*> by_precedence) {
  LimitChanges all;
  for (const LimitChanges* changes : by_precedence) all.insert(changes->begin(), changes->end());
  return all;
}

void check_profile(const ProfileSpec& profile, Complaints& complaints) {
  if (!profile.base) complaints.add("profile.base", "a profile of your own needs one of high, medium, low as its base");
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
    const bool embedded =
        std::ranges::any_of(host.impl().embedded, [&](const auto& entry) { return allows(entry.second->row); });
    if (own || embedded) continue;
    complaints.add("imports", fmt::format("the permission {} is granted, but the lists allow no function that needs it",
                                          name_of(permission)));
  }
}

SandboxPolicy resolve(const SandboxSpec& spec, const HostFunctions& host, Complaints& complaints) {
  const ProfileRule& rule = rule_of(spec.profile.base.value_or(Profile::high));
  SandboxPolicy policy;
  policy.permissions = spec.permissions.value_or(rule.permissions.with(spec.profile.grant).without(spec.profile.deny));
  policy.audit = spec.audit.value_or(spec.profile.audit.value_or(rule.audit));
  policy.reject_findings = spec.reject_findings ? spec.reject_findings : spec.profile.reject_findings;
  for (const std::string& fault : faults_of(spec.profile.imports)) complaints.add("profile.imports", fault);
  for (const std::string& fault : faults_of(spec.imports)) complaints.add("imports", fault);
  if (spec.profile.imports != ImportRules{}) {
    policy.imports.add(spec.profile.imports, "the profile " + escape_text(spec.profile.title(), kSandboxIdBytesMax));
  }
  policy.imports.add(spec.imports, "the sandbox");
  check_imports_for(spec.permissions.value_or(spec.profile.grant), policy.imports, host, complaints);
  return policy;
}

}  // namespace

Result<void> check_permissions(const ProfileSpec& profile, Permissions permissions) {
  if (profile.base != Profile::high || !permissions.has(Permission::file_write)) return {};
  return fail(Error{.code = ErrorCode::validation_failed,
                    .message = "the profile high and the permission file_write contradict each other: take medium or "
                               "low, or leave file_write out",
                    .details = {}}
                  .with("permissions", "file_write"));
}

Result<SandboxPolicy> check_spec(const SandboxSpec& spec, const LimitChanges& defaults, const HostFunctions& host) {
  Complaints complaints;
  complaints.add("id", check_sandbox_id(spec.id));
  check_modules(spec, complaints);
  check_tree(spec, complaints);
  if (!spec.folder.empty()) check_path("folder", spec.folder, S_IFDIR, complaints);
  for (const std::string& label : spec.labels) complaints.add("labels", check_sandbox_id(label));
  check_profile(spec.profile, complaints);
  SandboxPolicy policy = resolve(spec, host, complaints);
  if (auto fits = check_permissions(spec.profile, policy.permissions); !fits) {
    complaints.add("permissions", fits.error().message);
  }
  auto limits = with_changes(SandboxLimits::of(spec.profile.base.value_or(Profile::high)),
                             merged({&spec.limits, &spec.profile.limits, &defaults}));
  if (!limits) complaints.add_all(limits.error());
  if (limits) policy.limits = *limits;
  if (spec.reload) complaints.add("reload", check_reload_policy(*spec.reload));
  if (auto recovery = check_recovery(spec.recovery); !recovery) complaints.add_all(recovery.error());
  if (spec.breaker) {
    for (const auto& [field, wrong] : faults_of(*spec.breaker)) complaints.add("breaker." + field, wrong);
  }
  if (auto actions = check_actions(spec.on_limit); !actions) complaints.add_all(actions.error());
  if (!complaints.empty()) return fail(complaints.take());
  return policy;
}

}  // namespace petri
