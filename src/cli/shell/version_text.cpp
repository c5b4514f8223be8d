#include "cli/shell/version_text.h"

#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "base/text/utc_time.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/state_words.h"
#include "cli/shell/text_table.h"

namespace petri::cli {
namespace {

constexpr std::size_t kWordBytesShown = 40;

std::string type_or_none(const std::optional<StateField>& field) { return field ? type_text(*field) : "–"; }

std::string name_of_step(const StateStep& step) {
  const bool renamed = step.from && step.to && step.from->name != step.to->name;
  if (renamed) return fmt::format("{} (was {})", escape_text(step.to->name), escape_text(step.from->name));
  return escape_text(step.to ? step.to->name : step.from->name);
}

// `kept` also shows what stays as it is.
std::string steps_text(const StatePlan& plan, bool kept) {
  Rows rows{{"field", "old", "new", "action", "why"}};
  for (const StateStep& step : plan.steps()) {
    if (!kept && step.action == StateAction::keep) continue;
    rows.push_back({name_of_step(step), type_or_none(step.from), type_or_none(step.to),
                    std::string(name_of(step.action)), escape_text(step.reason)});
  }
  return rows.size() == 1 ? "" : text_table(rows);
}

std::string metadata_text(const VersionInfo& version) {
  std::string text;
  for (const auto& [name, value] : version.metadata) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", escape_text(name, kWordBytesShown),
                        escape_text(value, kWordBytesShown));
  }
  return text;
}

std::string number_or_none(std::uint64_t number) { return number == 0 ? "–" : fmt::format("{}", number); }

std::string_view state_text(StateWay way) {
  switch (way) {
    case StateWay::described: return "state by its fields";
    case StateWay::hooks: return "state by hooks";
    case StateWay::memory: return "state as memory";
    case StateWay::none: return "fresh state";
    case StateWay::best: break;
  }
  return "state the best way";
}

}  // namespace

std::string to_text(const std::vector<ModuleRow>& modules) {
  Rows rows{{"module", "version", "artifact", "imports from"}};
  for (const ModuleRow& row : modules) {
    std::string imports;
    for (const std::string& name : row.imports) imports += (imports.empty() ? "" : ", ") + escape_text(name);
    rows.push_back({escape_text(row.module.name), fmt::format("{}", row.module.version),
                    row.module.artifact.hex().substr(0, kHashDigitsShown), imports.empty() ? "–" : imports});
  }
  return text_table(rows);
}

std::string to_text(const VersionInfo& version) {
  return fmt::format("version {}, {}, state: {}", version.number, format_bytes(version.bytes),
                     fields_text(version.state));
}

std::string to_text(const std::vector<VersionInfo>& versions) {
  Rows rows{{"version", "", "size", "from", "by", "time", "artifact", "state", "metadata"}};
  for (const VersionInfo& version : versions) {
    rows.push_back({fmt::format("{}", version.number), version.active ? "active" : "", format_bytes(version.bytes),
                    version.language, std::string(name_of(version.origin)), to_utc_text(version.time),
                    version.artifact.hex().substr(0, kHashDigitsShown), fields_text(version.state),
                    metadata_text(version)});
  }
  return text_table(rows);
}

std::string to_text(const ModuleHistory& history) {
  std::string text = fmt::format("{}: version {} is active, {} made, {} kept\n", escape_text(history.module),
                                 history.active, format_count(history.total), format_count(history.versions.size()));
  Rows rows{{"time", "from", "to", "cause", "by"}};
  for (const VersionSwitch& change : history.switches) {
    rows.push_back({to_utc_text(change.time), number_or_none(change.from), fmt::format("{}", change.to),
                    std::string(name_of(change.cause)), escape_text(change.actor, kWordBytesShown)});
  }
  return text + text_table(rows);
}

std::string to_text(const ReloadReport& report) {
  if (report.no_change) {
    return fmt::format("{}: version {} is active already, nothing was changed\n", escape_text(report.module),
                       report.to);
  }
  std::string text = fmt::format("{}: version {} to {}, ", escape_text(report.module), report.from, report.to);
  text += report.processes.empty()
              ? "no process of it lives"
              : fmt::format("{} switched, {}", counted(report.processes.size(), "process", "processes"),
                            report.snapshot ? "state of the switch" : state_text(report.state));
  text += fmt::format("; prepared in {}", format_duration(report.preparation));
  if (!report.processes.empty()) text += fmt::format(", paused for {}", format_duration(report.pause_max));
  return text + "\n" + (report.plan ? steps_text(*report.plan, false) : "");
}

std::string to_text(const ReloadPlan& plan) {
  const std::string module = escape_text(plan.module);
  if (plan.no_change) return fmt::format("{}: version {} is active already, nothing would change\n", module, plan.to);
  std::string text = fmt::format("{}: version {} to {}", module, plan.from, plan.to);
  if (!plan.refusal || plan.plan) text += fmt::format(", {}", state_text(plan.state));
  if (plan.plan && !plan.refusal) text += plan.plan->lossless() ? ", nothing is lost" : ", state is lost";
  text += "\n" + (plan.plan ? steps_text(*plan.plan, true) : "");
  if (plan.refusal)
    text += fmt::format("would be refused, {}: {}\n", name_of(plan.refusal->code), plan.refusal->message);
  return text;
}

Json to_json(const std::vector<ModuleRow>& modules) {
  Json list = Json::array();
  for (const ModuleRow& row : modules) {
    list.push_back({{"name", row.module.name},
                    {"version", row.module.version},
                    {"artifact", row.module.artifact.hex()},
                    {"imports", row.imports}});
  }
  return list;
}

Json to_json(const VersionInfo& version) {
  Json imports = Json::array();
  for (const ModuleDependency& import : version.imports) {
    Json json{{"module", import.module}, {"kind", name_of(import.kind)}, {"min", import.versions.min}};
    if (import.versions.max != VersionRange{}.max) json["max"] = import.versions.max;
    imports.push_back(std::move(json));
  }
  Json state = Json::array();
  for (const StateField& field : version.state) {
    state.push_back({{"name", field.name}, {"type", type_text(field)}});
  }
  return {
      {"number", version.number},          {"active", version.active},          {"artifact", version.artifact.hex()},
      {"source", version.source.hex()},    {"language", version.language},      {"bytes", version.bytes},
      {"time", to_utc_text(version.time)}, {"origin", name_of(version.origin)}, {"state", std::move(state)},
      {"imports", std::move(imports)},     {"metadata", version.metadata}};
}

Json to_json(const ModuleHistory& history) {
  Json versions = Json::array();
  for (const VersionInfo& version : history.versions) versions.push_back(to_json(version));
  Json switches = Json::array();
  for (const VersionSwitch& change : history.switches) {
    switches.push_back({{"from", change.from},
                        {"to", change.to},
                        {"time", to_utc_text(change.time)},
                        {"cause", name_of(change.cause)},
                        {"actor", change.actor}});
  }
  return {{"module", history.module},
          {"active", history.active},
          {"total", history.total},
          {"versions", std::move(versions)},
          {"switches", std::move(switches)}};
}

Json to_json(const ReloadReport& report) {
  Json json{{"module", report.module}, {"no_change", report.no_change}, {"from", report.from}, {"to", report.to}};
  if (report.no_change) return json;
  json["state"] = report.snapshot ? "snapshot" : name_of(report.state);
  if (report.plan) json["plan"] = Json::parse(petri::to_json(*report.plan));
  Json processes = Json::array();
  for (const ProcessSwitch& process : report.processes) {
    processes.push_back(
        {{"process", process.process}, {"pause_ns", process.pause.count()}, {"tier", name_of(process.tier)}});
  }
  json["processes"] = std::move(processes);
  json["preparation_ns"] = report.preparation.count();
  json["pause_max_ns"] = report.pause_max.count();
  return json;
}

Json to_json(const ReloadPlan& plan) {
  Json json{{"module", plan.module}, {"no_change", plan.no_change}, {"from", plan.from}, {"to", plan.to}};
  if (plan.no_change) return json;
  json["state"] = name_of(plan.state);
  if (plan.plan) json["plan"] = Json::parse(petri::to_json(*plan.plan));
  if (plan.refusal) json["refusal"] = to_json(*plan.refusal);
  return json;
}

}  // namespace petri::cli
