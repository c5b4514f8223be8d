#include "cli/shell/sandbox_json.h"

#include "petri/event_text.h"

namespace petri::cli {
namespace {

std::int64_t nanoseconds_of(std::chrono::sys_time<std::chrono::nanoseconds> time) {
  return time.time_since_epoch().count();
}

Json modules_json(const SandboxInfo& info) {
  Json modules = Json::object();
  for (const ModuleSummary& module : info.modules) {
    modules[module.name] = {{"artifact", module.artifact.hex()}, {"version", module.version}};
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

}  // namespace

Json to_json(const SandboxInfo& info) {
  Json json{{"id", info.id}, {"status", name_of(info.status)}};
  if (!info.cause.empty()) json["cause"] = info.cause;
  if (info.failure) json["failure"] = name_of(*info.failure);
  json["profile"] = info.profile.title();
  json["tier"] = name_of(info.tier);
  json["deterministic"] = info.deterministic;
  json["seed"] = info.seed;
  json["modules"] = modules_json(info);
  json["tree"] = Json::parse(to_json(info.tree));
  json["limits"] = to_json(info.limits);
  json["permissions"] = to_json(info.permissions);
  json["imports"] = {{"allow", info.imports.allow}, {"block", info.imports.block}};
  json["audit"] = name_of(info.audit);
  json["reload"] = reload_json(info.reload);
  json["breaker"] = {{"state", name_of(info.breaker)}, {"opened", info.breaker_opened}};
  json["labels"] = info.labels;
  if (info.generation) json["generation"] = *info.generation;
  if (!info.folder.empty()) json["folder"] = info.folder;
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
  for (const SandboxLimitRule& rule : sandbox_limit_rules()) json[std::string(rule.name)] = rule.get(limits);
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
  return {{"workers", info.workers},           {"threads", info.threads},
          {"sandboxes", info.sandboxes},       {"artifacts", info.artifacts},
          {"memory_bytes", info.memory_bytes}, {"memory_budget_bytes", info.memory_budget_bytes},
          {"descriptors", info.descriptors},   {"descriptors_max", info.descriptors_max},
          {"quarantined", info.quarantined}};
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
  return {{"call", std::move(json)}};
}

}  // namespace petri::cli
