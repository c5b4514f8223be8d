// create_all, destroy_all, call_all, run_all, reload_all_of, collect.
#include <fmt/format.h>

#include <functional>

#include "base/text/escape.h"
#include "cli/exit_code.h"
#include "cli/outcome_text.h"
#include "cli/shell/reload_words.h"
#include "cli/shell/sandbox_json.h"
#include "cli/shell/sandbox_spec_words.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"
#include "cli/shell/version_text.h"

namespace petri::cli {
namespace {

constexpr std::size_t kIdTextMax = 80;

std::vector<std::string> words_between_commas(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// "a,b,c", or "@shop" for all that have this label.
std::vector<std::string> ids_meant(ShellSession& session, const std::string& text) {
  if (!text.starts_with('@')) return words_between_commas(text);
  std::vector<std::string> ids;
  SandboxQuery query{.status = {}, .label = text.substr(1)};
  query.limit = SIZE_MAX;
  for (const SandboxInfo& info : session.runtime().list(query).sandboxes) ids.push_back(info.id);
  return ids;
}

Result<BatchOptions> batch_options(ShellSession& session, const BoundArguments& arguments) {
  BatchOptions options{.stop = session.stop()};
  PETRI_TRY(options.time_max, time_option(arguments, "--timeout"));
  PETRI_TRY(const auto concurrency, count_option(arguments, "--concurrency"));
  options.concurrency_max = concurrency.value_or(0);
  return options;
}

// A line and an object for each row, and how many went well.
template <typename T>
Answer rows_answer(const std::vector<std::string>& ids, const std::vector<Result<T>>& rows,
                   const std::function<std::string(const T&)>& text, const std::function<void(Json&, const T&)>& fill,
                   const std::function<ExitCode(const T&)>& code) {
  Answer answer;
  answer.json["rows"] = Json::array();
  std::size_t done = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Json json{{"sandbox", ids[row]}};
    const ExitCode how = rows[row] ? code(*rows[row]) : exit_code_for(rows[row].error());
    if (how == ExitCode::ok) ++done;
    if (answer.code == ExitCode::ok) answer.code = how;
    const std::string said = rows[row] ? text(*rows[row]) : "error: " + rows[row].error().message;
    answer.text += fmt::format("{}: {}\n", escape_text(ids[row], kIdTextMax), said);
    if (rows[row]) fill(json, *rows[row]);
    if (!rows[row]) json["error"] = to_json(rows[row].error());
    answer.json["rows"].push_back(std::move(json));
  }
  answer.notes = fmt::format("{} of {} ok\n", done, counted(rows.size(), "row", "rows"));
  answer.json["ok"] = done;
  return answer;
}

Answer outcomes_answer(const std::vector<std::string>& ids, const std::vector<Result<Outcome>>& rows) {
  return rows_answer<Outcome>(
      ids, rows, [](const Outcome& outcome) { return escape_text(to_text(outcome)); },
      [](Json& json, const Outcome& outcome) { json["outcome"] = to_json(outcome); },
      [](const Outcome& outcome) { return exit_code_for(outcome); });
}

// The numbers of a row in the types of its own function. What is wrong with the row the batch will say.
Result<std::vector<Value>> numbers_of(ShellSession& session, const std::string& id, const std::string& module,
                                      const BoundArguments& arguments) {
  const auto sandbox = session.runtime().find(id);
  if (!sandbox) return std::vector<Value>();
  const std::string meant = module.empty() ? ShellSession::module_of(*sandbox, {}) : module;
  if (meant.empty()) return std::vector<Value>();
  return numbers_for(session.code_of(sandbox->info(), meant), arguments.at(1), arguments.from(2));
}

// The module that was named, or the only one of the sandbox.
std::string module_of_row(ShellSession& session, const std::string& id, const BoundArguments& arguments) {
  if (const auto named = arguments.value("--module")) return *named;
  const auto info = session.runtime().info(id);
  return info && info->modules.size() == 1 ? info->modules.front().name : "";
}

}  // namespace

Result<Answer> create_all(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const SandboxSpec like, read_spec(arguments));
  PETRI_TRY(const BatchOptions options, batch_options(session, arguments));
  const std::vector<std::string> ids = words_between_commas(arguments.at(0));
  std::vector<ArtifactPtr> code;
  for (const ModuleSpec& module : like.modules) {
    if (ArtifactPtr artifact = try_artifact(module.source, kShellModuleBytesMax)) code.push_back(std::move(artifact));
  }
  std::vector<SandboxSpec> specs(ids.size(), like);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    specs[row].id = ids[row];
    specs[row].on_log = [news = session.shared_news(), id = ids[row]](std::string_view process, LogLevel level,
                                                                      std::string_view line) {
      news->add_log({id, std::string(process), level, std::string(line)});
    };
  }
  const auto rows = session.runtime().create_all(std::move(specs), options);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row]) session.remember_code(ids[row], code);
  }
  return rows_answer<Sandbox>(
      ids, rows, [](const Sandbox& sandbox) { return std::string(name_of(sandbox.status())); },
      [](Json& json, const Sandbox& sandbox) { json["status"] = name_of(sandbox.status()); },
      [](const Sandbox&) { return ExitCode::ok; });
}

Result<Answer> destroy_all(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const BatchOptions options, batch_options(session, arguments));
  const std::vector<std::string> ids = ids_meant(session, arguments.at(0));
  std::vector<Result<bool>> rows;
  for (const Result<void>& row : session.runtime().destroy_all(ids, options)) {
    rows.push_back(row ? Result<bool>(true) : Result<bool>(fail(row.error())));
    if (row) session.forget_code(ids[rows.size() - 1]);
  }
  return rows_answer<bool>(
      ids, rows, [](bool) { return "destroyed"; }, [](Json& json, bool done) { json["destroyed"] = done; },
      [](bool) { return ExitCode::ok; });
}

Result<Answer> call_all(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const BatchOptions options, batch_options(session, arguments));
  const std::vector<std::string> ids = ids_meant(session, arguments.at(0));
  std::vector<CallPayload> payloads;
  for (const std::string& id : ids) {
    PETRI_TRY(std::vector<Value> numbers, numbers_of(session, id, {}, arguments));
    payloads.push_back({.function = arguments.at(1),
                        .arguments = std::move(numbers),
                        .input = arguments.value("--input").value_or("")});
  }
  return outcomes_answer(ids, session.runtime().call_all(ids, std::move(payloads), options));
}

Result<Answer> run_all(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const BatchOptions options, batch_options(session, arguments));
  const std::vector<std::string> ids = ids_meant(session, arguments.at(0));
  std::vector<RunPayload> payloads;
  for (const std::string& id : ids) {
    std::string module = module_of_row(session, id, arguments);
    PETRI_TRY(std::vector<Value> numbers, numbers_of(session, id, module, arguments));
    payloads.push_back({.module = std::move(module),
                        .function = arguments.at(1),
                        .arguments = std::move(numbers),
                        .input = arguments.value("--input").value_or("")});
  }
  return outcomes_answer(ids, session.runtime().run_all(ids, std::move(payloads), options));
}

Result<Answer> reload_all_of(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const BatchOptions options, batch_options(session, arguments));
  PETRI_TRY(const Source source, read_source(arguments.at(1), kShellModuleBytesMax));
  PETRI_TRY(const ReloadOptions reload, reload_options(arguments));
  const std::vector<std::string> ids = ids_meant(session, arguments.at(0));
  std::vector<ReloadPayload> payloads;
  for (const std::string& id : ids) payloads.push_back({module_of_row(session, id, arguments), source, reload});
  const auto rows = session.runtime().reload_all_of(ids, std::move(payloads), options);
  const ArtifactPtr code = try_artifact(source, kShellModuleBytesMax);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto sandbox = session.runtime().find(ids[row]);
    if (rows[row] && sandbox) session.learn_code(*sandbox, code);
  }
  return rows_answer<ReloadReport>(
      ids, rows,
      [](const ReloadReport& report) {
        if (report.no_change) return fmt::format("version {} as before", report.to);
        return fmt::format("version {} to {}", report.from, report.to);
      },
      [](Json& json, const ReloadReport& report) { json["reload"] = to_json(report); },
      [](const ReloadReport&) { return ExitCode::ok; });
}

Result<Answer> collect(ShellSession& session, const BoundArguments& /*arguments*/) {
  const CollectionReport report = session.runtime().collect();
  Answer answer{.text = fmt::format("removed {} dead, {} abandoned, {} of old generations\n", report.dead,
                                    report.abandoned, report.generations),
                .notes = fmt::format(
                    "forgot {} and {}; put {} right\n", counted(report.artifacts, "artifact", "artifacts"),
                    counted(report.code, "loaded module", "loaded modules"), counted(report.rows, "row", "rows"))};
  answer.json["dead"] = report.dead;
  answer.json["abandoned"] = report.abandoned;
  answer.json["generations"] = report.generations;
  answer.json["artifacts"] = report.artifacts;
  answer.json["code"] = report.code;
  answer.json["folders"] = report.folders;
  answer.json["rows"] = report.rows;
  return answer;
}

}  // namespace petri::cli
