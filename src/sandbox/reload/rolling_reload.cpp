// A reload that switches one process after another: the others answer meanwhile.
#include <fmt/format.h>

#include <algorithm>

#include "sandbox/reload/reload.h"

namespace petri {
namespace {

// Modules that are linked with one another become active together, before the rest, which do one after another.
std::vector<ModuleChanges> in_turns(ModuleChanges changes) {
  ModuleChanges linked;
  std::vector<ModuleChanges> turns;
  for (ModuleChange& change : changes) {
    ModuleChanges& turn = change.lead.empty() ? turns.emplace_back() : linked;
    turn.push_back(std::move(change));
  }
  if (!linked.empty()) turns.insert(turns.begin(), std::move(linked));
  return turns;
}

}  // namespace

Result<std::vector<ReloadReport>> Reload::roll_all(const std::function<void()>& release) {
  std::vector<ReloadReport> all;
  std::vector<ModuleChanges> turns = in_turns(std::move(changes_));
  for (ModuleChanges& turn : turns) {
    const bool last = &turn == &turns.back();
    Reload together(parts_, terms_, std::move(turn));
    PETRI_TRY(std::vector<ReloadReport> done, together.roll_together(last ? release : [] {}));
    std::ranges::move(done, std::back_inserter(all));
  }
  return all;
}

Result<std::vector<ReloadReport>> Reload::roll_together(const std::function<void()>& release) {
  const std::stop_callback on_stop(parts_.host.ending(), [this] { abandon(); });
  const Clock& clock = parts_.owner.clock();
  const Clock::TimePoint start = clock.now();
  Rolled rolled;
  if (auto done = roll(rolled); !done) return fail(roll_back(rolled, std::move(done.error())));
  std::vector<ReloadReport> done = publish(clock.now() - start);
  release();
  audit(done);
  return done;
}

// Until nobody is left who has not switched, and nobody starts who might be: then the new version is the active one.
Result<void> Reload::roll(Rolled& rolled) {
  const std::vector<ModuleChange*> changes = needed();
  PETRI_TRY(try_start_unused(changes));
  start_trials(changes);
  for (;;) {
    for (ModuleChange* change : changes) {
      for (const ProcessPtr& next : left_to_roll(*change, rolled)) {
        PETRI_TRY(switch_alone(*change, next));
        rolled[next] = next->incarnation();
      }
    }
    const Clock::TimePoint deadline = deadline_of(terms_.policy);
    if (!parts_.starts.try_hold()) {
      parts_.starts.wait_for_starts(parts_.owner.workers(), deadline, parts_.host.ending());
      continue;
    }
    const bool quiet = parts_.host.trees_are_quiet();
    const bool all =
        std::ranges::all_of(changes, [&](const ModuleChange* one) { return left_to_roll(*one, rolled).empty(); });
    auto committed = all && quiet ? parts_.host.commit(changes_, commit_terms()) : Result<void>();
    parts_.starts.release();
    if (all && quiet) return committed;
    if (!quiet) parts_.host.wait_for_restarts(deadline);
  }
}

// Before the first process switches: it may crash before the last one has.
void Reload::start_trials(const std::vector<ModuleChange*>& changes) {
  const std::uint32_t calls = terms_.on_trial() ? terms_.policy.trial.calls : 0;
  const Clock::TimePoint until = parts_.owner.clock().now() + terms_.policy.trial.time;
  for (ModuleChange* change : changes) {
    const auto lead = std::ranges::find(changes, change->lead, &ModuleChange::name);
    const bool is_led = lead != changes.end() && *lead != change;
    change->module_switch->set_trial(is_led ? (*lead)->module_switch->trial()
                                            : std::make_shared<TrialPeriod>(change->name, calls, until));
  }
}

std::vector<ProcessPtr> Reload::left_to_roll(const ModuleChange& change, const Rolled& rolled) const {
  std::vector<ProcessPtr> left = parts_.host.processes_of(change.name);
  std::erase_if(left, [&](const ProcessPtr& process) {
    const auto found = rolled.find(process);
    return (found != rolled.end() && found->second == process->incarnation()) || !process->alive();
  });
  return left;
}

Result<void> Reload::switch_alone(ModuleChange& change, const ProcessPtr& process) {
  const Clock::TimePoint deadline = deadline_of(terms_.policy);
  PETRI_TRY(prepare(change, *process, deadline));
  return exchange_together({.changes = {&change}, .only = process, .deadline = deadline});
}

namespace {

// From the version a process has now to the one it had, with the state that was kept.
ModuleChange reversed(const ModuleChange& change) {
  SwitchTerms back = change.module_switch->terms();
  std::swap(back.from, back.to);
  std::swap(back.from_number, back.to_number);
  back.way = StateWay::none;
  back.back_to = std::exchange(back.keep, nullptr);
  ModuleChange reverse{.name = change.name, .kind = ReplaceState{.snapshot = back.back_to}};
  reverse.module_switch = std::make_unique<ModuleSwitch>(std::move(back));
  return reverse;
}

}  // namespace

// With the state they had when they switched; whoever cannot go back is named.
Error Reload::roll_back(const Rolled& rolled, Error error) {
  std::string left;
  for (const ModuleChange* change : needed()) {
    ModuleChanges changes;
    changes.push_back(reversed(*change));
    Reload back(parts_, terms_, std::move(changes));
    const std::stop_callback on_stop(parts_.host.ending(), [&back] { back.abandon(); });
    for (const ProcessPtr& process : parts_.host.processes_of(change->name)) {
      const auto found = rolled.find(process);
      if (found == rolled.end() || process->incarnation() != found->second || !process->alive()) continue;
      if (!back.switch_alone(back.changes_.front(), process)) left += (left.empty() ? "" : ", ") + process->name();
    }
  }
  if (!left.empty()) error.message += fmt::format("; still with the new version: {}", left);
  return error;
}

}  // namespace petri
