#include "sandbox/switch/quiescence.h"

#include <fmt/format.h>

namespace petri {

std::vector<Quiescence::Target> Quiescence::all_of(std::vector<std::string> modules) {
  std::vector<Target> targets;
  for (std::string& module : modules) targets.push_back({.module = std::move(module)});
  return targets;
}

Quiescence::~Quiescence() {
  for (const Taken& one : taken_) one.process->entrance().put_back();
  if (holds_starts_) parts_.starts.release();
  for (const auto& [key, process] : gated_) process->entrance().open_gate();
}

std::vector<ProcessPtr> Quiescence::processes_of(const Target& target) const {
  return target.only != nullptr ? std::vector{target.only} : parts_.host.processes_of(target.module);
}

bool Quiescence::try_take_all(const std::vector<Target>& targets, const Preparation* preparation) {
  if (!parts_.starts.try_hold()) {
    parts_.starts.wait_for_starts(parts_.owner.workers(), deadline_, stop_);
    return false;
  }
  holds_starts_ = true;
  bool some_are_down = false;
  for (std::size_t place = 0; place < targets.size(); ++place) {
    for (const ProcessPtr& process : processes_of(targets[place])) {
      const Entrance::Taken taken = process->entrance().try_take();
      some_are_down = some_are_down || taken == Entrance::Taken::down;
      if (taken == Entrance::Taken::taken) taken_.push_back({process, place});
      const bool is_new =
          taken == Entrance::Taken::taken && preparation != nullptr && !preparation->is_done(place, *process);
      if (taken == Entrance::Taken::at_work || is_new) {
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
  for (const Taken& one : taken_) one.process->entrance().put_back();
  taken_.clear();
  holds_starts_ = false;
  parts_.starts.release();
}

// A chain that started in one of them before all gates are closed must still come through every other, or the two would
// wait for each other: so the time that counts is the one when the last is closed.
void Quiescence::close_gates(const std::vector<Target>& targets) {
  const Clock& clock = parts_.owner.clock();
  const std::size_t before = gated_.size();
  for (const Target& target : targets) {
    for (const ProcessPtr& process : processes_of(target)) {
      if (!gated_.emplace(process.get(), process).second) continue;
      process->entrance().close_gate(Clock::TimePoint::max());
      if (!process->entrance().at_work()) since_.emplace(process.get(), clock.now());
    }
  }
  if (gated_.size() == before) return;
  const Clock::TimePoint now = clock.now();
  for (const auto& [key, process] : gated_) process->entrance().close_gate(now);
}

// Processes that came since the last look are waited for like the others.
Result<void> Quiescence::wait(const std::vector<Target>& targets, const Preparation* preparation) {
  close_gates(targets);
  for (std::size_t place = 0; place < targets.size(); ++place) {
    for (const ProcessPtr& process : processes_of(targets[place])) {
      if (!process->entrance().wait_until_idle(deadline_, stop_) && !stop_.stop_requested()) {
        return fail(Error{
            .code = ErrorCode::busy,
            .message = fmt::format("the process {} did not come to rest in time; nothing was changed", process->name()),
            .details = {}}
                        .with("process", process->name()));
      }
      since_.try_emplace(process.get(), parts_.owner.clock().now());
      if (preparation != nullptr && !preparation->is_done(place, *process)) {
        PETRI_TRY(preparation->carry_out(place, *process));
      }
    }
  }
  return {};
}

Result<void> Quiescence::reach(const std::vector<Target>& targets, const Preparation* preparation) {
  for (;;) {
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
    PETRI_TRY(wait(targets, preparation));
    if (try_take_all(targets, preparation)) return {};
    if (std::chrono::steady_clock::now() >= deadline_) {
      return fail(ErrorCode::busy, "the processes did not come to rest in time; nothing was changed");
    }
  }
}

}  // namespace petri
