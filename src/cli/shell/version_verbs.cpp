// load, stage, activate, reload, rollback, plan, modules, versions, history, state.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/shell/reload_words.h"
#include "cli/shell/sandbox_spec_words.h"
#include "cli/shell/state_words.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"
#include "cli/shell/version_text.h"

namespace petri::cli {
namespace {

// ID[/MODULE], taken apart.
struct AskedModule {
  Sandbox sandbox;
  std::string module;
};

Result<AskedModule> asked_module(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  PETRI_TRY(std::string module, module_meant(sandbox.info(), address.inside));
  return AskedModule{std::move(sandbox), std::move(module)};
}

Result<std::uint64_t> version_number(const std::string& text) {
  const auto number = parse_count(text);
  if (number && *number > 0) return *number;
  return fail(ErrorCode::validation_failed,
              fmt::format("\"{}\" is no number of a version; versions lists them", escape_text(text, 80)));
}

Answer version_answer(const AskedModule& asked, std::string_view done, const VersionInfo& version) {
  Answer answer{.text = fmt::format("{} {}: {}\n", done, escape_text(asked.module), to_text(version))};
  answer.json["module"] = asked.module;
  answer.json["version"] = to_json(version);
  return answer;
}

// The options of the shell for what the library calls policy.
Result<ReloadReport> with_advice(Result<ReloadReport> report) {
  if (report) return report;
  std::string& message = report.error().message;
  const bool drops = message.find("permit dropping") != std::string::npos;
  if (drops) message += "; --drop permits it, and reload takes --rename OLD=NEW";
  if (message.find("drop_exports") != std::string::npos) message += "; the option is --drop-exports";
  return report;
}

Answer report_answer(const ReloadReport& report) {
  Answer answer{.text = to_text(report)};
  answer.json["reload"] = to_json(report);
  return answer;
}

}  // namespace

Result<Answer> load_module(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  if (address.inside.empty()) {
    return fail(ErrorCode::validation_failed,
                fmt::format("a new module needs a name: load {}/NAME FILE", escape_text(address.sandbox, 80)));
  }
  PETRI_TRY(const Source source, read_source(arguments.at(1), kShellModuleBytesMax));
  PETRI_TRY(const petri::VersionOptions options, version_options(arguments));
  AskedModule asked{std::move(sandbox), address.inside};
  PETRI_TRY(const VersionInfo version, asked.sandbox.load(asked.module, source, options));
  session.learn_code(asked.sandbox, try_artifact(source, kShellModuleBytesMax));
  return version_answer(asked, "loaded", version);
}

Result<Answer> stage_version(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(AskedModule asked, asked_module(session, arguments));
  PETRI_TRY(const Source source, read_source(arguments.at(1), kShellModuleBytesMax));
  PETRI_TRY(const petri::VersionOptions options, version_options(arguments));
  PETRI_TRY(const VersionInfo version, asked.sandbox.stage(asked.module, source, options));
  session.learn_code(asked.sandbox, try_artifact(source, kShellModuleBytesMax));
  return version_answer(asked, "staged", version);
}

Result<Answer> activate_version(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(AskedModule asked, asked_module(session, arguments));
  PETRI_TRY(const std::uint64_t number, version_number(arguments.at(1)));
  PETRI_TRY(const ReloadOptions options, reload_options(arguments));
  PETRI_TRY(const ReloadReport report, with_advice(asked.sandbox.activate(asked.module, number, options)));
  return report_answer(report);
}

Result<Answer> reload_module(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(AskedModule asked, asked_module(session, arguments));
  PETRI_TRY(const Source source, read_source(arguments.at(1), kShellModuleBytesMax));
  PETRI_TRY(const ReloadOptions options, reload_options(arguments));
  PETRI_TRY(const ReloadReport report, with_advice(asked.sandbox.reload(asked.module, source, options)));
  session.learn_code(asked.sandbox, try_artifact(source, kShellModuleBytesMax));
  return report_answer(report);
}

Result<Answer> rollback_module(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(AskedModule asked, asked_module(session, arguments));
  std::uint64_t number = 0;
  if (arguments.has(1)) {
    PETRI_TRY(number, version_number(arguments.at(1)));
  }
  PETRI_TRY(const RollbackOptions options, rollback_options(arguments));
  PETRI_TRY(const ReloadReport report, with_advice(asked.sandbox.rollback(asked.module, number, options)));
  return report_answer(report);
}

Result<Answer> plan_reload(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const AskedModule asked, asked_module(session, arguments));
  PETRI_TRY(const Source source, read_source(arguments.at(1), kShellModuleBytesMax));
  PETRI_TRY(const ReloadOptions options, reload_options(arguments));
  PETRI_TRY(const ReloadPlan plan, asked.sandbox.plan(asked.module, source, options));
  Answer answer{.text = to_text(plan)};
  answer.json["plan"] = to_json(plan);
  return answer;
}

Result<Answer> show_modules(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const Sandbox sandbox, session.runtime().find(arguments.at(0)));
  PETRI_TRY(const std::vector<std::string> order, sandbox.reload_order());
  const SandboxInfo info = sandbox.info();
  std::vector<ModuleRow> rows;
  for (const std::string& name : order) {
    const auto module = std::ranges::find(info.modules, name, &ModuleSummary::name);
    if (module == info.modules.end()) continue;  // loaded since
    PETRI_TRY(std::vector<std::string> imports, sandbox.dependencies(name));
    rows.push_back({*module, std::move(imports)});
  }
  Answer answer{.text = to_text(rows)};
  answer.json["modules"] = to_json(rows);
  return answer;
}

Result<Answer> show_versions(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const AskedModule asked, asked_module(session, arguments));
  PETRI_TRY(const std::vector<VersionInfo> versions, asked.sandbox.versions(asked.module));
  Answer answer{.text = to_text(versions)};
  Json list = Json::array();
  for (const VersionInfo& version : versions) list.push_back(to_json(version));
  answer.json["module"] = asked.module;
  answer.json["versions"] = std::move(list);
  return answer;
}

Result<Answer> show_history(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const AskedModule asked, asked_module(session, arguments));
  PETRI_TRY(const ModuleHistory history, asked.sandbox.history(asked.module));
  Answer answer{.text = to_text(history)};
  answer.json["history"] = to_json(history);
  return answer;
}

Result<Answer> show_or_write_state(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  PETRI_TRY(StateDocument state, sandbox.state(address.inside));
  if (arguments.has(1)) {
    PETRI_TRY(const auto updates, parse_state_updates(arguments.from(1), state));
    PETRI_TRY(sandbox.update_state(updates, address.inside));
    PETRI_TRY(state, sandbox.state(address.inside));
  }
  Answer answer{.text = to_text(state)};
  answer.json["state"] = Json::parse(petri::to_json(state));
  return answer;
}

}  // namespace petri::cli
