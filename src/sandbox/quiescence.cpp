#include "sandbox/quiescence.h"

#include <fmt/format.h>

namespace petri {
namespace {

bool is_prepared(const ModuleChange& change, const Process& process) {
  return change.change == nullptr || change.change->has_prepared(process);
}

}  // namespace

Quiescence::~Quiescence() {
  for (const Taken& one : taken_) one.process->put_back();
  if (holds_starts_) parts_.starts.release();
  for (const auto& [key, process] : gated_) process->open_gate();
}

std::vector<ProcessPtr> Quiescence::processes_of(const ModuleChange& change) const {
  if (!change.takes_part()) return {};
  return change.alone != nullptr ? std::vector{change.alone} : parts_.host.processes_of(change.name);
}

bool Quiescence::try_take_all(const ModuleChanges& changes) {
  if (!parts_.starts.try_hold()) {
    parts_.starts.wait_for_starts(parts_.owner.workers(), deadline_, stop_);
    return false;
  }
  holds_starts_ = true;
  bool some_are_down = false;
  for (std::size_t place = 0; place < changes.size(); ++place) {
    for (const ProcessPtr& process : processes_of(changes[place])) {
      const Process::Taken taken = process->try_take();
      some_are_down = some_are_down || taken == Process::Taken::down;
      if (taken == Process::Taken::taken) taken_.push_back({process, place});
      const bool is_new = taken == Process::Taken::taken && !is_prepared(changes[place], *process);
      if (taken == Process::Taken::at_work || is_new) {
        give_back();
        return false;
      }
    }
  }
  if (!some_are_down || parts_.host.trees_are_quiet()) return true;
  give_back();
  parts_.host.wait_for_restarts(deadline_);
  return false;
}

void Quiescence::give_back() {
  for (const Taken& one : taken_) one.process->put_back();
  taken_.clear();
  holds_starts_ = false;
  parts_.starts.release();
}

// A chain that began in one of them before all gates are closed must still come through every other, or the two would
// wait for each other: so the time that counts is the one when the last is closed.
void Quiescence::close_gates(const ModuleChanges& changes) {
  const Clock& clock = parts_.owner.clock();
  const std::size_t before = gated_.size();
  for (const ModuleChange& change : changes) {
    for (const ProcessPtr& process : processes_of(change)) {
      if (!gated_.emplace(process.get(), process).second) continue;
      process->close_gate(Clock::TimePoint::max());
      if (!process->at_work()) since_.emplace(process.get(), clock.now());
    }
  }
  if (gated_.size() == before) return;
  const Clock::TimePoint now = clock.now();
  for (const auto& [key, process] : gated_) process->close_gate(now);
}

// Those that came since the last look are waited for like the others.
Result<void> Quiescence::wait(ModuleChanges& changes, const Prepare& prepare) {
  close_gates(changes);
  for (ModuleChange& change : changes) {
    for (const ProcessPtr& process : processes_of(change)) {
      if (!process->wait_until_idle(deadline_, stop_) && !stop_.stop_requested()) {
        return fail(Error{
            .code = ErrorCode::busy,
            .message = fmt::format("the process {} did not come to rest in time; nothing was changed", process->name()),
            .details = {}}
                        .with("process", process->name()));
      }
      since_.try_emplace(process.get(), parts_.owner.clock().now());
      if (!is_prepared(change, *process)) PETRI_TRY(prepare(change, *process));
    }
  }
  return {};
}

Result<void> Quiescence::reach(ModuleChanges& changes, const Prepare& prepare) {
  for (;;) {
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
    PETRI_TRY(wait(changes, prepare));
    if (try_take_all(changes)) return {};
    if (std::chrono::steady_clock::now() >= deadline_) {
      return fail(ErrorCode::busy, "the processes did not come to rest in time; nothing was changed");
    }
  }
}

}  // namespace petri
