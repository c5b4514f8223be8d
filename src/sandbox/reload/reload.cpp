#include "sandbox/reload/reload.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sandbox/switch/described_state.h"
#include "sandbox/switch/state_way.h"

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

// How the state of a change's processes crosses; `none` where all of it comes from a snapshot. The memory of relinked
// code fits by itself.
Result<StateWay> way_of_state(const ModuleChange& change, StateWay asked) {
  if (change.is_relink() && by_itself(change.from)->movable()) return StateWay::memory;
  if (change.snapshot() != nullptr) return StateWay::none;
  return choose_way(change.is_relink() ? StateWay::best : asked, change.name, *change.from, *change.to);
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

// A relinked module stays as it is, and what comes with a reload has just passed.
Result<void> Reload::check(const ModuleChange& change) {
  if (!change.is_needed()) return {};
  const bool comes_back = !change.is_relink() && terms_.news.cause != SwitchCause::reload;
  const ModuleGate gate = parts_.host.gate();
  auto fits = comes_back ? gate.admit_again(change.to->artifact) : gate.check_standing(*change.to->artifact);
  if (fits) return {};
  Error error = of_module(change.name, std::move(fits.error()));
  parts_.journal.module_rejected(change.name, way_of(terms_.news.cause), error);
  return fail(std::move(error));
}

Result<void> Reload::plan_state(ModuleChange& change) {
  if (!change.is_needed()) return {};
  const ReloadPolicy& policy = terms_.policy;
  if (!policy.drop_exports && !change.is_relink()) {
    PETRI_TRY(check_exports(change.name, *change.from, *change.to));
  }
  TreeAccount& account = parts_.owner.account();
  SwitchTerms terms{
      .module = change.name,
      .from = change.from,
      .to = change.to,
      .from_number = change.from_number,
      .to_number = change.to_number,
      .policy = policy,
      .state_bytes_max = account.limits()->state_bytes_max,
      .back_to = change.snapshot(),
      .unknown = change.is_relink() ? SwitchTerms::Unknown::carries_its_own : SwitchTerms::Unknown::starts_fresh};
  PETRI_TRY(terms.way, way_of_state(change, policy.state));
  if (terms.way == StateWay::described && !change.renames.empty()) {
    const auto* const asked = std::get_if<SwitchVersion>(&change.kind);
    PETRI_TRY(terms.renames, renames_for(change, asked != nullptr && asked->renames_given));
  }
  if ((policy.trial.calls > 0 && terms_.on_trial()) || policy.rolling) {
    terms.keep = std::make_shared<SwitchSnapshot>(account, change.from_number, change.to_number);
  }
  change.module_switch = std::make_unique<ModuleSwitch>(std::move(terms));
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
  for (ModuleChange* change : needed()) {
    if (change->to->linked != nullptr) PETRI_TRY(add_members(*change));
  }
  return {};
}

std::vector<ModuleChange*> Reload::needed() {
  std::vector<ModuleChange*> needed;
  for (ModuleChange& change : changes_) {
    if (change.module_switch != nullptr) needed.push_back(&change);
  }
  return needed;
}

// Gives the switch of a linked module the terms of the others of its group that change, too.
Result<void> Reload::add_members(ModuleChange& change) {
  for (const ModuleChange* other : needed()) {
    const bool changes_with =
        other != &change && !other->is_relink() && change.to->linked->find(other->name) != nullptr;
    if (!changes_with) continue;
    PETRI_TRY(const SwitchTerms terms, terms_as_member(*other));
    change.module_switch->add_member(terms);
  }
  const auto lead = std::ranges::find(changes_, change.lead, &ModuleChange::name);
  if (change.is_relink() && lead != changes_.end()) {
    change.module_switch->keep_in(lead->module_switch->terms().keep);
  }
  return {};
}

// Where state comes from a snapshot, processes that it does not know of carry what they have; `best`: they cannot.
Result<SwitchTerms> Reload::terms_as_member(const ModuleChange& change) const {
  SwitchTerms terms = change.module_switch->terms();
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
    change.module_switch->set_code(change.to);
    PETRI_TRY(add_members(change));
  }
  return change.module_switch->prepare(process, deadline);
}

// Code that nobody runs yet proves that it starts all the same: nothing else would until the next restart, and then
// there would be no way back.
Result<void> Reload::try_start_unused(const std::vector<ModuleChange*>& changes) {
  for (const ModuleChange* change : changes) {
    if (change->links_later || !parts_.host.processes_of(change->name).empty()) continue;
    PETRI_TRY(change->module_switch->try_start(parts_.owner, deadline_of(terms_.policy)));
  }
  return {};
}

// ---- the exchange ---------------------------------------------------------------------------------------------

Result<std::vector<ReloadReport>> Reload::run(const std::function<void()>& release) {
  const std::stop_token stop = parts_.host.ending();
  auto done = terms_.policy.rolling ? roll_all(release) : switch_all(release);
  // A change that is stopped is cancelled, however far it was: what the new code did then is no fault of its own.
  if (!done && stop.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  return done;
}

// Any new code that runs beside the processes ends, and no other is started.
void Reload::abandon() {
  for (ModuleChange* change : needed()) change->module_switch->abandon();
}

Result<std::vector<ReloadReport>> Reload::switch_all(const std::function<void()>& release) {
  const std::stop_callback on_stop(parts_.host.ending(), [this] { abandon(); });
  const Clock& clock = parts_.owner.clock();
  const Clock::TimePoint start = clock.now();
  const Clock::TimePoint deadline = deadline_of(terms_.policy);
  Exchange all{.changes = needed(), .deadline = deadline};
  PETRI_TRY(try_start_unused(all.changes));
  for (ModuleChange* change : all.changes) {
    for (const ProcessPtr& process : parts_.host.processes_of(change->name)) {
      PETRI_TRY(prepare(*change, *process, deadline));
    }
  }
  const Clock::Duration preparation = clock.now() - start;
  std::vector<ReloadReport> done;
  all.commit = [this] { return parts_.host.commit(changes_, commit_terms()); };
  all.before_they_continue = [&] {
    done = publish(preparation);
    release();
  };
  PETRI_TRY(exchange_together(all));
  audit(done);
  return done;
}

Result<void> Reload::exchange_together(const Exchange& together) {
  const Clock& clock = parts_.owner.clock();
  const Clock::TimePoint closed = clock.now();
  std::vector<Quiescence::Target> targets;
  for (const ModuleChange* change : together.changes) targets.push_back({change->name, together.only});
  const Quiescence::Preparation preparation{
      .is_done = [&](std::size_t at,
                     const Process& process) { return together.changes[at]->module_switch->has_prepared(process); },
      .carry_out = [&](std::size_t at,
                       Process& process) { return prepare(*together.changes[at], process, together.deadline); }};
  // In a deterministic queue whoever is at work now waits for this very thread.
  const bool cannot_wait = !terms_.revives.empty() && parts_.owner.deterministic_queue() != nullptr;
  Quiescence quiescence(parts_, cannot_wait ? std::chrono::steady_clock::now() : together.deadline,
                        parts_.host.ending());
  PETRI_TRY(quiescence.reach(targets, &preparation));
  for (const auto& [process, at] : quiescence.taken()) {
    PETRI_TRY(together.changes[at]->module_switch->carry(*process, together.deadline));
  }
  for (const auto& [process, at] : quiescence.taken()) keep_timers(*together.changes[at], *process);
  if (together.commit) PETRI_TRY(together.commit());

  std::vector<Crash> crashed;
  if (!terms_.revives.empty()) crashed = parts_.modules.take_crashes(terms_.revives);
  for (const auto& [process, at] : quiescence.taken()) exchange(*together.changes[at], *process);
  std::vector<std::pair<Process*, ModuleChange*>> revived;
  for (const Crash& crash : crashed) {
    ModuleChange* const change = revive(crash, together.deadline);
    if (change != nullptr) revived.emplace_back(crash.process.get(), change);
  }

  const Clock::TimePoint opened = clock.now();
  const auto note = [&](const Process& process, ModuleChange& change, Clock::TimePoint since) {
    change.module_switch->note_switched({.process = process.name(), .pause = opened - since, .tier = process.tier()});
  };
  for (const auto& [process, at] : quiescence.taken()) {
    note(*process, *together.changes[at], quiescence.since(*process));
  }
  for (const auto& [process, change] : revived) note(*process, *change, closed);
  if (together.before_they_continue) together.before_they_continue();
  return {};
}

void Reload::exchange(ModuleChange& change, Process& process) {
  change.module_switch->exchange(process);
  bring_back_timers(change, process);
  const auto* const replaced = std::get_if<ReplaceState>(&change.kind);
  if (replaced != nullptr && replaced->also) replaced->also(process);
}

// Timers of the switch belong to the state of the switch, which knows nothing of what has rung since.
void Reload::keep_timers(const ModuleChange& change, const Process& process) {
  const auto& keep = change.module_switch->terms().keep;
  if (keep != nullptr) keep->keep_timers(process.name(), parts_.timers.pending(process));
}

void Reload::bring_back_timers(const ModuleChange& change, Process& process) {
  const SwitchSnapshot* from = change.module_switch->terms().back_to.get();
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

ModuleChange* Reload::revive(const Crash& crash, Clock::TimePoint deadline) {
  Process& process = *crash.process;
  ModuleChange* const change = change_of(process);
  Result<void> lives = change == nullptr ? fail(ErrorCode::not_found, "its module is not among the changes")
                                         : change->module_switch->prepare(process, deadline);
  if (lives) lives = change->module_switch->carry(process, deadline);
  if (lives) {
    lives = process.revive(change->module_switch->take_instance(process), [&] { bring_back_timers(*change, process); });
  }
  process.report_exit(crash.how);  // unless it lives again
  return lives ? change : nullptr;
}

// ---- reports --------------------------------------------------------------------------------------------------

std::vector<ReloadReport> Reload::publish(Clock::Duration preparation) {
  std::vector<ReloadReport> reports;
  for (const ModuleChange& change : changes_) {
    if (change.is_relink()) continue;
    ReloadReport& report = reports.emplace_back(report_of(change));
    report.preparation = preparation;
    // A module that switched alone was prepared while the others answered.
    if (!terms_.policy.rolling) continue;
    for (const ProcessSwitch& process : report.processes) report.preparation -= process.pause;
  }
  for (const ReloadReport& report : reports) parts_.journal.publish_switch(report, terms_.news);
  return reports;
}

void Reload::audit(const std::vector<ReloadReport>& reports) {
  for (const ReloadReport& report : reports) parts_.journal.audit_switch(report, terms_.news);
}

// With what happened to the module in the processes of those that are linked with it.
ReloadReport Reload::report_of(const ModuleChange& change) const {
  ReloadReport report{.module = change.name, .from = change.from_number, .to = change.to_number};
  report.no_change = change.module_switch == nullptr;
  if (report.no_change) return report;
  report.artifact = change.to->artifact->id();
  report.state = change.module_switch->terms().way;
  report.snapshot = change.snapshot() != nullptr;
  report.plan = change.module_switch->plan();
  report.processes = change.module_switch->switched();
  for (const ModuleChange& other : changes_) {
    const bool has_it = &other != &change && other.module_switch != nullptr && other.to->linked != nullptr &&
                        other.to->linked->find(change.name) != nullptr;
    if (!has_it) continue;
    const std::vector<ProcessSwitch>& switched = other.module_switch->switched();
    report.processes.insert(report.processes.end(), switched.begin(), switched.end());
    if (!report.plan) report.plan = other.module_switch->plan_of(change.name);
  }
  for (const ProcessSwitch& process : report.processes) report.pause_max = std::max(report.pause_max, process.pause);
  return report;
}

}  // namespace petri
