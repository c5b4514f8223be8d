// A reload that switches one process after another: the others answer meanwhile.
#include <fmt/format.h>

#include <algorithm>

#include "sandbox/reload.h"

namespace petri {
namespace {

// Those that are linked with one another become active together, before the rest, which do one after another.
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
  const Clock& clock = parts_.owner.clock();
  const Clock::TimePoint began = clock.now();
  Rolled rolled;
  if (auto done = roll(rolled); !done) return fail(roll_back(rolled, std::move(done.error())));
  std::vector<ReloadReport> done = reports(clock.now() - began);
  for (ReloadReport& report : done) {
    for (const ProcessSwitch& process : report.processes) report.preparation -= process.pause;
    parts_.journal.publish_switch(report, terms_.news);
  }
  release();
  for (const ReloadReport& report : done) parts_.journal.audit_switch(report, terms_.news);
  return done;
}

// Until nobody is left who has not switched, and nobody starts who might be: then the new version is the active one.
Result<void> Reload::roll(Rolled& rolled) {
  PETRI_TRY(begin_trials());
  for (;;) {
    for (ModuleChange& change : changes_) {
      for (const ProcessPtr& next : left_to_roll(change, rolled)) {
        PETRI_TRY(switch_alone(change, next));
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
        std::ranges::all_of(changes_, [&](const ModuleChange& change) { return left_to_roll(change, rolled).empty(); });
    auto committed = all && quiet ? parts_.host.commit(changes_, commit_terms()) : Result<void>();
    parts_.starts.release();
    if (all && quiet) return committed;
    if (!quiet) parts_.host.wait_for_restarts(deadline);
  }
}

Result<void> Reload::begin_trials() {
  const Trial& trial = terms_.policy.trial;
  for (ModuleChange& change : changes_) {
    if (change.change == nullptr) continue;
    if (parts_.host.processes_of(change.name).empty() && !change.links_later) {
      PETRI_TRY(try_start(change, deadline_of(terms_.policy)));
    }
    const auto lead = std::ranges::find(changes_, change.lead, &ModuleChange::name);
    const bool is_led = lead != changes_.end() && lead->trial != nullptr;
    change.trial = is_led ? lead->trial
                          : std::make_shared<TrialPeriod>(change.name, terms_.on_trial() ? trial.calls : 0,
                                                          parts_.owner.clock().now() + trial.time);
  }
  return {};
}

std::vector<ProcessPtr> Reload::left_to_roll(const ModuleChange& change, const Rolled& rolled) const {
  if (change.change == nullptr) return {};
  std::vector<ProcessPtr> left = parts_.host.processes_of(change.name);
  std::erase_if(left, [&](const ProcessPtr& process) {
    const auto found = rolled.find(process);
    return (found != rolled.end() && found->second == process->incarnation()) || !process->alive();
  });
  return left;
}

Result<void> Reload::switch_alone(ModuleChange& change, const ProcessPtr& process) {
  const Clock& clock = parts_.owner.clock();
  const Clock::TimePoint deadline = deadline_of(terms_.policy);
  const std::stop_callback on_stop(parts_.host.ending(), [one = change.change.get()] { one->abandon(); });
  PETRI_TRY(prepare(change, *process, deadline));
  ModuleChanges alone;
  alone.push_back(std::move(change));
  alone.front().alone = process;
  const Clock::TimePoint closed = clock.now();
  Result<void> done;
  {
    Quiescence quiescence(parts_, deadline, parts_.host.ending());
    done =
        quiescence.reach(alone, [&](ModuleChange& one, Process& late) { return one.change->prepare(late, deadline); });
    for (const Quiescence::Taken& taken : quiescence.taken()) {
      if (done) done = alone.front().change->carry(*taken.process, deadline);
      if (done) keep_timers(alone.front(), *taken.process);
      if (done) alone.front().change->exchange(*taken.process, alone.front().trial);
    }
  }
  change = std::move(alone.front());
  change.alone = nullptr;
  if (!done) return done;
  change.switched.push_back({.process = process->name(), .pause = clock.now() - closed, .tier = process->tier()});
  return {};
}

// With the state they had when they switched; whoever cannot go back is named.
Error Reload::roll_back(const Rolled& rolled, Error error) {
  std::string left;
  for (ModuleChange& change : changes_) {
    if (change.change == nullptr) continue;
    SwitchTerms back = change.change->terms();
    std::swap(back.from, back.to);
    std::swap(back.from_number, back.to_number);
    back.way = StateWay::none;
    back.back_to = std::exchange(back.keep, nullptr);
    ModuleChange reverse{.name = change.name};
    reverse.change = std::make_unique<ModuleSwitch>(std::move(back));
    for (const ProcessPtr& process : parts_.host.processes_of(change.name)) {
      const auto found = rolled.find(process);
      if (found == rolled.end() || process->incarnation() != found->second || !process->alive()) continue;
      if (!switch_alone(reverse, process)) left += (left.empty() ? "" : ", ") + process->name();
    }
  }
  if (!left.empty()) error.message += fmt::format("; still with the new version: {}", left);
  return error;
}

}  // namespace petri
