// Other code for live processes: prepared beside them, switched when they are at rest, all together or not at all.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/escape.h"
#include "base/ids.h"
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
  bool first = false;
  {
    MutexLock lock(mutex_);
    if (has_links()) {
      for (const std::string& dependent : dependents_of(dependency_graph(), modules)) modules.push_back(dependent);
    }
    PETRI_TRY(must_be_changeable_now());
    std::string missing;
    for (const std::string& module : modules) {
      if (!modules_.contains(module))
        missing += (missing.empty() ? "" : ", ") + escape_text(module, kSandboxIdBytesMax);
    }
    if (!missing.empty()) return no_module(missing);
    for (const std::string& module : modules) {
      if (!claimed_.contains(module)) continue;
      return fail(ErrorCode::busy, fmt::format("the module {} is being changed already: try again later", module));
    }
    for (const std::string& module : modules) {
      if (claimed_.insert(module).second) continue;
      for (const std::string& taken : modules) claimed_.erase(taken);
      return fail(ErrorCode::validation_failed, fmt::format("the module {} is named twice", module));
    }
    first = status_ == SandboxStatus::running;
  }
  if (first) change_status(SandboxStatus::running, SandboxStatus::reloading);
  return Claim(*this, std::move(modules));
}

void SandboxCore::release(const std::vector<std::string>& modules) {
  bool last = false;
  {
    MutexLock lock(mutex_);
    for (const std::string& module : modules) claimed_.erase(module);
    last = claimed_.empty();
  }
  if (last) change_status(SandboxStatus::reloading, SandboxStatus::running);
}

// ---- beside the running version -------------------------------------------------------------------------------

SandboxCore::ModulePast& SandboxCore::past_of(Module& module) {
  if (module.past == nullptr) module.past = first_past(by_itself(module.code), {.hash = module.code->artifact->id()});
  return *module.past;
}

std::unique_ptr<SandboxCore::ModulePast> SandboxCore::first_past(const ModuleCodePtr& code, SourceFacts source,
                                                                 VersionNeeds needs) const {
  Version first{.artifact = code->artifact, .code = code, .source = std::move(source), .time = created_};
  first.needs = std::move(needs);
  return std::make_unique<ModulePast>(VersionTable(std::move(first), SwitchCause::create, "caller"));
}

// Code that is in the table already keeps its number.
Result<SandboxCore::Part> SandboxCore::admit_part(const std::string& name, const Source& source,
                                                  const ReloadOptions& options, WayIn way) {
  PETRI_TRY(Loaded loaded, let_in(name, source, way));
  return part_of_loaded(name, std::move(loaded), options);
}

Result<SandboxCore::Part> SandboxCore::part_of_loaded(const std::string& name, Loaded loaded,
                                                      const ReloadOptions& options) {
  MutexLock lock(mutex_);
  PETRI_TRY(Module * module, find_module(name));
  const VersionTable& versions = past_of(*module).versions;
  Part part{.name = name, .from = module->code, .from_number = versions.active().number, .renames = options.renames};
  if (const Version* known = versions.find(loaded.code->artifact->id())) {
    part.to = known->code;
    part.to_number = known->number;
    if (part.renames.empty()) part.renames = versions.renames_between(part.from_number, part.to_number);
    return part;
  }
  part.to = loaded.code;
  part.to_number = versions.next_number();
  part.added = version_of(std::move(loaded), VersionOrigin::reload, options.metadata, options.needs);
  part.added->before = part.from_number;
  part.added->renames = options.renames;
  return part;
}

Result<SandboxCore::Part> SandboxCore::kept_part(const std::string& name, std::uint64_t number,
                                                 const StateHints& renames) {
  MutexLock lock(mutex_);
  PETRI_TRY(Module * module, find_module(name));
  const VersionTable& versions = past_of(*module).versions;
  if (number == 0) number = versions.number_before();
  if (number == 0) {
    return fail(ErrorCode::version_not_found,
                fmt::format("no version of {} is kept that was active before {}", name, versions.active().number));
  }
  PETRI_TRY(const Version* version, versions.require(name, number));
  Part part{.name = name,
            .from = module->code,
            .to = version->code,
            .from_number = versions.active().number,
            .to_number = number,
            .renames = renames};
  if (part.renames.empty()) part.renames = versions.renames_between(part.from_number, number);
  return part;
}

Result<void> SandboxCore::check_part(const Part& part, const SwitchOptions& options) {
  if (part.to_number == part.from_number && !options.even_if_same && !part.only_links) return {};
  // What is only linked anew stays as it is, and what comes with a reload has just passed.
  const bool comes_back = !part.only_links && options.cause != SwitchCause::reload;
  auto fits = comes_back ? admit_again(part.to->artifact) : check_policy(*part.to->artifact);
  if (fits) return {};
  Error error = refused_module(part.name, std::move(fits.error()));
  tell_rejected(part.name, way_of(options.cause), error);
  return fail(std::move(error));
}

Result<void> SandboxCore::plan_part(Part& part, const SwitchOptions& options) {
  if (part.to_number == part.from_number && !options.even_if_same && !part.only_links) return {};
  const ReloadPolicy& policy = options.policy;
  if (!policy.drop_exports && !part.only_links) {
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
                    .only_links = part.only_links};
  if (part.only_links && by_itself(part.from)->movable()) {
    terms.way = StateWay::memory;
  } else if (part.back_to == nullptr) {
    const StateWay asked = part.only_links ? StateWay::best : policy.state;
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

Result<void> SandboxCore::plan_parts(std::vector<Part>& parts, const SwitchOptions& options) {
  if (auto linked = link_parts(parts); !linked) {
    tell_rejected(linked.error().detail("importer"), way_of(options.cause), linked.error());
    return linked;
  }
  for (Part& part : parts) {
    PETRI_TRY(check_part(part, options));
    PETRI_TRY(plan_part(part, options));
  }
  for (Part& part : parts) {
    if (part.change != nullptr && part.to->linked != nullptr) PETRI_TRY(add_members(part, parts));
  }
  return {};
}

// Of one that is linked: those of its group that change, too.
Result<void> SandboxCore::add_members(Part& part, const std::vector<Part>& parts) const {
  for (const Part& other : parts) {
    const bool changes_with =
        &other != &part && other.change != nullptr && !other.only_links && part.to->linked->find(other.name) != nullptr;
    if (changes_with) {
      PETRI_TRY(const SwitchTerms terms, terms_as_member(other));
      part.change->add_member(terms);
    }
  }
  const auto lead = std::ranges::find(parts, part.lead, &Part::name);
  if (part.only_links && lead != parts.end()) part.change->keep_in(lead->change->terms().keep);
  return {};
}

// Where state comes from a snapshot, processes that it does not know of carry what they have; `best`: they cannot.
Result<SwitchTerms> SandboxCore::terms_as_member(const Part& part) const {
  SwitchTerms terms = part.change->terms();
  if (terms.back_to == nullptr) return terms;
  terms.way = choose_way(StateWay::best, part.name, *part.from, *part.to).value_or(StateWay::best);
  if (terms.way == StateWay::described && !part.renames.empty()) {
    PETRI_TRY(terms.renames, renames_for(part, false));
  }
  return terms;
}

// Those the caller gave are checked when they are used; those of the table may be about fields that are gone.
Result<StateHints> SandboxCore::renames_for(const Part& part, bool given) const {
  if (given) return part.renames;
  PETRI_TRY(const auto from, schema_of(*part.from));
  PETRI_TRY(const auto to, schema_of(*part.to));
  return known_renames(part.renames, *from, *to);
}

// Known before anything is made or waited for.
Result<void> SandboxCore::may_rest_here(const std::vector<Part>& parts, std::string_view doing) const {
  if (Inside::here() == nullptr) return {};
  for (const Part& part : parts) {
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

bool SandboxCore::trees_are_settled() const {
  return std::ranges::all_of(trees(), [](const auto& runner) { return runner->is_settled(); });
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

void SandboxCore::end_decision() {
  MutexLock lock(mutex_);
  --decisions_;
  decided_.notify_all();
}

// A tree that gives up empties the places of its children before it ends, and leaves the rest to recovery. That may
// have begun since decisions were waited for: a status that is not up may be one on the way.
void SandboxCore::wait_for_crashes() {
  const Clock::TimePoint deadline = deadline_of(reload_policy());
  wait_for_decisions(deadline);
  if (is_up(status()) && (some_are_down() || !trees_are_settled())) wait_for_restarts(deadline);
  wait_for_decisions(deadline);
}

SandboxCore::AtRest::~AtRest() {
  for (const Taken& one : taken_) one.process->put_back();
  if (holds_starts_) core_.let_start();
  for (const auto& [key, process] : gated_) process->open_gate();
}

// All at once: one that was taken early could be what another waits for.
bool SandboxCore::AtRest::try_take_all(const std::vector<Part>& parts) {
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

bool SandboxCore::AtRest::has_life(const Part& part, const Process& process) {
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
void SandboxCore::AtRest::close_gates(const std::vector<Part>& parts) {
  const std::size_t before = gated_.size();
  for (const Part& part : parts) {
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
Result<void> SandboxCore::AtRest::wait(std::vector<Part>& parts) {
  close_gates(parts);
  for (Part& part : parts) {
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

Result<void> SandboxCore::AtRest::come(std::vector<Part>& parts) {
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

// The tables first: whoever starts from now on finds the new code, and nobody starts yet.
Result<void> SandboxCore::commit(std::vector<Part>& parts, const SwitchOptions& options) {
  const VersionTime now = services_.clock.wall_now();
  MutexLock lock(mutex_);
  PETRI_TRY(check_links(parts));
  updated_ = std::max(updated_, now);
  for (Part& part : parts) {
    if (part.change == nullptr) continue;
    const auto lead = std::ranges::find(parts, part.lead, &Part::name);
    if (part.trial == nullptr && lead != parts.end()) part.trial = lead->trial;
    commit_part(part, options, now);
    if (lead == parts.end() || &*lead == &part || part.only_links) continue;
    modules_.find(lead->name)->second.past->companions[part.name] = part.change->terms().keep;
  }
  return {};
}

void SandboxCore::commit_part(Part& part, const SwitchOptions& options, VersionTime now) {
  Module& module = modules_.find(part.name)->second;
  keep_tree_as_it_is(part);
  module.code = part.to;
  if (part.only_links) return;
  ModulePast& past = past_of(module);
  if (part.added) past.versions.add(std::move(*part.added));
  if (part.back_to == nullptr) past.versions.note_crossing(part.from_number, part.to_number, part.renames);
  past.versions.activate(part.to_number, now, options.cause, options.actor);
  past.versions.prune(account_.limits()->versions_max);
  past.snapshot = part.change->terms().keep;
  past.switched = services_.clock.now();
  past.companions.clear();
  if (past.snapshot != nullptr && part.trial == nullptr) {
    const Trial& trial = options.policy.trial;
    part.trial = std::make_shared<TrialPeriod>(part.name, trial.calls, past.switched + trial.time);
  }
  past.trial = part.trial;
}

// Code that nobody runs yet proves that it starts all the same: nothing else would until the next restart, and then
// there would be no way back.
Result<void> SandboxCore::try_start_of(const Part& part, Clock::TimePoint deadline) {
  const auto nobody = std::make_shared<Process>(*this, part.name);
  const std::stop_callback on_stop(ending(), [&part] { part.change->abandon(); });
  return part.change->try_start(*nobody, deadline);
}

Result<std::vector<ReloadReport>> SandboxCore::switch_parts(std::vector<Part> parts, const SwitchOptions& options,
                                                            Claim& claimed) {
  const Clock::TimePoint began = services_.clock.now();
  const Clock::TimePoint deadline = deadline_of(options.policy);
  const std::stop_token stop = ending();
  const std::stop_callback on_stop(stop, [&parts] {
    for (const Part& part : parts) {
      if (part.change != nullptr) part.change->abandon();
    }
  });
  for (Part& part : parts) {
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
    const std::vector<Crash> crashed = options.revives.empty() ? std::vector<Crash>() : take_crashed(options.revives);
    for (const AtRest::Taken& one : rest.taken()) {
      Part& part = parts[one.part];
      part.change->exchange(*one.process, part.trial);
      bring_back_timers(part, *one.process);
      if (options.on_switched) options.on_switched(*one.process);
      part.switched.push_back({.process = one.process->name(), .tier = one.process->tier()});
      rest_since[one.process->name()] = rest.rests_since(*one.process);
    }
    for (const Crash& crash : crashed) revive(parts, crash, deadline);
    const Clock::TimePoint opened = services_.clock.now();
    for (Part& part : parts) {
      for (ProcessSwitch& process : part.switched)
        process.pause = opened - rest_since.try_emplace(process.process, closed).first->second;
    }
    reports = reports_of(parts, closed - began);
    // Whoever listens hears of the switch before anything of the new version.
    for (const ReloadReport& report : reports) publish_switched(report, options);
    // New code that crashes at its first call is taken back by whoever claims the module next.
    claimed.release();
  }
  for (const ReloadReport& report : reports) audit_switched(report, options);
  return reports;
}

std::vector<ReloadReport> SandboxCore::reports_of(std::vector<Part>& parts, Clock::Duration preparation) {
  gather_reports(parts);
  std::vector<ReloadReport> reports;
  for (Part& part : parts) {
    if (part.only_links) continue;
    reports.push_back(report_of(part, preparation));
  }
  return reports;
}

void SandboxCore::gather_reports(std::vector<Part>& parts) {
  std::vector<const Part*> groups;
  for (const Part& part : parts) {
    if (part.change != nullptr && part.to->linked != nullptr) groups.push_back(&part);
  }
  for (Part& part : parts) {
    if (part.change == nullptr) continue;
    part.plan = part.change->plan();
    for (const Part* other : groups) {
      if (other == &part || other->to->linked->find(part.name) == nullptr) continue;
      part.switched.insert(part.switched.end(), other->switched.begin(), other->switched.end());
      if (!part.plan) part.plan = other->change->plan_of(part.name);
    }
  }
}

ReloadReport SandboxCore::report_of(Part& part, Clock::Duration preparation) {
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

void SandboxCore::publish_switched(const ReloadReport& report, const SwitchOptions& options) {
  if (report.no_change) {
    services_.events.publish(EventKind::module_no_change, subject(),
                             [&](Event& event) { event.add("module", report.module).add("version", report.to); });
    return;
  }
  const bool back = options.cause == SwitchCause::rollback || options.cause == SwitchCause::trial;
  services_.events.publish(back ? EventKind::module_rolled_back : EventKind::module_reloaded, subject(),
                           [&](Event& event) {
                             event.add("module", report.module).add("version", report.to).add("from", report.from);
                             event.add("cause", name_of(options.cause)).add("processes", report.processes.size());
                             event.add("state", report.snapshot ? "snapshot" : name_of(report.state));
                             if (report.plan) event.add("plan", to_json(*report.plan));
                             event.add("pause_ns", report.pause_max);
                             if (!options.reason.empty()) event.add("reason", options.reason);
                             if (!options.trap.empty()) event.add("trap", options.trap);
                           });
}

void SandboxCore::audit_switched(const ReloadReport& report, const SwitchOptions& options) {
  if (report.no_change) return;
  tell_audit({.kind = AuditKind::module_switched, .sandbox = id(), .cause = name_of(options.cause)},
             {{"module", report.module},
              {"from", report.from},
              {"to", report.to},
              {"artifact", report.artifact.hex()},
              {"actor", options.actor}});
}

Result<std::vector<ReloadReport>> SandboxCore::change(std::vector<Part> parts, const SwitchOptions& options,
                                                      Claim& claimed) {
  PETRI_TRY(plan_parts(parts, options));
  PETRI_TRY(may_rest_here(parts, name_of(options.cause)));
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

Result<ReloadReport> SandboxCore::change_one(Part part, const SwitchOptions& options, Claim& claimed) {
  std::vector<Part> parts;
  const std::string name = part.name;
  parts.push_back(std::move(part));
  PETRI_TRY(auto reports, change(std::move(parts), options, claimed));
  return std::move(*std::ranges::find(reports, name, &ReloadReport::module));
}

// ---- verbs ----------------------------------------------------------------------------------------------------

SandboxCore::SwitchOptions SandboxCore::switch_options(const std::optional<ReloadPolicy>& policy, SwitchCause cause,
                                                       std::string actor) const {
  return {.policy = policy.value_or(reload_policy()), .cause = cause, .actor = std::move(actor)};
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
  std::vector<Part> parts;
  auto all = load_side_by_side(modules);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const std::string& name = modules[index].name;
    PETRI_TRY(Loaded loaded, told_if_refused(name, std::move(all[index]), WayIn::reload));
    ReloadOptions own = options;
    if (!modules[index].needs.empty()) own.needs = modules[index].needs;
    PETRI_TRY(Part part, part_of_loaded(name, std::move(loaded), own));
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
  PETRI_TRY(Part part, kept_part(std::string(module), version, options.renames));
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
  PETRI_TRY(Part part, kept_part(std::string(module), version, {}));
  return change_one(std::move(part), how, claimed);
}

// Modules that were switched together go back together: their processes are the same.
Result<ReloadReport> SandboxCore::rollback_with_snapshot(const std::string& module, std::uint64_t version,
                                                         const SwitchOptions& options) {
  wait_for_crashes();
  std::vector<std::string> names{module};
  {
    MutexLock lock(mutex_);
    if (const auto last = last_switch_of(module)) {
      for (const auto& [name, snapshot] : *last) {
        if (name != module) names.push_back(name);
      }
    }
  }
  PETRI_TRY(Claim claimed, claim(std::move(names)));
  PETRI_TRY(const Part asked, kept_part(module, version, {}));
  SwitchSnapshots snapshots;
  {
    MutexLock lock(mutex_);
    snapshots = last_switch_of(module).value_or(SwitchSnapshots{});
  }
  const auto own = snapshots.find(module);
  if (own == snapshots.end() || own->second->from() != asked.to_number || own->second->to() != asked.from_number) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no snapshot of a switch of {} from version {} to {}: only the last switch of a "
                            "module has one, and one without a trial has none; roll back without it",
                            module, asked.to_number, asked.from_number));
  }
  PETRI_TRY(std::vector<Part> parts, parts_back_to(snapshots));
  PETRI_TRY(auto reports, change(std::move(parts), options, claimed));
  return std::move(*std::ranges::find(reports, module, &ReloadReport::module));
}

}  // namespace petri
