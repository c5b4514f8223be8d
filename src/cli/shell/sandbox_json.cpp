#include "cli/shell/sandbox_json.h"

#include "cli/commands/compile_text.h"
#include "cli/population/individual_text.h"
#include "cli/shell/watch_text.h"
#include "petri/event_sinks.h"

namespace petri::cli {
namespace {

std::int64_t nanoseconds_of(WallTime time) { return time.time_since_epoch().count(); }

Json modules_json(const SandboxInfo& info) {
  Json modules = Json::object();
  for (const ModuleSummary& module : info.modules) {
    Json& row = modules[module.name] = {{"artifact", module.artifact.hex()}, {"version", module.version}};
    if (!module.path.empty()) add_bytes(row, "path", module.path);
  }
  return modules;
}

Json reload_json(const ReloadPolicy& policy) {
  return {{"state", name_of(policy.state)},
          {"drop", policy.drop},
          {"drop_exports", policy.drop_exports},
          {"rolling", policy.rolling},
          {"trial", {{"calls", policy.trial.calls}, {"time_ns", policy.trial.time.count()}}},
          {"quiet_wait_max_ns", policy.quiet_wait_max.count()}};
}

Json actions_json(const LimitActions& actions) {
  Json json = Json::object();
  for (const auto& [limit, action] : actions) json[limit] = name_of(action);
  return json;
}

// The action for each class of failures, whether it was set or is the default.
Json recovery_json(const Recovery& recovery) {
  Json json{{"restarts_max", recovery.restarts_max},
            {"retries_max", recovery.retries_max},
            {"retry_pause_ns", recovery.retry_pause.count()},
            {"retry_pause_max_ns", recovery.retry_pause_max.count()},
            {"rollback_within_ns", recovery.rollback_within.count()},
            {"stable_after_ns", recovery.stable_after.count()}};
  for (const ErrorCategory failure : kFailureClasses) {
    json[std::string(name_of(failure))] = name_of(recovery_action(recovery, failure));
  }
  return json;
}

void add_breaker_options(Json& json, const BreakerOptions& breaker) {
  json["limits_max"] = breaker.limits_max;
  json["window_ns"] = breaker.window.count();
  json["pause_ns"] = breaker.pause.count();
}

Json texts_json(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

// Only what is set.
Json defaults_json(const SandboxSpec& defaults) {
  Json json = Json::object();
  if (defaults.tree) json["tree"] = Json::parse(to_json(*defaults.tree));
  if (defaults.profile) json["profile"] = defaults.profile->title();
  for (const LimitRule& rule : sandbox_limit_rules()) {
    if (const auto value = limit_value(defaults.limits, rule)) json["limits"][std::string(rule.name)] = *value;
  }
  if (!defaults.on_limit.empty()) json["on_limit"] = actions_json(defaults.on_limit);
  if (defaults.permissions) json["permissions"] = to_json(*defaults.permissions);
  if (defaults.imports != ImportRules{}) {
    json["imports"] = {{"allow", defaults.imports.allow}, {"block", defaults.imports.block}};
  }
  if (defaults.reject_findings) json["reject_findings"] = name_of(*defaults.reject_findings);
  if (defaults.audit) json["audit"] = name_of(*defaults.audit);
  if (defaults.breaker) add_breaker_options(json["breaker"], *defaults.breaker);
  if (defaults.recovery) json["recovery"] = recovery_json(*defaults.recovery);
  if (defaults.reload) json["reload"] = reload_json(*defaults.reload);
  if (!defaults.folder.empty()) json["folder"] = defaults.folder;
  if (!defaults.arguments.empty()) json["arguments"] = texts_json(defaults.arguments);
  if (!defaults.environment.empty()) json["environment"] = defaults.environment;
  if (!defaults.labels.empty()) json["labels"] = texts_json(defaults.labels);
  if (defaults.generation) json["generation"] = *defaults.generation;
  if (defaults.idle_keep) json["idle_keep_ns"] = defaults.idle_keep->count();
  if (defaults.dead_keep) json["dead_keep_ns"] = defaults.dead_keep->count();
  if (defaults.seed) json["seed"] = *defaults.seed;
  if (defaults.deterministic) json["deterministic"] = *defaults.deterministic;
  if (defaults.bounds) json["bounds"] = name_of(*defaults.bounds);
  if (defaults.tier) json["tier"] = name_of(*defaults.tier);
  if (defaults.auto_reload) json["auto_reload"] = *defaults.auto_reload;
  return json;
}

}  // namespace

Json to_json(const SandboxInfo& info) {
  Json json{{"id", info.id}, {"status", name_of(info.status)}};
  if (!info.cause.empty()) json["cause"] = info.cause;
  if (info.failure) json["failure"] = name_of(*info.failure);
  json["profile"] = info.profile.title();
  json["bounds"] = name_of(info.bounds);
  json["tier"] = name_of(info.tier);
  json["deterministic"] = info.deterministic;
  json["seed"] = info.seed;
  json["modules"] = modules_json(info);
  if (info.compile != nullptr) json["compile"] = to_json(*info.compile);
  json["watched"] = to_json(info.watched);
  json["tree"] = Json::parse(to_json(info.tree));
  json["limits"] = to_json(info.limits);
  json["on_limit"] = actions_json(info.on_limit);
  json["permissions"] = to_json(info.permissions);
  json["imports"] = {{"allow", info.imports.allow}, {"block", info.imports.block}};
  if (info.reject_findings) json["reject_findings"] = name_of(*info.reject_findings);
  json["audit"] = name_of(info.audit);
  json["recovery"] = recovery_json(info.recovery);
  json["reload"] = reload_json(info.reload);
  json["breaker"] = {{"state", name_of(info.breaker)}, {"opened", info.breaker_opened}};
  add_breaker_options(json["breaker"], info.breaker_options);
  json["labels"] = info.labels;
  if (info.generation) json["generation"] = *info.generation;
  if (info.idle_keep) json["idle_keep_ns"] = info.idle_keep->count();
  json["dead_keep_ns"] = info.dead_keep.count();
  json["parents"] = info.parents;
  json["mutation"] = info.mutation;
  json["depth"] = info.depth;
  if (info.fitness) json["fitness"] = to_json(*info.fitness);
  json["kept"] = info.kept;
  if (!info.folder.empty()) json["folder"] = info.folder;
  json["arguments"] = texts_json(info.arguments);
  json["environment"] = info.environment;
  json["created_ns"] = nanoseconds_of(info.created);
  json["updated_ns"] = nanoseconds_of(info.updated);
  json["restarts"] = info.restarts;
  json["supervisor_restarts"] = info.supervisor_restarts;
  json["late_answers"] = info.late_answers;
  json["completions_threw"] = info.completions_threw;
  json["limits_met"] = info.limits_met;
  json["denied"] = info.denied;
  json["usage"] = to_json(info.usage);
  return json;
}

Json to_json(const std::vector<ChildInfo>& children) {
  Json list = Json::array();
  for (const ChildInfo& child : children) {
    Json row{{"address", child.address}, {"status", child.status}};
    if (!child.module.empty()) {
      row["module"] = child.module;
      row["tier"] = name_of(child.tier);
      row["messages"] = child.messages;
    }
    list.push_back(std::move(row));
  }
  return list;
}

Json to_json(const Usage& usage) {
  return {{"memory_bytes", usage.memory_bytes}, {"host_bytes", usage.host_bytes},
          {"processes", usage.processes},       {"messages", usage.messages},
          {"descriptors", usage.descriptors},   {"threads", usage.threads},
          {"fuel_used", usage.fuel_used},       {"cpu_time_ns", usage.cpu_time.count()},
          {"cpu_percent", usage.cpu_percent},   {"uptime_ns", usage.uptime.count()}};
}

Json to_json(std::span<const UsageSample> history) {
  Json list = Json::array();
  for (const UsageSample& sample : history) {
    Json row{{"time_ns", nanoseconds_of(sample.time)}};
    row.update(to_json(sample.usage));
    list.push_back(std::move(row));
  }
  return list;
}

Json to_json(const SandboxLimits& limits) {
  Json json = Json::object();
  for (const LimitRule& rule : sandbox_limit_rules()) json[std::string(rule.name)] = limit_value(limits, rule);
  json["call_fuel_max"] = limits.call_fuel_max ? Json(*limits.call_fuel_max) : Json(nullptr);
  return json;
}

Json to_json(Permissions permissions) {
  Json list = Json::array();
  for (const Permission permission : all_permissions()) {
    if (permissions.has(permission)) list.push_back(name_of(permission));
  }
  return list;
}

Json to_json(const RuntimeInfo& info) {
  Json json{{"workers", info.workers},
            {"threads", info.threads},
            {"sandboxes", info.sandboxes},
            {"artifacts", info.artifacts},
            {"memory_bytes", info.memory_bytes},
            {"memory_budget_bytes", info.memory_budget_bytes},
            {"descriptors", info.descriptors},
            {"descriptors_max", info.descriptors_max},
            {"quarantined", info.quarantined},
            {"blocked", info.blocked},
            {"watched", info.watched}};
  json["threads_max"] = info.threads_max;
  json["threads_reserve"] = info.threads_reserve;
  json["descriptors_reserve"] = info.descriptors_reserve;
  json["sampling_interval_ns"] = info.sampling_interval.count();
  json["samples_max"] = info.samples_max;
  json["promote_fuel"] = info.promote_fuel;
  json["promote_fuel_per_byte"] = info.promote_fuel_per_byte;
  json["promote_instances"] = info.promote_instances;
  json["promotion_time_max_ns"] = info.promotion_time_max.count();
  json["compile"] = {{"time_max_ns", info.compile.time_max.count()},
                     {"memory_bytes_max", info.compile.memory_bytes_max},
                     {"worker", info.compile.worker},
                     {"in_process", info.compile.in_process}};
  json["audit"] = {
      {"entries_max", info.audit.entries_max}, {"bytes_max", info.audit.bytes_max}, {"file", info.audit.file}};
  json["quarantine"] = {{"limits_max", info.quarantine.limits_max},
                        {"window_ns", info.quarantine.window.count()},
                        {"period_ns", info.quarantine.period.count()}};
  json["gc_interval_ns"] = info.gc_interval.count();
  json["gc_retain_generations"] = info.gc_retain_generations;
  json["defaults"] = defaults_json(info.defaults);
  return json;
}

Json news_json(const Event& event) { return {{"event", Json::parse(petri::to_json(event))}}; }

Json news_json(const LogNews& log) {
  Json json{{"sandbox", log.sandbox}, {"process", log.process}, {"level", name_of(log.level)}};
  add_bytes(json, "text", log.text);
  return {{"log", std::move(json)}};
}

Json news_json(const CallNews& call) {
  Json json{{"number", call.number}, {"sandbox", call.sandbox}};
  if (call.result) {
    json["outcome"] = to_json(*call.result);
  } else {
    json["error"] = to_json(call.result.error());
  }
  return {{std::string(call.what), std::move(json)}};
}

}  // namespace petri::cli
