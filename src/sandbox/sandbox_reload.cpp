// Other code for live processes: prepared beside them, switched when they are at rest, all together or not at all.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sandbox/sandbox_core.h"
#include "sandbox/state_way.h"
#include "sandbox/version_texts.h"

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

// ---- whose turn it is -----------------------------------------------------------------------------------------

void SandboxCore::Claim::release() {
  if (SandboxCore* core = std::exchange(core_, nullptr)) core->release(modules_);
}

// Code may be exchanged where nothing runs, too.
Result<void> SandboxCore::must_be_changeable_now() const {
  return status_ == SandboxStatus::stopped ? must_exist_now() : must_run_now();
}

Result<SandboxCore::Claim> SandboxCore::claim(std::vector<std::string> modules) {
  wait_for_crashes();
  return claim_now(std::move(modules));
}

Result<SandboxCore::Claim> SandboxCore::claim_now(std::vector<std::string> modules) {
  {
    MutexLock lock(mutex_);
    PETRI_TRY(must_be_changeable_now());
    PETRI_TRY(modules_.claim(modules));
  }
  advance(LifecycleEvent::change);
  return Claim(*this, std::move(modules));
}

void SandboxCore::release(const std::vector<std::string>& modules) {
  if (modules_.release(modules)) advance(LifecycleEvent::changed);
}

// ---- beside the running version -------------------------------------------------------------------------------

// Code that is in the table already keeps its number.
Result<ModuleChange> SandboxCore::admit_part(const std::string& name, const Source& source,
                                                  const ReloadOptions& options, WayIn way) {
  PETRI_TRY(Loaded loaded, admit_and_report(name, source, way));
  return part_of_loaded(name, std::move(loaded), options);
}

Result<ModuleChange> SandboxCore::part_of_loaded(const std::string& name, Loaded loaded, const ReloadOptions& options) {
  Version version = version_of(std::move(loaded), VersionOrigin::reload, options.metadata, options.needs);
  return modules_.change_to(name, std::move(version), options.renames);
}

Result<void> SandboxCore::check_part(const ModuleChange& part, const SwitchOptions& options) {
  if (part.to_number == part.from_number && !options.even_if_same && !part.only_links()) return {};
  // What is only linked anew stays as it is, and what comes with a reload has just passed.
  const bool comes_back = !part.only_links() && options.news.cause != SwitchCause::reload;
  auto fits = comes_back ? admit_again(part.to->artifact) : check_quarantine(*part.to->artifact);
  if (fits) return {};
  Error error = refused_module(part.name, std::move(fits.error()));
  journal_.module_rejected(part.name, way_of(options.news.cause), error);
  return fail(std::move(error));
}

Result<void> SandboxCore::plan_part(ModuleChange& part, const SwitchOptions& options) {
  if (part.to_number == part.from_number && !options.even_if_same && !part.only_links()) return {};
  const ReloadPolicy& policy = options.policy;
  if (!policy.drop_exports && !part.only_links()) {
    PETRI_TRY(check_exports(part.name, *part.from, *part.to));
  }
  SwitchTerms terms{.module = part.name,
                    .from = part.from,
                    .to = part.to,
                    .from_number = part.from_number,
                    .to_number = part.to_number,
                    .policy = policy,
                    .state_bytes_max = account_.limits()->state_bytes_max,
                    .back_to = part.back_to,
                    .only_links = part.only_links()};
  if (part.only_links() && by_itself(part.from)->movable()) {
    terms.way = StateWay::memory;
  } else if (part.back_to == nullptr) {
    const StateWay asked = part.only_links() ? StateWay::best : policy.state;
    PETRI_TRY(terms.way, choose_way(asked, part.name, *part.from, *part.to));
  }
  if (terms.way == StateWay::described && !part.renames.empty()) {
    PETRI_TRY(terms.renames, renames_for(part, options.renames_given));
  }
  if ((policy.trial.calls > 0 && options.on_trial) || policy.rolling) {
    terms.keep = std::make_shared<SwitchSnapshot>(account_, part.from_number, part.to_number);
  }
  part.change = std::make_unique<ModuleSwitch>(std::move(terms));
  return {};
}

Result<void> SandboxCore::plan_parts(ModuleChanges& parts, const SwitchOptions& options) {
  if (auto linked = link_changes(parts); !linked) {
    journal_.module_rejected(linked.error().detail("importer"), way_of(options.news.cause), linked.error());
    return linked;
  }
  for (ModuleChange& part : parts) {
    PETRI_TRY(check_part(part, options));
    PETRI_TRY(plan_part(part, options));
  }
  for (ModuleChange& part : parts) {
    if (part.change != nullptr && part.to->linked != nullptr) PETRI_TRY(add_members(part, parts));
  }
  return {};
}

std::set<std::string> SandboxCore::modules_with_processes() const {
  std::set<std::string> modules;
  for (const auto& runner : trees()) {
    for (const TreeEntry& entry : runner->entries()) {
      if (const ChildSpec* child = entry.spec->process()) modules.insert(child->module);
    }
  }
  return modules;
}

Result<void> SandboxCore::link_changes(ModuleChanges& parts) { return modules_.link(parts, modules_with_processes()); }

Result<void> SandboxCore::link_late(ModuleChange& part, const ModuleChanges& parts) {
  PETRI_TRY(modules_.link_late(part, parts));
  part.change->set_code(part.to);
  return add_members(part, parts);
}

// Of one that is linked: those of its group that change, too.
Result<void> SandboxCore::add_members(ModuleChange& part, const ModuleChanges& parts) const {
  for (const ModuleChange& other : parts) {
    const bool changes_with =
        &other != &part && other.change != nullptr && !other.only_links() && part.to->linked->find(other.name) != nullptr;
    if (changes_with) {
      PETRI_TRY(const SwitchTerms terms, terms_as_member(other));
      part.change->add_member(terms);
    }
  }
  const auto lead = std::ranges::find(parts, part.lead, &ModuleChange::name);
  if (part.only_links() && lead != parts.end()) part.change->keep_in(lead->change->terms().keep);
  return {};
}

// Where state comes from a snapshot, processes that it does not know of carry what they have; `best`: they cannot.
Result<SwitchTerms> SandboxCore::terms_as_member(const ModuleChange& part) const {
  SwitchTerms terms = part.change->terms();
  if (terms.back_to == nullptr) return terms;
  terms.way = choose_way(StateWay::best, part.name, *part.from, *part.to).value_or(StateWay::best);
  if (terms.way == StateWay::described && !part.renames.empty()) {
    PETRI_TRY(terms.renames, renames_for(part, false));
  }
  return terms;
}

// Those the caller gave are checked when they are used; those of the table may be about fields that are gone.
Result<StateHints> SandboxCore::renames_for(const ModuleChange& part, bool given) const {
  if (given) return part.renames;
  PETRI_TRY(const auto from, schema_of(*part.from));
  PETRI_TRY(const auto to, schema_of(*part.to));
  return known_renames(part.renames, *from, *to);
}

// Known before anything is made or waited for.
Result<void> SandboxCore::may_rest_here(const ModuleChanges& parts, std::string_view doing) const {
  if (Inside::here() == nullptr) return {};
  for (const ModuleChange& part : parts) {
    if (!part.takes_part()) continue;
    for (const ProcessPtr& process : processes_of(part)) {
      const Inside* const waits = inside(process->name(), true);
      if (waits != nullptr) return would_wait_for(*waits, fmt::format("{} the module {}", doing, part.name));
    }
  }
  return {};
}

// ---- coming to rest -------------------------------------------------------------------------------------------

std::vector<ProcessPtr> SandboxCore::processes_of(std::string_view module) const {
  std::vector<std::string> addresses;
  for (const auto& runner : trees()) {
    for (const TreeEntry& entry : runner->entries()) {
      const ChildSpec* child = entry.spec->process();
      if (child != nullptr && child->module == module) addresses.push_back(entry.address);
    }
  }
  std::vector<ProcessPtr> processes;
  MutexLock lock(mutex_);
  for (const std::string& address : addresses) {
    if (const auto found = processes_.find(address); found != processes_.end()) processes.push_back(found->second);
  }
  return processes;
}

// Guests and waiting threads follow the machine's clock, whatever the runtime's is.
Clock::TimePoint SandboxCore::deadline_of(const ReloadPolicy& policy) {
  return std::chrono::steady_clock::now() + policy.quiet_wait_max;
}

// Asked to stop when everything that runs is ended. Where nothing runs that has happened already, and is no reason.
std::stop_token SandboxCore::ending() const {
  MutexLock lock(mutex_);
  return status_ == SandboxStatus::stopped ? std::stop_token() : runs_.get_token();
}

// Nobody starts while this holds. False: somebody is starting right now.
bool SandboxCore::hold_starts() {
  MutexLock lock(mutex_);
  if (starts_ > 0) return false;
  switching_ = true;
  return true;
}

void SandboxCore::let_start() {
  MutexLock lock(mutex_);
  switching_ = false;
  switched_.notify_all();
}

void SandboxCore::wait_for_starts(Clock::TimePoint deadline) {
  const Workers::Pause pause(services_.workers);
  MutexLock lock(mutex_);
  while (starts_ > 0 && !runs_.stop_requested()) {
    if (!switched_.wait_until(mutex_, deadline)) return;
  }
}

// Whoever has crashed has been started again, or not: what a reload says does not depend on how soon it comes.
bool SandboxCore::trees_are_quiet() const {
  return std::ranges::all_of(trees(), [](const auto& runner) { return runner->is_quiet(); });
}

void SandboxCore::wait_for_restarts(Clock::TimePoint deadline) const {
  for (const auto& runner : trees()) runner->wait_until_quiet(deadline);
}

bool SandboxCore::some_are_down() const {
  MutexLock lock(mutex_);
  return processes_.size() > account_.processes();
}

void SandboxCore::wait_for_decisions(Clock::TimePoint deadline) {
  {
    MutexLock lock(mutex_);
    if (decisions_ == 0) return;
  }
  const Workers::Pause pause(services_.workers);
  MutexLock lock(mutex_);
  while (decisions_ > 0) {
    if (!decided_.wait_until(mutex_, deadline)) return;
  }
}

void SandboxCore::begin_decision() {
  MutexLock lock(mutex_);
  ++decisions_;
}

void SandboxCore::end_decision() {
  MutexLock lock(mutex_);
  --decisions_;
  decided_.notify_all();
}

// A tree that gives up leaves the rest to recovery.
void SandboxCore::wait_for_crashes() {
  const Clock::TimePoint deadline = deadline_of(reload_policy());
  wait_for_decisions(deadline);
  if (!is_up(status()) || !some_are_down()) return;
  wait_for_restarts(deadline);
  wait_for_decisions(deadline);
}

SandboxCore::AtRest::~AtRest() {
  for (const Taken& one : taken_) one.process->put_back();
  if (holds_starts_) core_.let_start();
  for (const auto& [key, process] : gated_) process->open_gate();
}

// All at once: one that was taken early could be what another waits for.
bool SandboxCore::AtRest::try_take_all(const ModuleChanges& parts) {
  if (!core_.hold_starts()) {
    core_.wait_for_starts(deadline_);
    return false;
  }
  holds_starts_ = true;
  bool some_are_down = false;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (!parts[part].takes_part()) continue;
    for (const ProcessPtr& process : core_.processes_of(parts[part])) {
      const Process::Taken taken = process->try_take();
      some_are_down = some_are_down || taken == Process::Taken::down;
      if (taken == Process::Taken::taken) taken_.push_back({process, part});
      if (taken == Process::Taken::at_work || (taken == Process::Taken::taken && !has_life(parts[part], *process))) {
        give_back();
        return false;
      }
    }
  }
  if (!some_are_down || core_.trees_are_quiet()) return true;
  give_back();
  core_.wait_for_restarts(deadline_);
  return false;
}

bool SandboxCore::AtRest::has_life(const ModuleChange& part, const Process& process) {
  return part.change == nullptr || part.change->has_prepared(process);
}

void SandboxCore::AtRest::give_back() {
  for (const Taken& one : taken_) one.process->put_back();
  taken_.clear();
  holds_starts_ = false;
  core_.let_start();
}

// A chain that began in one of them before all gates are closed must still come through every other, or the two would
// wait for each other: so the time that counts is the one when the last is closed.
void SandboxCore::AtRest::close_gates(const ModuleChanges& parts) {
  const std::size_t before = gated_.size();
  for (const ModuleChange& part : parts) {
    if (!part.takes_part()) continue;
    for (const ProcessPtr& process : core_.processes_of(part)) {
      if (!gated_.emplace(process.get(), process).second) continue;
      process->close_gate(Clock::TimePoint::max());
      if (!process->at_work()) rests_since_.emplace(process.get(), core_.services_.clock.now());
    }
  }
  if (gated_.size() == before) return;
  const Clock::TimePoint now = core_.services_.clock.now();
  for (const auto& [key, process] : gated_) process->close_gate(now);
}

// Those that came since the last look are waited for like the others.
Result<void> SandboxCore::AtRest::wait(ModuleChanges& parts) {
  close_gates(parts);
  for (ModuleChange& part : parts) {
    if (!part.takes_part()) continue;
    for (const ProcessPtr& process : core_.processes_of(part)) {
      if (!process->wait_until_idle(deadline_, stop_) && !stop_.stop_requested()) {
        return fail(Error{
            .code = ErrorCode::busy,
            .message = fmt::format("the process {} did not come to rest in time; nothing was changed", process->name()),
            .details = {}}
                        .with("process", process->name()));
      }
      rests_since_.try_emplace(process.get(), core_.services_.clock.now());
      if (!has_life(part, *process)) {
        if (part.links_later) PETRI_TRY(core_.link_late(part, parts));
        PETRI_TRY(part.change->prepare(*process, deadline_));
      }
    }
  }
  return {};
}

Result<void> SandboxCore::AtRest::come(ModuleChanges& parts) {
  for (;;) {
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
    PETRI_TRY(wait(parts));
    if (try_take_all(parts)) return {};
    if (std::chrono::steady_clock::now() >= deadline_) {
      return fail(ErrorCode::busy, "the processes did not come to rest in time; nothing was changed");
    }
  }
}

// ---- the switch -----------------------------------------------------------------------------------------------

ModuleTable::Commit SandboxCore::commit_of(const SwitchOptions& options) const {
  return {.cause = options.news.cause,
          .actor = options.news.actor,
          .trial = options.policy.trial,
          .time = services_.clock.wall_now(),
          .now = services_.clock.now(),
          .versions_max = account_.limits()->versions_max};
}

// The tables first: whoever starts from now on finds the new code, and nobody starts yet. A tree that follows from the
// modules does not follow them when they begin to import.
Result<void> SandboxCore::commit(ModuleChanges& parts, const SwitchOptions& options) {
  const ModuleTable::Commit terms = commit_of(options);
  const bool imports = std::ranges::any_of(
      parts, [](const ModuleChange& part) { return part.change != nullptr && !part.to->from_modules.empty(); });
  MutexLock lock(mutex_);
  std::unique_ptr<SupervisorSpec> before;
  if (imports && tree_spec_ == nullptr) before = std::make_unique<SupervisorSpec>(tree_spec());
  PETRI_TRY(modules_.commit(parts, terms));
  if (before != nullptr) tree_spec_ = std::move(before);
  updated_ = std::max(updated_, terms.time);
  return {};
}

// Code that nobody runs yet proves that it starts all the same: nothing else would until the next restart, and then
// there would be no way back.
Result<void> SandboxCore::try_start_of(const ModuleChange& part, Clock::TimePoint deadline) {
  const std::stop_callback on_stop(ending(), [&part] { part.change->abandon(); });
  return part.change->try_start(*this, deadline);
}

Result<std::vector<ReloadReport>> SandboxCore::switch_parts(ModuleChanges parts, const SwitchOptions& options,
                                                            Claim& claimed) {
  const Clock::TimePoint began = services_.clock.now();
  const Clock::TimePoint deadline = deadline_of(options.policy);
  const std::stop_token stop = ending();
  const std::stop_callback on_stop(stop, [&parts] {
    for (const ModuleChange& part : parts) {
      if (part.change != nullptr) part.change->abandon();
    }
  });
  for (ModuleChange& part : parts) {
    if (part.change == nullptr) continue;
    const std::vector<ProcessPtr> processes = processes_of(part.name);
    if (!processes.empty() && part.links_later) PETRI_TRY(link_late(part, parts));
    for (const ProcessPtr& process : processes) {
      PETRI_TRY(part.change->prepare(*process, deadline));
    }
    if (processes.empty() && !part.links_later) {
      PETRI_TRY(try_start_of(part, deadline));
    }
  }
  const Clock::TimePoint closed = services_.clock.now();
  std::vector<ReloadReport> reports;
  std::map<std::string, Clock::TimePoint> rest_since;  // of those that crashed: when the gates were closed
  {
    // In a lane whoever is at work now waits for this very thread.
    const bool in_vain = !options.revives.empty() && lane_ != nullptr;
    AtRest rest(*this, in_vain ? std::chrono::steady_clock::now() : deadline, stop);
    PETRI_TRY(rest.come(parts));
    for (const AtRest::Taken& one : rest.taken()) {
      PETRI_TRY(parts[one.part].change->carry(*one.process, deadline));
    }
    for (const AtRest::Taken& one : rest.taken()) keep_timers(parts[one.part], *one.process);
    PETRI_TRY(commit(parts, options));
    const std::vector<Crash> crashed = options.revives.empty() ? std::vector<Crash>() : modules_.take_crashes(options.revives);
    for (const AtRest::Taken& one : rest.taken()) {
      ModuleChange& part = parts[one.part];
      part.change->exchange(*one.process, part.trial);
      bring_back_timers(part, *one.process);
      if (options.on_switched) options.on_switched(*one.process);
      part.switched.push_back({.process = one.process->name(), .tier = one.process->tier()});
      rest_since[one.process->name()] = rest.rests_since(*one.process);
    }
    for (const Crash& crash : crashed) revive(parts, crash, deadline);
    const Clock::TimePoint opened = services_.clock.now();
    for (ModuleChange& part : parts) {
      for (ProcessSwitch& process : part.switched)
        process.pause = opened - rest_since.try_emplace(process.process, closed).first->second;
    }
    reports = reports_of(parts, closed - began);
    // Whoever listens hears of the switch before anything of the new version.
    for (const ReloadReport& report : reports) journal_.publish_switch(report, options.news);
    // New code that crashes at its first call is taken back by whoever claims the module next.
    claimed.release();
  }
  for (const ReloadReport& report : reports) journal_.audit_switch(report, options.news);
  return reports;
}

std::vector<ReloadReport> SandboxCore::reports_of(ModuleChanges& parts, Clock::Duration preparation) {
  gather_reports(parts);
  std::vector<ReloadReport> reports;
  for (ModuleChange& part : parts) {
    if (part.only_links()) continue;
    reports.push_back(report_of(part, preparation));
  }
  return reports;
}

void SandboxCore::gather_reports(ModuleChanges& parts) {
  std::vector<const ModuleChange*> groups;
  for (const ModuleChange& part : parts) {
    if (part.change != nullptr && part.to->linked != nullptr) groups.push_back(&part);
  }
  for (ModuleChange& part : parts) {
    if (part.change == nullptr) continue;
    part.plan = part.change->plan();
    for (const ModuleChange* other : groups) {
      if (other == &part || other->to->linked->find(part.name) == nullptr) continue;
      part.switched.insert(part.switched.end(), other->switched.begin(), other->switched.end());
      if (!part.plan) part.plan = other->change->plan_of(part.name);
    }
  }
}

ReloadReport SandboxCore::report_of(ModuleChange& part, Clock::Duration preparation) {
  ReloadReport report{.module = part.name, .from = part.from_number, .to = part.to_number, .preparation = preparation};
  report.no_change = part.change == nullptr;
  if (report.no_change) return report;
  report.artifact = part.to->artifact->id();
  report.state = part.change->terms().way;
  report.snapshot = part.back_to != nullptr;
  report.plan = part.plan;
  report.processes = std::move(part.switched);
  for (const ProcessSwitch& process : report.processes) report.pause_max = std::max(report.pause_max, process.pause);
  return report;
}

Result<std::vector<ReloadReport>> SandboxCore::change(ModuleChanges parts, const SwitchOptions& options,
                                                      Claim& claimed) {
  PETRI_TRY(plan_parts(parts, options));
  PETRI_TRY(may_rest_here(parts, name_of(options.news.cause)));
  const Lane::Hold hold(lane_.get());
  take_control();
  const MutexLock control(control_, std::adopt_lock);
  {
    MutexLock lock(mutex_);
    PETRI_TRY(must_be_changeable_now());
  }
  const std::stop_token stop = ending();
  auto switched = options.policy.rolling ? roll_parts(std::move(parts), options, claimed)
                                         : switch_parts(std::move(parts), options, claimed);
  // However far it was: what the new code did then is no fault of its own.
  if (!switched && stop.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  return switched;
}

Result<ReloadReport> SandboxCore::change_one(ModuleChange part, const SwitchOptions& options, Claim& claimed) {
  ModuleChanges parts;
  const std::string name = part.name;
  parts.push_back(std::move(part));
  PETRI_TRY(auto reports, change(std::move(parts), options, claimed));
  return std::move(*std::ranges::find(reports, name, &ReloadReport::module));
}

// ---- verbs ----------------------------------------------------------------------------------------------------

SandboxCore::SwitchOptions SandboxCore::switch_options(const std::optional<ReloadPolicy>& policy, SwitchCause cause,
                                                       std::string actor) const {
  return {.policy = policy.value_or(reload_policy()), .news = {.cause = cause, .actor = std::move(actor)}};
}

Result<std::vector<ReloadReport>> SandboxCore::reload_all(const std::vector<ModuleSpec>& modules,
                                                          const ReloadOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_reload_policy(options.policy.value_or(reload_policy())));
  PETRI_TRY(check_version_texts(options));
  std::vector<std::string> names;
  for (const ModuleSpec& module : modules) {
    PETRI_TRY(check_needed_names(module.needs));
    names.push_back(module.name);
  }
  PETRI_TRY(Claim claimed, claim(std::move(names)));
  ModuleChanges parts;
  auto all = load_side_by_side(modules);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const std::string& name = modules[index].name;
    PETRI_TRY(Loaded loaded, report_if_rejected(name, std::move(all[index]), WayIn::reload));
    ReloadOptions own = options;
    if (!modules[index].needs.empty()) own.needs = modules[index].needs;
    PETRI_TRY(ModuleChange part, part_of_loaded(name, std::move(loaded), own));
    parts.push_back(std::move(part));
  }
  SwitchOptions how = switch_options(options.policy, SwitchCause::reload, options.actor);
  how.on_trial = true;
  how.renames_given = !options.renames.empty();
  return change(std::move(parts), how, claimed);
}

Result<ReloadReport> SandboxCore::reload(std::string_view module, const Source& source, const ReloadOptions& options) {
  PETRI_TRY(auto reports, reload_all({ModuleSpec{std::string(module), source}}, options));
  return std::move(*std::ranges::find(reports, module, &ReloadReport::module));
}

Result<ReloadReport> SandboxCore::activate(std::string_view module, std::uint64_t version,
                                           const ReloadOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_reload_policy(options.policy.value_or(reload_policy())));
  PETRI_TRY(check_actor(options.actor));
  PETRI_TRY(Claim claimed, claim({std::string(module)}));
  if (version == 0) return fail(ErrorCode::version_not_found, fmt::format("the versions of {} begin with 1", module));
  PETRI_TRY(ModuleChange part, modules_.change_to_kept(std::string(module), version, options.renames));
  SwitchOptions how = switch_options(options.policy, SwitchCause::activate, options.actor);
  how.on_trial = true;
  how.renames_given = !options.renames.empty();
  return change_one(std::move(part), how, claimed);
}

Result<ReloadReport> SandboxCore::rollback(std::string_view module, std::uint64_t version,
                                           const RollbackOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_reload_policy(options.policy.value_or(reload_policy())));
  PETRI_TRY(check_actor(options.actor));
  // What callers could call in the newer version only is part of what is undone.
  SwitchOptions how = switch_options(options.policy, SwitchCause::rollback, options.actor);
  how.policy.drop_exports = true;
  if (options.snapshot) return rollback_with_snapshot(std::string(module), version, how);
  PETRI_TRY(Claim claimed, claim({std::string(module)}));
  PETRI_TRY(ModuleChange part, modules_.change_to_kept(std::string(module), version, {}));
  return change_one(std::move(part), how, claimed);
}

// Modules that were switched together go back together: their processes are the same.
std::vector<std::string> SandboxCore::companions_of(const std::string& module) const {
  std::vector<std::string> names{module};
  if (const auto last = modules_.last_switch_of(module)) {
    for (const auto& [name, snapshot] : *last) {
      if (name != module) names.push_back(name);
    }
  }
  return names;
}

Result<ReloadReport> SandboxCore::rollback_with_snapshot(const std::string& module, std::uint64_t version,
                                                         const SwitchOptions& options) {
  wait_for_crashes();
  PETRI_TRY(Claim claimed, claim(companions_of(module)));
  PETRI_TRY(const ModuleChange asked, modules_.change_to_kept(module, version, {}));
  const SwitchSnapshots snapshots = modules_.last_switch_of(module).value_or(SwitchSnapshots{});
  const auto own = snapshots.find(module);
  if (own == snapshots.end() || own->second->from() != asked.to_number || own->second->to() != asked.from_number) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no snapshot of a switch of {} from version {} to {}: only the last switch of a "
                            "module has one, and one without a trial has none; roll back without it",
                            module, asked.to_number, asked.from_number));
  }
  PETRI_TRY(ModuleChanges parts, parts_back_to(snapshots));
  PETRI_TRY(auto reports, change(std::move(parts), options, claimed));
  return std::move(*std::ranges::find(reports, module, &ReloadReport::module));
}

}  // namespace petri
