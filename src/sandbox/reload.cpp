#include "sandbox/reload.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sandbox/described_state.h"
#include "sandbox/state_way.h"

namespace petri {
namespace {

// Only those that both versions know of: a rename may be older than a field.
StateHints known_renames(const StateHints& all, const StateSchema& from, const StateSchema& to) {
  StateHints known;
  for (const StateRename& rename : all) {
    if (from.find(rename.from) && to.find(rename.to) && !to.find(rename.from)) known.push_back(rename);
  }
  return known;
}

}  // namespace

Clock::TimePoint Reload::deadline_of(const ReloadPolicy& policy) {
  return std::chrono::steady_clock::now() + policy.quiet_wait_max;
}

ModuleTable::Commit Reload::commit_terms() const {
  const Clock& clock = parts_.owner.clock();
  return {.cause = terms_.news.cause,
          .actor = terms_.news.actor,
          .trial = terms_.policy.trial,
          .time = clock.wall_now(),
          .now = clock.now(),
          .versions_max = parts_.owner.account().limits()->versions_max};
}

ModuleChange& Reload::change_of(std::string_view module) {
  return *std::ranges::find(changes_, module, &ModuleChange::name);
}

// ---- plan -----------------------------------------------------------------------------------------------------

Result<void> Reload::link() { return parts_.modules.link(changes_, parts_.host.modules_with_processes()); }

// What is only linked anew stays as it is, and what comes with a reload has just passed.
Result<void> Reload::check(const ModuleChange& change) {
  if (!is_needed(change)) return {};
  const bool comes_back = !change.only_links() && terms_.news.cause != SwitchCause::reload;
  const ModuleGate gate = parts_.host.gate();
  auto fits = comes_back ? gate.admit_again(change.to->artifact) : gate.check_quarantine(*change.to->artifact);
  if (fits) return {};
  Error error = of_module(change.name, std::move(fits.error()));
  parts_.journal.module_rejected(change.name, way_of(terms_.news.cause), error);
  return fail(std::move(error));
}

Result<void> Reload::plan_state(ModuleChange& change) {
  if (!is_needed(change)) return {};
  const ReloadPolicy& policy = terms_.policy;
  if (!policy.drop_exports && !change.only_links()) {
    PETRI_TRY(check_exports(change.name, *change.from, *change.to));
  }
  TreeAccount& account = parts_.owner.account();
  SwitchTerms terms{.module = change.name,
                    .from = change.from,
                    .to = change.to,
                    .from_number = change.from_number,
                    .to_number = change.to_number,
                    .policy = policy,
                    .state_bytes_max = account.limits()->state_bytes_max,
                    .back_to = change.back_to,
                    .only_links = change.only_links()};
  if (change.only_links() && by_itself(change.from)->movable()) {
    terms.way = StateWay::memory;
  } else if (change.back_to == nullptr) {
    const StateWay asked = change.only_links() ? StateWay::best : policy.state;
    PETRI_TRY(terms.way, choose_way(asked, change.name, *change.from, *change.to));
  }
  if (terms.way == StateWay::described && !change.renames.empty()) {
    PETRI_TRY(terms.renames, renames_for(change, terms_.renames_given));
  }
  if ((policy.trial.calls > 0 && terms_.on_trial()) || policy.rolling) {
    terms.keep = std::make_shared<SwitchSnapshot>(account, change.from_number, change.to_number);
  }
  change.change = std::make_unique<ModuleSwitch>(std::move(terms));
  return {};
}

Result<void> Reload::plan() {
  if (auto linked = link(); !linked) {
    parts_.journal.module_rejected(linked.error().detail("importer"), way_of(terms_.news.cause), linked.error());
    return linked;
  }
  for (ModuleChange& change : changes_) {
    PETRI_TRY(check(change));
    PETRI_TRY(plan_state(change));
  }
  for (ModuleChange& change : changes_) {
    if (change.change != nullptr && change.to->linked != nullptr) PETRI_TRY(add_members(change));
  }
  return {};
}

// Of a module that is linked: those of its group that change, too.
Result<void> Reload::add_members(ModuleChange& change) {
  for (const ModuleChange& other : changes_) {
    const bool changes_with = &other != &change && other.change != nullptr && !other.only_links() &&
                              change.to->linked->find(other.name) != nullptr;
    if (changes_with) {
      PETRI_TRY(const SwitchTerms terms, terms_as_member(other));
      change.change->add_member(terms);
    }
  }
  const auto lead = std::ranges::find(changes_, change.lead, &ModuleChange::name);
  if (change.only_links() && lead != changes_.end()) change.change->keep_in(lead->change->terms().keep);
  return {};
}

// Where state comes from a snapshot, processes that it does not know of carry what they have; `best`: they cannot.
Result<SwitchTerms> Reload::terms_as_member(const ModuleChange& change) const {
  SwitchTerms terms = change.change->terms();
  if (terms.back_to == nullptr) return terms;
  terms.way = choose_way(StateWay::best, change.name, *change.from, *change.to).value_or(StateWay::best);
  if (terms.way == StateWay::described && !change.renames.empty()) {
    PETRI_TRY(terms.renames, renames_for(change, false));
  }
  return terms;
}

// Those the caller gave are checked when they are used; those of the table may be about fields that are gone.
Result<StateHints> Reload::renames_for(const ModuleChange& change, bool given) const {
  if (given) return change.renames;
  const SandboxLimitsPtr limits = parts_.owner.account().limits();
  PETRI_TRY(const auto from, schema_of(*change.from, *limits));
  PETRI_TRY(const auto to, schema_of(*change.to, *limits));
  return known_renames(change.renames, *from, *to);
}

// ---- prepare --------------------------------------------------------------------------------------------------

Result<void> Reload::prepare(ModuleChange& change, Process& process, Clock::TimePoint deadline) {
  if (change.links_later) {
    PETRI_TRY(parts_.modules.link_late(change, changes_));
    change.change->set_code(change.to);
    PETRI_TRY(add_members(change));
  }
  return change.change->prepare(process, deadline);
}

Result<void> Reload::prepare_all(Clock::TimePoint deadline) {
  for (ModuleChange& change : changes_) {
    if (change.change == nullptr) continue;
    const std::vector<ProcessPtr> processes = parts_.host.processes_of(change.name);
    if (processes.empty() && !change.links_later) PETRI_TRY(try_start(change, deadline));
    for (const ProcessPtr& process : processes) PETRI_TRY(prepare(change, *process, deadline));
  }
  return {};
}

// Code that nobody runs yet proves that it starts all the same: nothing else would until the next restart, and then
// there would be no way back.
Result<void> Reload::try_start(const ModuleChange& change, Clock::TimePoint deadline) {
  const std::stop_callback on_stop(parts_.host.ending(), [&change] { change.change->abandon(); });
  return change.change->try_start(parts_.owner, deadline);
}

// ---- the switch -----------------------------------------------------------------------------------------------

Result<std::vector<ReloadReport>> Reload::run(const std::function<void()>& release) {
  const std::stop_token stop = parts_.host.ending();
  auto done = terms_.policy.rolling ? roll_all(release) : switch_all(release);
  // However far it was: what the new code did then is no fault of its own.
  if (!done && stop.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  return done;
}

// The table is committed first: whoever starts from now on finds the new code, and nobody starts yet.
Result<std::vector<ReloadReport>> Reload::switch_all(const std::function<void()>& release) {
  const Clock& clock = parts_.owner.clock();
  const Clock::TimePoint began = clock.now();
  const Clock::TimePoint deadline = deadline_of(terms_.policy);
  const std::stop_token stop = parts_.host.ending();
  const std::stop_callback on_stop(stop, [this] {
    for (const ModuleChange& change : changes_) {
      if (change.change != nullptr) change.change->abandon();
    }
  });
  PETRI_TRY(prepare_all(deadline));
  const Clock::TimePoint closed = clock.now();
  std::vector<ReloadReport> done;
  {
    // In a deterministic queue whoever is at work now waits for this very thread.
    const bool cannot_wait = !terms_.revives.empty() && parts_.owner.deterministic_queue() != nullptr;
    Quiescence quiescence(parts_, cannot_wait ? std::chrono::steady_clock::now() : deadline, stop);
    PETRI_TRY(quiescence.reach(
        changes_, [&](ModuleChange& change, Process& process) { return prepare(change, process, deadline); }));
    for (const Quiescence::Taken& one : quiescence.taken()) {
      PETRI_TRY(changes_[one.change].change->carry(*one.process, deadline));
    }
    for (const Quiescence::Taken& one : quiescence.taken()) keep_timers(changes_[one.change], *one.process);
    PETRI_TRY(parts_.host.commit(changes_, commit_terms()));
    const std::vector<Crash> crashed =
        terms_.revives.empty() ? std::vector<Crash>() : parts_.modules.take_crashes(terms_.revives);
    for (const Quiescence::Taken& one : quiescence.taken()) exchange(changes_[one.change], *one.process);
    for (const Crash& crash : crashed) revive(crash, deadline);
    std::map<std::string, Clock::TimePoint, std::less<>> since;  // of those that crashed: when the gates were closed
    for (const Quiescence::Taken& one : quiescence.taken()) {
      since.emplace(one.process->name(), quiescence.since(*one.process));
    }
    const Clock::TimePoint opened = clock.now();
    for (ModuleChange& change : changes_) {
      for (ProcessSwitch& process : change.switched) {
        const auto found = since.find(process.process);
        process.pause = opened - (found == since.end() ? closed : found->second);
      }
    }
    done = reports(closed - began);
    // Whoever listens hears of the switch before anything of the new version.
    for (const ReloadReport& report : done) parts_.journal.publish_switch(report, terms_.news);
    release();
  }
  for (const ReloadReport& report : done) parts_.journal.audit_switch(report, terms_.news);
  return done;
}

void Reload::exchange(ModuleChange& change, Process& process) {
  change.change->exchange(process, change.trial);
  bring_back_timers(change, process);
  if (terms_.on_switched) terms_.on_switched(process);
  change.switched.push_back({.process = process.name(), .tier = process.tier()});
}

// Timers of the switch belong to the state of the switch, which knows nothing of what has rung since.
void Reload::keep_timers(const ModuleChange& change, const Process& process) {
  const auto& keep = change.change->terms().keep;
  if (keep != nullptr) keep->keep_timers(process.name(), parts_.timers.pending(process));
}

void Reload::bring_back_timers(const ModuleChange& change, Process& process) {
  const SwitchSnapshot* from = change.change->terms().back_to.get();
  const auto* timers = from == nullptr ? nullptr : from->timers_of(process.name());
  if (timers != nullptr) parts_.timers.bring_back(process, *timers);
}

ModuleChange* Reload::change_of(const Process& process) {
  for (ModuleChange& change : changes_) {
    const auto own = parts_.host.processes_of(change.name);
    if (std::ranges::any_of(own, [&](const ProcessPtr& one) { return one.get() == &process; })) return &change;
  }
  return nullptr;
}

void Reload::revive(const Crash& crash, Clock::TimePoint deadline) {
  Process& process = *crash.process;
  if (ModuleChange* const change = change_of(process)) {
    auto lives = change->change->prepare(process, deadline);
    if (lives) lives = change->change->carry(process, deadline);
    if (lives) {
      lives = process.revive(change->change->take_instance(process), [&] { bring_back_timers(*change, process); });
    }
    if (lives) change->switched.push_back({.process = process.name(), .tier = process.tier()});
  }
  process.report_exit(crash.how);  // unless it lives again
}

// ---- reports --------------------------------------------------------------------------------------------------

void Reload::gather_switched() {
  std::vector<const ModuleChange*> groups;
  for (const ModuleChange& change : changes_) {
    if (change.change != nullptr && change.to->linked != nullptr) groups.push_back(&change);
  }
  for (ModuleChange& change : changes_) {
    if (change.change == nullptr) continue;
    change.plan = change.change->plan();
    for (const ModuleChange* other : groups) {
      if (other == &change || other->to->linked->find(change.name) == nullptr) continue;
      change.switched.insert(change.switched.end(), other->switched.begin(), other->switched.end());
      if (!change.plan) change.plan = other->change->plan_of(change.name);
    }
  }
}

std::vector<ReloadReport> Reload::reports(Clock::Duration preparation) {
  gather_switched();
  std::vector<ReloadReport> all;
  for (ModuleChange& change : changes_) {
    if (!change.only_links()) all.push_back(report_of(change, preparation));
  }
  return all;
}

ReloadReport Reload::report_of(ModuleChange& change, Clock::Duration preparation) {
  ReloadReport report{
      .module = change.name, .from = change.from_number, .to = change.to_number, .preparation = preparation};
  report.no_change = change.change == nullptr;
  if (report.no_change) return report;
  report.artifact = change.to->artifact->id();
  report.state = change.change->terms().way;
  report.snapshot = change.back_to != nullptr;
  report.plan = change.plan;
  report.processes = std::move(change.switched);
  for (const ProcessSwitch& process : report.processes) report.pause_max = std::max(report.pause_max, process.pause);
  return report;
}

}  // namespace petri
