#include "sandbox/spec/spec_check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json/bounded_json.h"
#include "base/json/json_reader.h"
#include "base/text/escape.h"
#include "resources/limit_table.h"
#include "supervisor/tree_json.h"

namespace petri {
namespace {

using Json = nlohmann::json;

using Fields = JsonReader::Fields;

ImportRules imports_of(const JsonReader& value) {
  ImportRules rules;
  value.fields({{"allow", JsonReader::into(rules.allow)}, {"block", JsonReader::into(rules.block)}});
  return rules;
}

Permissions permissions_of(const JsonReader& value) {
  Permissions granted, all;
  for (const Permission permission : all_permissions()) all = all.with(permission);
  std::vector<std::string> names, unknown;
  value.read(names);
  for (const std::string& name : names) {
    const auto permission = permission_named(name);
    if (permission) granted = granted.with(*permission);
    if (!permission) unknown.push_back(escape_text(name, kWordShownBytesMax));
  }
  if (!unknown.empty()) {
    value.refuse(fmt::format("has {}, but the permissions are {}", fmt::join(unknown, ", "), all.to_text()));
  }
  return granted;
}

// A number in the limit's unit, or a string as people write one: 65536, "64KiB", "50ms".
std::optional<std::uint64_t> limit_of(const LimitRule& rule, const JsonReader& value) {
  if (rule.unit == "ns" && value.json().is_string()) {
    const auto duration = value.duration();
    return duration ? std::optional(static_cast<std::uint64_t>(duration->count())) : std::nullopt;
  }
  return rule.unit.starts_with("bytes") ? value.bytes() : value.integer();
}

std::optional<ModuleBounds> bounds_of(const JsonReader& value) {
  return value.one_of(module_bounds_named, "candidate, program");
}

std::optional<Profile> profile_of(const JsonReader& value) {
  return value.one_of(profile_named, "strict, standard, trusted");
}
std::optional<AuditLevel> level_of(const JsonReader& value) {
  return value.one_of(audit_level_named, "none, basic, full");
}
std::optional<Severity> severity_of(const JsonReader& value) {
  return value.one_of(severity_named, "info, low, medium, high");
}

VersionNeeds needs_of(const JsonReader& value) {
  VersionNeeds needs;
  value.members([&](const std::string& module, const JsonReader& range) {
    VersionRange& versions = needs[module];
    range.fields({{"min", JsonReader::into(versions.min)}, {"max", JsonReader::into(versions.max)}});
    if (versions.min == 0 || versions.min > versions.max) range.refuse("has no version between its min and its max");
  });
  return needs;
}

// A source that is wrong is replaced by an empty one, so that what refers to the module finds its name.
ModuleSpec module_of(const std::string& name, const JsonReader& value) {
  ModuleSpec module{.name = name, .source = Source::wat(""), .needs = {}};
  const int kinds = value["file"].is_there() + value["wat"].is_there() + value["folder"].is_there() +
                    (value["language"].is_there() && value["code"].is_there());
  if (kinds != 1) {
    value.refuse(
        R"(is not one of {"file": path}, {"folder": path}, {"wat": text} and {"language": name, "code": text})");
    return module;
  }
  std::optional<std::string> file, folder, wat, language, code;
  value.fields({{"file", [&](const JsonReader& path) { file = path.string(); }},
                {"folder", [&](const JsonReader& path) { folder = path.string(); }},
                {"wat", [&](const JsonReader& text) { wat = text.string(); }},
                {"language", [&](const JsonReader& word) { language = word.string(); }},
                {"code", [&](const JsonReader& text) { code = text.string(); }},
                {"needs", [&](const JsonReader& all) { module.needs = needs_of(all); }}});
  if (file) module.source = Source::file(*std::move(file));
  if (folder) module.source = Source::folder(*std::move(folder));
  if (wat) module.source = Source::wat(*std::move(wat));
  if (language && code) module.source = Source::code(*std::move(language), *std::move(code));
  return module;
}

class SpecReader {
 public:
  SandboxSpec read(const JsonReader& document, bool with_identity) {
    Fields known = common_fields();
    if (with_identity) {
      known.emplace("id", JsonReader::into(spec_.id));
      known.emplace("modules", [this](const JsonReader& value) {
        value.members([this](const std::string& name, const JsonReader& module) {
          spec_.modules.push_back(module_of(name, module));
        });
      });
    }
    document.fields(known);
    return std::move(spec_);
  }

 private:
  Fields common_fields() {
    return {{"tree", [this](const JsonReader& value) { spec_.tree = read_tree(value); }},
            {"profile", [this](const JsonReader& value) { profile(value); }},
            {"limits", [this](const JsonReader& value) { spec_.limits = read_limits(value); }},
            {"on_limit", [this](const JsonReader& value) { on_limit(value); }},
            {"permissions", [this](const JsonReader& value) { spec_.permissions = permissions_of(value); }},
            {"imports", [this](const JsonReader& value) { spec_.imports = imports_of(value); }},
            {"reject_findings", [this](const JsonReader& value) { spec_.reject_findings = severity_of(value); }},
            {"audit", [this](const JsonReader& value) { spec_.audit = level_of(value); }},
            {"bounds", [this](const JsonReader& value) { spec_.bounds = bounds_of(value); }},
            {"breaker", [this](const JsonReader& value) { value.fields(breaker_fields(spec_.breaker.emplace())); }},
            {"recovery", [this](const JsonReader& value) { recovery(value, spec_.recovery.emplace()); }},
            {"reload", [this](const JsonReader& value) { reload(value, spec_.reload.emplace()); }},
            {"folder", JsonReader::into(spec_.folder)},
            {"arguments", JsonReader::into(spec_.arguments)},
            {"environment", [this](const JsonReader& value) { environment(value); }},
            {"labels", JsonReader::into(spec_.labels)},
            {"generation", JsonReader::into(spec_.generation)},
            {"idle_keep", JsonReader::into(spec_.idle_keep)},
            {"dead_keep", JsonReader::into(spec_.dead_keep)},
            {"parents", JsonReader::into(spec_.parents)},
            {"mutation", JsonReader::into(spec_.mutation)},
            {"seed", JsonReader::into(spec_.seed)},
            {"deterministic", JsonReader::into(spec_.deterministic)},
            {"auto_reload", JsonReader::into(spec_.auto_reload)},
            {"tier", [this](const JsonReader& value) {
               spec_.tier = value.one_of(tier_named, "interpreted, compiled, automatic");
             }}};
  }

  void environment(const JsonReader& value) {
    value.members([this](const std::string& name, const JsonReader& member) { member.read(spec_.environment[name]); });
  }
  void on_limit(const JsonReader& value) {
    value.members([this](const std::string& name, const JsonReader& member) {
      if (const auto action = member.one_of(on_limit_named, "refuse, kill")) spec_.on_limit[name] = *action;
    });
  }
  void profile(const JsonReader& value) {
    if (value.is_object()) return own_profile(value);
    if (const auto named = profile_of(value)) spec_.profile = *named;
  }
  void own_profile(const JsonReader& value) {
    ProfileSpec own;
    value.fields({{"name", JsonReader::into(own.name)},
                  {"base", [&](const JsonReader& member) { own.base = profile_of(member); }},
                  {"limits", [&](const JsonReader& member) { own.limits = read_limits(member); }},
                  {"grant", [&](const JsonReader& member) { own.grant = permissions_of(member); }},
                  {"deny", [&](const JsonReader& member) { own.deny = permissions_of(member); }},
                  {"imports", [&](const JsonReader& member) { own.imports = imports_of(member); }},
                  {"audit", [&](const JsonReader& member) { own.audit = level_of(member); }},
                  {"bounds", [&](const JsonReader& member) { own.bounds = bounds_of(member); }},
                  {"reject_findings", [&](const JsonReader& member) { own.reject_findings = severity_of(member); }}});
    spec_.profile = std::move(own);
  }
  static void recovery(const JsonReader& value, Recovery& recovery) {
    Fields known{{"restarts_max", JsonReader::into(recovery.restarts_max)},
                 {"retries_max", JsonReader::into(recovery.retries_max)},
                 {"retry_pause", JsonReader::into(recovery.retry_pause)},
                 {"retry_pause_max", JsonReader::into(recovery.retry_pause_max)},
                 {"rollback_within", JsonReader::into(recovery.rollback_within)},
                 {"stable_after", JsonReader::into(recovery.stable_after)}};
    for (const ErrorCategory failure : kFailureClasses) {
      known.emplace(name_of(failure), [&recovery, failure](const JsonReader& member) {
        const auto action = member.one_of(recovery_action_named, "keep, retry, rollback, restart, isolate, terminate");
        if (action) recovery.actions[failure] = *action;
      });
    }
    value.fields(known);
  }
  static void reload(const JsonReader& value, ReloadPolicy& policy) {
    value.fields({{"state",
                   [&](const JsonReader& member) {
                     JsonReader::assign(policy.state,
                                        member.one_of(state_way_named, "best, described, hooks, memory, none"));
                   }},
                  {"drop", JsonReader::into(policy.drop)},
                  {"drop_exports", JsonReader::into(policy.drop_exports)},
                  {"rolling", JsonReader::into(policy.rolling)},
                  {"trial",
                   [&](const JsonReader& member) {
                     member.fields({{"calls", JsonReader::into(policy.trial.calls)},
                                    {"time", JsonReader::into(policy.trial.time)}});
                   }},
                  {"quiet_wait_max", JsonReader::into(policy.quiet_wait_max)}});
  }

  SandboxSpec spec_;
};

// Adds the faults of the values that could be read, so that one answer has all of them. A field that the document
// leaves out may still be filled in, and a place that could not be read is not complained about twice.
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

JsonReader::Fields breaker_fields(BreakerOptions& breaker) {
  return {{"limits_max", JsonReader::into(breaker.limits_max)},
          {"window", JsonReader::into(breaker.window)},
          {"pause", JsonReader::into(breaker.pause)}};
}

LimitChanges read_limits(const JsonReader& limits) {
  LimitChanges changes;
  limits.members([&](const std::string& name, const JsonReader& member) {
    const LimitRule* rule = sandbox_limit_named(name);
    if (rule == nullptr) {
      member.complaints().add_sentence(
          member.where(),
          fmt::format("there is no limit {} (the limits are {})", in_quotes(name), limit_names(sandbox_limit_rules())));
    } else if (const auto value = limit_of(*rule, member)) {
      set_limit_value(changes, *rule, *value);
    }
  });
  return changes;
}

SandboxSpec read_defaults(const JsonReader& defaults) { return SpecReader().read(defaults, false); }

Result<SandboxSpec> SandboxSpec::from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return fail(json.error().error("the spec of a sandbox"));
  if (!json->is_object()) return fail(ErrorCode::validation_failed, "the spec of a sandbox is not a JSON object");
  Complaints complaints;
  SandboxSpec spec = SpecReader().read(JsonReader(*json, complaints), true);
  if (!complaints.empty()) add_what_the_check_finds(spec, *json, complaints);
  PETRI_TRY(complaints.result());
  return spec;
}

}  // namespace petri
