#include "sandbox/spec_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/bounded_json.h"
#include "base/escape.h"
#include "base/json_reader.h"
#include "sandbox/spec_check.h"
#include "supervisor/tree_json.h"

namespace petri {
namespace {

using Json = nlohmann::json;

class SpecReader {
 public:
  SpecReader(std::string where, Complaints& complaints) : reader_(complaints, std::move(where)) {}

  SandboxSpec read(const Json& json, bool with_identity) {
    JsonReader::Fields known = common_fields();
    if (with_identity) {
      known.emplace("id", [this](const Json& value) { reader_.read(value, spec_.id); });
      known.emplace("modules", [this](const Json& value) { modules(value); });
    }
    reader_.fields(json, known);
    return std::move(spec_);
  }

 private:
  JsonReader::Fields common_fields() {
    return {{"tree", [this](const Json& value) { tree(value); }},
            {"profile", [this](const Json& value) { profile(value); }},
            {"limits", [this](const Json& value) { spec_.limits = limits_of(value); }},
            {"on_limit", [this](const Json& value) { on_limit(value); }},
            {"permissions", [this](const Json& value) { spec_.permissions = permissions_of(value); }},
            {"imports", [this](const Json& value) { spec_.imports = imports_of(value); }},
            {"reject_findings", [this](const Json& value) { spec_.reject_findings = severity_of(value); }},
            {"audit", [this](const Json& value) { spec_.audit = level_of(value); }},
            {"breaker", [this](const Json& value) { breaker(value); }},
            {"recovery", [this](const Json& value) { recovery(value); }},
            {"reload", [this](const Json& value) { reload(value); }},
            {"folder", [this](const Json& value) { reader_.read(value, spec_.folder); }},
            {"arguments", [this](const Json& value) { spec_.arguments = reader_.strings(value); }},
            {"environment", [this](const Json& value) { environment(value); }},
            {"labels", [this](const Json& value) { spec_.labels = reader_.strings(value); }},
            {"generation", [this](const Json& value) { spec_.generation = reader_.integer(value); }},
            {"seed", [this](const Json& value) { spec_.seed = reader_.integer(value); }},
            {"deterministic", [this](const Json& value) { spec_.deterministic = reader_.boolean(value); }},
            {"tier", [this](const Json& value) { tier(value); }}};
  }

  void modules(const Json& value) {
    reader_.members(value, [this](const std::string& name, const Json& module) {
      VersionNeeds needs;
      Source source = source_of(module, needs);
      spec_.modules.push_back({.name = name, .source = std::move(source), .needs = std::move(needs)});
    });
  }
  // A source that is wrong is replaced by an empty one, so that what refers to the module finds its name.
  Source source_of(const Json& value, VersionNeeds& needs) {
    const bool known = value.is_object() && value.contains("file") != value.contains("wat");
    if (!known) reader_.refuse(R"(is not one of {"file": path} and {"wat": text})");
    std::optional<Source> source;
    if (known) {
      reader_.fields(value, {{"file", [&](const Json& path) { source = file_of(path); }},
                             {"wat", [&](const Json& text) { source = wat_of(text); }},
                             {"needs", [&](const Json& all) { needs = needs_of(all); }}});
    }
    return source.value_or(Source::wat(""));
  }
  VersionNeeds needs_of(const Json& value) {
    VersionNeeds needs;
    reader_.members(value, [&](const std::string& module, const Json& range) {
      VersionRange& versions = needs[module];
      reader_.fields(range, {{"min", [&](const Json& number) { reader_.read(number, versions.min); }},
                             {"max", [&](const Json& number) { reader_.read(number, versions.max); }}});
      if (versions.min == 0 || versions.min > versions.max)
        reader_.refuse("has no version between its min and its max");
    });
    return needs;
  }
  std::optional<Source> file_of(const Json& value) {
    const auto path = reader_.string(value);
    return path ? std::optional(Source::file(*path)) : std::nullopt;
  }
  std::optional<Source> wat_of(const Json& value) {
    const auto text = reader_.string(value);
    return text ? std::optional(Source::wat(*text)) : std::nullopt;
  }
  void tree(const Json& value) { spec_.tree = read_tree(value, reader_.where(), reader_.complaints()); }
  void environment(const Json& value) {
    reader_.members(
        value, [this](const std::string& name, const Json& member) { reader_.read(member, spec_.environment[name]); });
  }
  void tier(const Json& value) { spec_.tier = reader_.one_of(value, tier_named, "interpreted, compiled, automatic"); }

  LimitChanges limits_of(const Json& value) {
    LimitChanges changes;
    reader_.members(value, [&](const std::string& name, const Json& member) { reader_.read(member, changes[name]); });
    return changes;
  }
  void on_limit(const Json& value) {
    reader_.members(value, [this](const std::string& name, const Json& member) {
      if (const auto action = reader_.one_of(member, on_limit_named, "refuse, kill")) spec_.on_limit[name] = *action;
    });
  }
  std::optional<Profile> profile_of(const Json& value) {
    return reader_.one_of(value, profile_named, "high, medium, low");
  }
  Permissions permissions_of(const Json& value) {
    Permissions granted;
    std::string unknown;
    for (const std::string& name : reader_.strings(value)) {
      const auto permission = permission_named(name);
      if (permission) granted = granted.with(*permission);
      if (!permission) unknown.append(unknown.empty() ? "" : ", ").append(escape_text(name, kWordShownBytesMax));
    }
    if (!unknown.empty()) {
      reader_.refuse("has " + unknown + ", but the permissions are " + all_of_them().to_text());
    }
    return granted;
  }
  static Permissions all_of_them() {
    Permissions all;
    for (const Permission permission : all_permissions()) all = all.with(permission);
    return all;
  }
  std::optional<AuditLevel> level_of(const Json& value) {
    return reader_.one_of(value, audit_level_named, "none, basic, full");
  }
  std::optional<Severity> severity_of(const Json& value) {
    return reader_.one_of(value, severity_named, "info, low, medium, high");
  }
  ImportRules imports_of(const Json& value) {
    ImportRules rules;
    reader_.fields(value, {{"allow", [&](const Json& list) { rules.allow = reader_.strings(list); }},
                           {"block", [&](const Json& list) { rules.block = reader_.strings(list); }}});
    return rules;
  }

  void profile(const Json& value) {
    if (value.is_object()) return own_profile(value);
    if (const auto named = profile_of(value)) spec_.profile = *named;
  }
  void own_profile(const Json& value) {
    ProfileSpec own;
    reader_.fields(value,
                   {{"name", [&](const Json& member) { reader_.read(member, own.name); }},
                    {"base", [&](const Json& member) { own.base = profile_of(member); }},
                    {"limits", [&](const Json& member) { own.limits = limits_of(member); }},
                    {"grant", [&](const Json& member) { own.grant = permissions_of(member); }},
                    {"deny", [&](const Json& member) { own.deny = permissions_of(member); }},
                    {"imports", [&](const Json& member) { own.imports = imports_of(member); }},
                    {"audit", [&](const Json& member) { own.audit = level_of(member); }},
                    {"reject_findings", [&](const Json& member) { own.reject_findings = severity_of(member); }}});
    spec_.profile = std::move(own);
  }
  void breaker(const Json& value) {
    BreakerOptions& breaker = spec_.breaker.emplace();
    reader_.fields(value, breaker_fields(reader_, breaker));
  }
  void recovery(const Json& value) {
    Recovery& recovery = spec_.recovery.emplace();
    const auto into = [this](auto& target) {
      return [this, &target](const Json& member) { reader_.read(member, target); };
    };
    JsonReader::Fields known{
        {"restarts_max", into(recovery.restarts_max)},       {"retries_max", into(recovery.retries_max)},
        {"retry_pause", into(recovery.retry_pause)},         {"retry_pause_max", into(recovery.retry_pause_max)},
        {"rollback_within", into(recovery.rollback_within)}, {"stable_after", into(recovery.stable_after)}};
    for (const ErrorCategory failure : kFailureClasses) {
      known.emplace(name_of(failure), [this, failure](const Json& member) { read_action(failure, member); });
    }
    reader_.fields(value, known);
  }
  void read_action(ErrorCategory failure, const Json& value) {
    const auto action =
        reader_.one_of(value, recovery_action_named, "keep, retry, rollback, restart, isolate, terminate");
    if (action) spec_.recovery->actions[failure] = *action;
  }
  void reload(const Json& value) {
    ReloadPolicy& policy = spec_.reload.emplace();
    const auto into = [this](auto& target) {
      return [this, &target](const Json& member) { reader_.read(member, target); };
    };
    reader_.fields(value, {{"state", [&](const Json& member) { state_way(policy, member); }},
                           {"drop", into(policy.drop)},
                           {"drop_exports", into(policy.drop_exports)},
                           {"rolling", into(policy.rolling)},
                           {"trial", [&](const Json& member) { trial(policy.trial, member); }},
                           {"quiet_wait_max", into(policy.quiet_wait_max)}});
  }
  void state_way(ReloadPolicy& policy, const Json& value) {
    const auto way = reader_.one_of(value, state_way_named, "best, described, hooks, memory, none");
    policy.state = way.value_or(policy.state);
  }
  void trial(Trial& trial, const Json& value) {
    reader_.fields(value, {{"calls", [&](const Json& member) { reader_.read(member, trial.calls); }},
                           {"time", [&](const Json& member) { reader_.read(member, trial.time); }}});
  }

  JsonReader reader_;
  SandboxSpec spec_;
};

// What is wrong with the values that could be read, so that one answer has all of it. What the document leaves out may
// still be filled in, and a place that could not be read is not complained about twice.
void add_what_the_check_finds(const SandboxSpec& spec, const Json& json, Complaints& complaints) {
  Complaints found;
  check_spec_alone(spec, found);
  const bool modules_known = json.contains("modules") && !complaints.covers("modules");
  for (const Complaints::Complaint& complaint : found.kept()) {
    const std::string& where = complaint.where;
    if (!json.contains(where.substr(0, where.find_first_of(".[")))) continue;
    if (where.starts_with("tree") && where.ends_with(".module") && !modules_known) continue;
    if (!complaints.covers(where)) complaints.add(complaint);
  }
}

}  // namespace

JsonReader::Fields breaker_fields(JsonReader& reader, BreakerOptions& breaker) {
  return {{"limits_max", [&](const Json& member) { reader.read(member, breaker.limits_max); }},
          {"window", [&](const Json& member) { reader.read(member, breaker.window); }},
          {"pause", [&](const Json& member) { reader.read(member, breaker.pause); }}};
}

SandboxSpec read_defaults(const Json& json, std::string where, Complaints& complaints) {
  return SpecReader(std::move(where), complaints).read(json, false);
}

Result<SandboxSpec> SandboxSpec::from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return fail(json.error().error("the spec of a sandbox"));
  if (!json->is_object()) return fail(ErrorCode::validation_failed, "the spec of a sandbox is not a JSON object");
  Complaints complaints;
  SandboxSpec spec = SpecReader("", complaints).read(*json, true);
  if (!complaints.empty()) add_what_the_check_finds(spec, *json, complaints);
  PETRI_TRY(complaints.result());
  return spec;
}

}  // namespace petri
