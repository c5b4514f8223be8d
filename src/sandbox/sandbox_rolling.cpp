// A reload that switches one process after another.
#include <fmt/format.h>

#include <algorithm>

#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// Those that are linked with one another become active together, before the rest, which do one after another.
std::vector<ModuleChanges> in_turns(ModuleChanges parts) {
  ModuleChanges linked;
  std::vector<ModuleChanges> turns;
  for (ModuleChange& part : parts) {
    ModuleChanges& turn = part.lead.empty() ? turns.emplace_back() : linked;
    turn.push_back(std::move(part));
  }
  if (!linked.empty()) turns.insert(turns.begin(), std::move(linked));
  return turns;
}

}  // namespace

Result<std::vector<ReloadReport>> SandboxCore::roll_parts(ModuleChanges parts, const SwitchOptions& options,
                                                          Claim& claimed) {
  std::vector<ReloadReport> reports;
  std::vector<ModuleChanges> turns = in_turns(std::move(parts));
  for (ModuleChanges& turn : turns) {
    const bool last = &turn == &turns.back();
    ModuleChanges together = std::move(turn);
    const Clock::TimePoint began = services_.clock.now();
    Rolled rolled;
    if (auto done = roll(together, options, rolled); !done) {
      return fail(roll_back(together, options, rolled, std::move(done.error())));
    }
    const auto took = services_.clock.now() - began;
    gather_reports(together);
    const std::size_t first = reports.size();
    for (ModuleChange& part : together) {
      if (part.only_links()) continue;
      reports.push_back(report_of(part, took));
      for (const ProcessSwitch& process : reports.back().processes) reports.back().preparation -= process.pause;
      journal_.publish_switch(reports.back(), options.news);
    }
    if (last) claimed.release();
    for (std::size_t i = first; i < reports.size(); ++i) journal_.audit_switch(reports[i], options.news);
  }
  return reports;
}

// Until nobody is left who has not switched, and nobody starts who might be: then the new version is the active one.
Result<void> SandboxCore::roll(ModuleChanges& parts, const SwitchOptions& options, Rolled& rolled) {
  const Trial& trial = options.policy.trial;
  for (ModuleChange& part : parts) {
    if (part.change == nullptr) continue;
    if (processes_of(part.name).empty() && !part.links_later) {
      PETRI_TRY(try_start_of(part, deadline_of(options.policy)));
    }
    const auto lead = std::ranges::find(parts, part.lead, &ModuleChange::name);
    part.trial = lead != parts.end() && lead->trial != nullptr
                     ? lead->trial
                     : std::make_shared<TrialPeriod>(part.name, options.on_trial ? trial.calls : 0,
                                                     services_.clock.now() + trial.time);
  }
  for (;;) {
    for (ModuleChange& part : parts) {
      for (const ProcessPtr& next : left_to_roll(part, rolled)) {
        if (part.links_later) PETRI_TRY(link_late(part, parts));
        PETRI_TRY(switch_alone(part, next, options));
        rolled[next] = next->incarnation();
      }
    }
    if (!hold_starts()) {
      wait_for_starts(deadline_of(options.policy));
      continue;
    }
    const bool quiet = trees_are_quiet();
    const bool all = std::ranges::all_of(parts, [&](const ModuleChange& part) { return left_to_roll(part, rolled).empty(); });
    auto committed = all && quiet ? commit(parts, options) : Result<void>();
    let_start();
    if (all && quiet) return committed;
    if (!quiet) wait_for_restarts(deadline_of(options.policy));
  }
}

std::vector<ProcessPtr> SandboxCore::left_to_roll(const ModuleChange& part, const Rolled& rolled) const {
  if (part.change == nullptr) return {};
  std::vector<ProcessPtr> left = processes_of(part.name);
  std::erase_if(left, [&](const ProcessPtr& process) {
    const auto found = rolled.find(process);
    return (found != rolled.end() && found->second == process->incarnation()) || !process->alive();
  });
  return left;
}

Result<void> SandboxCore::switch_alone(ModuleChange& part, const ProcessPtr& process, const SwitchOptions& options) {
  const Clock::TimePoint deadline = deadline_of(options.policy);
  const std::stop_callback on_stop(ending(), [change = part.change.get()] { change->abandon(); });
  PETRI_TRY(part.change->prepare(*process, deadline));
  ModuleChanges one;
  one.push_back(std::move(part));
  one.front().alone = process;
  const Clock::TimePoint closed = services_.clock.now();
  Result<void> done;
  {
    AtRest rest(*this, deadline, ending());
    done = rest.come(one);
    for (const AtRest::Taken& taken : rest.taken()) {
      if (done) done = one.front().change->carry(*taken.process, deadline);
      if (done) keep_timers(one.front(), *taken.process);
      if (done) one.front().change->exchange(*taken.process, one.front().trial);
    }
  }
  part = std::move(one.front());
  part.alone = nullptr;
  if (!done) return done;
  part.switched.push_back(
      {.process = process->name(), .pause = services_.clock.now() - closed, .tier = process->tier()});
  return {};
}

// With the state they had when they switched; whoever cannot go back is named.
Error SandboxCore::roll_back(ModuleChanges& parts, const SwitchOptions& options, const Rolled& rolled,
                             Error error) {
  std::string left;
  for (ModuleChange& part : parts) {
    if (part.change == nullptr) continue;
    SwitchTerms back = part.change->terms();
    std::swap(back.from, back.to);
    std::swap(back.from_number, back.to_number);
    back.way = StateWay::none;
    back.back_to = std::exchange(back.keep, nullptr);
    ModuleChange reverse;
    reverse.name = part.name;
    reverse.change = std::make_unique<ModuleSwitch>(std::move(back));
    for (const ProcessPtr& process : processes_of(part.name)) {
      const auto found = rolled.find(process);
      if (found == rolled.end() || process->incarnation() != found->second || !process->alive()) continue;
      if (!switch_alone(reverse, process, options)) left += (left.empty() ? "" : ", ") + process->name();
    }
  }
  if (!left.empty()) error.message += fmt::format("; still with the new version: {}", left);
  return error;
}

}  // namespace petri
