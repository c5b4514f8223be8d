// A SandboxSpec as JSON. Reads everything it can and tells all that is wrong, with where it stands.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/bounded_json.h"
#include "base/escape.h"
#include "base/units.h"
#include "petri/sandbox.h"
#include "supervisor/tree_complaints.h"
#include "supervisor/tree_json.h"

namespace petri {
namespace {

using Json = nlohmann::json;

class SpecReader {
 public:
  Result<SandboxSpec> read(const Json& json) {
    if (!json.is_object()) {
      complaints_.add("", "a sandbox is a JSON object");
    } else {
      for (const auto& [key, value] : json.items()) field(key, value);
    }
    PETRI_TRY(complaints_.result());
    return std::move(spec_);
  }

 private:
  using Field = void (SpecReader::*)(const Json&);
  struct Row {
    std::string_view name;
    Field read;
  };
  static const std::vector<Row>& rows();

  void field(const std::string& key, const Json& value) {
    const auto row = std::ranges::find(rows(), key, &Row::name);
    if (row == rows().end()) return complaints_.add(escape_text(key, 80), "there is no such field");
    where_ = key;
    (this->*row->read)(value);
  }
  void wrong(std::string_view what) { complaints_.add(where_, std::string(what)); }

  std::string text(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    wrong("is not a text");
    return {};
  }
  std::uint64_t number(const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    wrong("is not a whole number from 0 to 2^64 - 1");
    return 0;
  }
  std::vector<std::string> texts(const Json& value) {
    std::vector<std::string> all;
    if (!value.is_array()) wrong("is not a list of texts");
    if (value.is_array()) {
      for (const Json& item : value) all.push_back(text(item));
    }
    return all;
  }
  bool boolean(const Json& value) {
    if (value.is_boolean()) return value.get<bool>();
    wrong("is neither true nor false");
    return false;
  }
  template <typename Each>
  void members(const Json& value, const Each& each) {
    if (!value.is_object()) return wrong("is not an object");
    const std::string above = where_;
    for (const auto& [key, member] : value.items()) {
      where_ = above + "." + escape_text(key, 80);
      each(key, member);
    }
  }

  void id(const Json& value) { spec_.id = text(value); }
  void seed(const Json& value) { spec_.seed = number(value); }
  void deterministic(const Json& value) { spec_.deterministic = boolean(value); }
  void generation(const Json& value) { spec_.generation = number(value); }
  void folder(const Json& value) { spec_.folder = text(value); }
  void arguments(const Json& value) { spec_.arguments = texts(value); }
  void labels(const Json& value) { spec_.labels = texts(value); }
  void environment(const Json& value) {
    members(value, [&](const std::string& key, const Json& member) { spec_.environment[key] = text(member); });
  }
  void limits(const Json& value) { spec_.limits = limits_of(value); }
  void on_limit(const Json& value) {
    members(value, [&](const std::string& key, const Json& member) {
      const auto named = on_limit_named(text(member));
      if (!named) return wrong("is neither refuse nor kill");
      spec_.on_limit[key] = *named;
    });
  }
  std::optional<Profile> profile_of(const Json& value) {
    const auto named = profile_named(text(value));
    if (!named) wrong("is none of the profiles high, medium, low");
    return named;
  }
  Permissions permissions_of(const Json& value) {
    Permissions granted;
    for (const std::string& name : texts(value)) {
      const auto permission = permission_named(name);
      if (!permission) wrong(fmt::format("there is no permission {}", escape_text(name, 80)));
      if (permission) granted = granted.with(*permission);
    }
    return granted;
  }
  AuditLevel level_of(const Json& value) {
    const auto named = audit_level_named(text(value));
    if (!named) wrong("is none of none, basic, full");
    return named.value_or(AuditLevel::full);
  }
  Severity severity_of(const Json& value) {
    const auto named = severity_named(text(value));
    if (!named) wrong("is none of info, low, medium, high");
    return named.value_or(Severity::info);
  }
  LimitChanges limits_of(const Json& value) {
    LimitChanges changes;
    members(value, [&](const std::string& key, const Json& member) { changes[key] = number(member); });
    return changes;
  }
  // Each member by its name; another is told in these words.
  using Fields = std::map<std::string_view, std::function<void(const Json&)>>;
  void fields(const Json& value, const Fields& known, std::string_view otherwise = "there is no such field") {
    members(value, [&](const std::string& key, const Json& member) {
      const auto found = known.find(key);
      if (found == known.end()) return wrong(otherwise);
      found->second(member);
    });
  }
  ImportRules imports_of(const Json& value) {
    ImportRules rules;
    fields(value,
           {{"allow", [&](const Json& list) { rules.allow = texts(list); }},
            {"block", [&](const Json& list) { rules.block = texts(list); }}},
           "there is no such list; there are allow and block");
    return rules;
  }
  std::uint32_t small_number(const Json& value) {
    const std::uint64_t all = number(value);
    if (all > UINT32_MAX) wrong("is more than 2^32 - 1");
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, UINT32_MAX));
  }
  // "250ms", "10s": as a tree has them.
  std::chrono::nanoseconds duration(const Json& value) {
    auto parsed = parse_duration(text(value));
    if (!parsed) wrong(parsed.error().message);
    return parsed ? *parsed : std::chrono::nanoseconds(0);
  }

  void profile(const Json& value) {
    if (value.is_object()) return own_profile(value);
    if (const auto named = profile_of(value)) spec_.profile = *named;
  }
  void own_profile(const Json& value) {
    ProfileSpec own;
    fields(value, {{"name", [&](const Json& member) { own.name = text(member); }},
                   {"base", [&](const Json& member) { own.base = profile_of(member); }},
                   {"limits", [&](const Json& member) { own.limits = limits_of(member); }},
                   {"grant", [&](const Json& member) { own.grant = permissions_of(member); }},
                   {"deny", [&](const Json& member) { own.deny = permissions_of(member); }},
                   {"imports", [&](const Json& member) { own.imports = imports_of(member); }},
                   {"audit", [&](const Json& member) { own.audit = level_of(member); }},
                   {"reject_findings", [&](const Json& member) { own.reject_findings = severity_of(member); }}});
    spec_.profile = std::move(own);
  }
  void permissions(const Json& value) { spec_.permissions = permissions_of(value); }
  void imports(const Json& value) { spec_.imports = imports_of(value); }
  void reject_findings(const Json& value) { spec_.reject_findings = severity_of(value); }
  void audit(const Json& value) { spec_.audit = level_of(value); }
  void breaker(const Json& value) {
    BreakerOptions breaker;
    fields(value, {{"limits_max", [&](const Json& member) { breaker.limits_max = small_number(member); }},
                   {"window", [&](const Json& member) { breaker.window = duration(member); }},
                   {"pause", [&](const Json& member) { breaker.pause = duration(member); }}});
    spec_.breaker = breaker;
  }
  void recovery(const Json& value) {
    Recovery& recovery = spec_.recovery;
    Fields known{{"restarts_max", [&](const Json& member) { recovery.restarts_max = small_number(member); }},
                 {"retries_max", [&](const Json& member) { recovery.retries_max = small_number(member); }},
                 {"retry_pause", [&](const Json& member) { recovery.retry_pause = duration(member); }},
                 {"retry_pause_max", [&](const Json& member) { recovery.retry_pause_max = duration(member); }},
                 {"rollback_within", [&](const Json& member) { recovery.rollback_within = duration(member); }},
                 {"stable_after", [&](const Json& member) { recovery.stable_after = duration(member); }}};
    for (const ErrorCategory failure : {ErrorCategory::compilation, ErrorCategory::runtime, ErrorCategory::resource,
                                        ErrorCategory::security, ErrorCategory::system}) {
      known.emplace(name_of(failure), [this, failure](const Json& member) { recovery_action(failure, member); });
    }
    fields(value, known, "there is no such field, and no such class of failures");
  }
  void recovery_action(ErrorCategory failure, const Json& value) {
    const auto action = recovery_action_named(text(value));
    if (!action) return wrong("is none of keep, retry, rollback, restart, isolate, terminate");
    spec_.recovery.actions[failure] = *action;
  }
  void reload(const Json& value) {
    ReloadPolicy policy;
    fields(value, {{"state", [&](const Json& member) { state_way(policy, member); }},
                   {"drop", [&](const Json& member) { policy.drop = boolean(member); }},
                   {"drop_exports", [&](const Json& member) { policy.drop_exports = boolean(member); }},
                   {"rolling", [&](const Json& member) { policy.rolling = boolean(member); }},
                   {"trial", [&](const Json& member) { trial(policy.trial, member); }},
                   {"quiet_wait_max", [&](const Json& member) { policy.quiet_wait_max = duration(member); }}});
    spec_.reload = std::move(policy);
  }
  void state_way(ReloadPolicy& policy, const Json& value) {
    const auto way = state_way_named(text(value));
    if (!way) return wrong("is none of best, described, hooks, memory, none");
    policy.state = *way;
  }
  void trial(Trial& trial, const Json& value) {
    fields(value, {{"calls", [&](const Json& member) { trial.calls = small_number(member); }},
                   {"time", [&](const Json& member) { trial.time = duration(member); }}});
  }
  void tier(const Json& value) {
    const auto named = tier_named(text(value));
    if (!named) return wrong("is none of the tiers interpreted, compiled, automatic");
    spec_.tier = *named;
  }
  void tree(const Json& value) { spec_.tree = read_tree(value, "tree", complaints_); }
  void modules(const Json& value) {
    members(value, [&](const std::string& key, const Json& member) { module(key, member); });
  }
  void module(const std::string& name, const Json& value) {
    if (!value.is_object() || value.size() != 1) return wrong(R"(is not one of {"file": path} and {"wat": text})");
    const std::string kind = value.begin().key();
    if (kind == "file") return spec_.modules.push_back({name, Source::file(text(value.begin().value()))});
    if (kind == "wat") return spec_.modules.push_back({name, Source::wat(text(value.begin().value()))});
    wrong(fmt::format("there is no kind of source {}; there are file and wat", escape_text(kind, 80)));
  }

  SandboxSpec spec_;
  TreeComplaints complaints_;
  std::string where_;
};

const std::vector<SpecReader::Row>& SpecReader::rows() {
  static const std::vector<Row> rows{{"id", &SpecReader::id},
                                     {"modules", &SpecReader::modules},
                                     {"tree", &SpecReader::tree},
                                     {"profile", &SpecReader::profile},
                                     {"limits", &SpecReader::limits},
                                     {"on_limit", &SpecReader::on_limit},
                                     {"permissions", &SpecReader::permissions},
                                     {"imports", &SpecReader::imports},
                                     {"reject_findings", &SpecReader::reject_findings},
                                     {"audit", &SpecReader::audit},
                                     {"breaker", &SpecReader::breaker},
                                     {"recovery", &SpecReader::recovery},
                                     {"reload", &SpecReader::reload},
                                     {"folder", &SpecReader::folder},
                                     {"arguments", &SpecReader::arguments},
                                     {"environment", &SpecReader::environment},
                                     {"labels", &SpecReader::labels},
                                     {"generation", &SpecReader::generation},
                                     {"seed", &SpecReader::seed},
                                     {"deterministic", &SpecReader::deterministic},
                                     {"tier", &SpecReader::tier}};
  return rows;
}

}  // namespace

Result<SandboxSpec> SandboxSpec::from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return fail(json.error().error("the spec of a sandbox"));
  return SpecReader().read(*json);
}

}  // namespace petri
