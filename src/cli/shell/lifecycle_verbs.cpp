// create, stop, restart, destroy, label, unlabel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/escape.h"
#include "cli/shell/sandbox_json.h"
#include "cli/shell/sandbox_spec_words.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

std::vector<ArtifactPtr> code_in(const SandboxSpec& spec) {
  std::vector<ArtifactPtr> code;
  for (const ModuleSpec& module : spec.modules) {
    if (ArtifactPtr artifact = try_artifact(module.source, kShellModuleBytesMax)) code.push_back(std::move(artifact));
  }
  return code;
}

// A sandbox that could not be started leaves a record, which restart may start.
bool left_a_record(const Error& error) {
  return error.code != ErrorCode::already_exists && error.code != ErrorCode::validation_failed;
}

Answer status_answer(ShellSession& session, const std::string& id, std::string_view done) {
  Answer answer{.text = fmt::format("{} {}", done, escape_text(id))};
  answer.json["sandbox"] = id;
  if (const auto info = session.runtime().info(id)) {
    answer.json["status"] = name_of(info->status);
    if (info->status == SandboxStatus::running)
      answer.text += fmt::format(": running, {}", counted(info->usage.processes, "process", "processes"));
  }
  answer.text += "\n";
  return answer;
}

Answer labels_answer(const Sandbox& sandbox) {
  const std::vector<std::string> labels = sandbox.info().labels;
  Answer answer{.text = labels.empty() ? "no labels\n" : fmt::format("{}\n", fmt::join(labels, " "))};
  answer.json["labels"] = labels;
  return answer;
}

}  // namespace

Result<Answer> create_sandbox(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(SandboxSpec spec, read_spec(arguments));
  const std::string id = spec.id;
  spec.on_log = [news = session.shared_news(), id](std::string_view process, LogLevel level, std::string_view line) {
    news->add_log({id, std::string(process), level, std::string(line)});
  };
  std::vector<ArtifactPtr> code = code_in(spec);
  // A guest that does not come back from its start is ended with the sandbox.
  const std::stop_callback on_stop(session.stop(), [&session, &id] { (void)session.runtime().destroy(id); });
  const auto created = session.runtime().create_sandbox(std::move(spec));
  if (created || left_a_record(created.error())) session.remember_code(id, std::move(code));
  if (!created) return fail(created.error());
  return status_answer(session, id, "created");
}

Result<Answer> stop_sandbox(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(session.runtime().stop(arguments.at(0)));
  return status_answer(session, arguments.at(0), "stopped");
}

Result<Answer> restart_sandbox(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(session.runtime().restart(arguments.at(0), {.keep_state = arguments.has("--keep-state")}));
  return status_answer(session, arguments.at(0), "restarted");
}

Result<Answer> destroy_sandbox(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(session.runtime().destroy(arguments.at(0)));
  session.forget_code(arguments.at(0));
  return status_answer(session, arguments.at(0), "destroyed");
}

Result<Answer> label_sandbox(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(Sandbox sandbox, session.runtime().find(arguments.at(0)));
  PETRI_TRY(sandbox.label(arguments.at(1)));
  return labels_answer(sandbox);
}

Result<Answer> unlabel_sandbox(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(Sandbox sandbox, session.runtime().find(arguments.at(0)));
  PETRI_TRY(sandbox.unlabel(arguments.at(1)));
  return labels_answer(sandbox);
}

}  // namespace petri::cli
