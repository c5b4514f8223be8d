// snapshot, restore, fork.
#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/input_file.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

std::string snapshot_text(const SnapshotInfo& info) {
  return fmt::format("{}, {}, {}, {}", counted(info.processes.size(), "process", "processes"),
                     counted(info.messages, "message", "messages"), counted(info.timers, "timer", "timers"),
                     format_bytes(info.bytes));
}

Answer snapshot_answer(std::string text, const SnapshotInfo& info) {
  Answer answer{.text = std::move(text)};
  answer.json["snapshot"] = {{"sandbox", info.sandbox},   {"modules", info.modules}, {"processes", info.processes},
                             {"messages", info.messages}, {"timers", info.timers},   {"bytes", info.bytes}};
  return answer;
}

// Errors of the file system name the file; those about its content do not.
Result<Snapshot> read_snapshot(const std::string& file) {
  auto snapshot = Snapshot::read(file);
  if (snapshot || !snapshot.error().detail("path").empty()) return snapshot;
  return fail(name_file(file, std::move(snapshot.error())));
}

}  // namespace

Result<Answer> take_snapshot(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(Sandbox sandbox, session.runtime().find(arguments.at(0)));
  PETRI_TRY(const Snapshot snapshot, sandbox.snapshot());
  PETRI_TRY(snapshot.write(arguments.at(1)));
  const SnapshotInfo info = snapshot.info();
  return snapshot_answer(fmt::format("wrote {}: {}\n", escape_text(arguments.at(1)), snapshot_text(info)), info);
}

// Into the sandbox of this id, or into a new one.
Result<Answer> restore_snapshot(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const Snapshot snapshot, read_snapshot(arguments.at(1)));
  const std::string& id = arguments.at(0);
  const SnapshotInfo info = snapshot.info();
  if (auto present = session.runtime().find(id)) {
    PETRI_TRY(present->restore(snapshot, {.timers = !arguments.has("--no-timers")}));
    return snapshot_answer(fmt::format("restored {}: {}\n", escape_text(id), snapshot_text(info)), info);
  }
  PETRI_TRY(session.runtime().create_sandbox({.id = id}, snapshot));
  session.remember_code(id, snapshot.code());
  return snapshot_answer(
      fmt::format("created {} from {}: {}\n", escape_text(id), escape_text(info.sandbox), snapshot_text(info)), info);
}

Result<Answer> fork_sandbox(ShellSession& session, const BoundArguments& arguments) {
  const std::string& id = arguments.at(0);
  const std::vector<std::string> twins = arguments.from(1);
  ForkOptions options{.share_random = arguments.has("--share-random"),
                      .timers = !arguments.has("--no-timers"),
                      .labels = arguments.values("--label"),
                      .mutation = arguments.value("--mutation").value_or("")};
  PETRI_TRY(options.generation, count_option(arguments, "--generation"));
  const auto made = session.runtime().fork(id, twins, options);
  Answer answer;
  answer.json["forks"] = Json::array();
  for (std::size_t index = 0; index < made.size(); ++index) {
    Json fork{{"sandbox", twins[index]}};
    if (made[index]) {
      session.copy_code(id, twins[index]);
      answer.text += fmt::format("forked {}\n", escape_text(twins[index]));
    } else {
      if (made.size() == 1) return fail(made[index].error());
      fork["error"] = made[index].error().message;
      answer.text += fmt::format("not {}: {}\n", escape_text(twins[index]), made[index].error().message);
    }
    answer.json["forks"].push_back(std::move(fork));
  }
  return answer;
}

}  // namespace petri::cli
