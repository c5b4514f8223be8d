#include "sandbox/processes/process_starts.h"

#include <fmt/format.h>

#include <utility>

namespace petri {

// The code that it starts with; end() of the gate follows. What an isolated sandbox has frozen stays as it is.
Result<ModuleTable::Active> ProcessStarts::begin(std::string_view module) {
  parts_.gate.begin(parts_.workers);
  auto active = parts_.standing.status() == SandboxStatus::isolated
                    ? fail(ErrorCode::not_now, fmt::format("{} is isolated", sandbox_))
                    : parts_.modules.active_to_start(module);
  if (!active) parts_.gate.end();
  return active;
}

Result<Outcome> ProcessStarts::start(Process& process, Incarnation incarnation, const ChildSpec& spec, bool again) {
  PETRI_TRY(const ModuleTable::Active code, begin(spec.module));
  parts_.journal.process_starts(again);
  StartOrigin* const origin = again ? nullptr : origin_of(process, spec.module);
  auto outcome = origin != nullptr ? origin->start(process, incarnation, code, spec.input)
                                   : process.start(incarnation, code.code, spec.input, nullptr, code.number);
  parts_.gate.end();
  if (!outcome || outcome->kind != OutcomeKind::ok) {
    parts_.ends.not_started(process, outcome);
    return outcome;
  }
  auto notice = parts_.processes.note_started(process.name());
  if (again) {
    parts_.journal.process_restarted(process.name(), parts_.processes.note_restart(process.name()));
    parts_.processes.count_supervisor_restart();
  } else {
    parts_.journal.process_started(process.name(), spec.module);
  }
  parts_.processes.notify_parent(std::move(notice));
  return outcome;
}

// Asked under the lock: a child that a guest has spawned may start while the start of the sandbox ends.
StartOrigin* ProcessStarts::origin_of(const Process& process, std::string_view module) const {
  MutexLock lock(mutex_);
  return origin_ != nullptr && origin_->knows(process.name(), module) ? origin_ : nullptr;
}

void ProcessStarts::set_origin(StartOrigin* origin) {
  MutexLock lock(mutex_);
  origin_ = origin;
}

}  // namespace petri
