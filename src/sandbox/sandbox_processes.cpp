// The processes of a sandbox, as its trees start and end them, and what those ask of it.
#include <fmt/format.h>

#include "sandbox/sandbox_core.h"

namespace petri {

// ---- the tree's host ------------------------------------------------------------------------------------------

Result<ProcessPtr> SandboxCore::process_for(const TreeRunner& tree, const std::string& address) {
  MutexLock lock(mutex_);
  if (&tree != dynamic_.get() && spawned_.is_dynamic(address)) {
    return fail(ErrorCode::already_exists, fmt::format("a guest has spawned a child of the name {}", address));
  }
  ProcessPtr& process = processes_[address];
  if (process == nullptr) process = std::make_shared<Process>(*this, address);
  return process;
}

// The code it starts with. While modules are being switched nobody starts.
Result<ModuleTable::Active> SandboxCore::begin_start(std::string_view module) {
  starts_.begin(services_.workers);
  auto active = status() == SandboxStatus::isolated ? fail(ErrorCode::not_now, fmt::format("{} is isolated", id()))
                                                    : modules_.active_to_start(module);
  if (!active) starts_.end();
  return active;
}

// Only while a sandbox is made from a snapshot or restarted with its state.
std::optional<SandboxCore::SavedStart> SandboxCore::saved_start(const Process& process, std::string_view module) const {
  MutexLock lock(mutex_);
  const SavedProcess* const saved = origin_ == nullptr ? nullptr : origin_->data.find(process.name());
  if (saved == nullptr || saved->module != module) return std::nullopt;
  return SavedStart{.origin = origin_, .saved = saved};
}

Result<Outcome> SandboxCore::start_process(Process& process, Incarnation incarnation, const ChildSpec& spec,
                                           bool again) {
  PETRI_TRY(const ModuleTable::Active start, begin_start(spec.module));
  journal_.process_starts(again);
  const auto saved = again ? std::nullopt : saved_start(process, spec.module);
  auto outcome = saved ? start_as_saved(process, incarnation, start, *saved, spec.input)
                       : process.start(incarnation, start.code, spec.input, nullptr, start.number);
  starts_.end();
  const bool lives = outcome && outcome->kind == OutcomeKind::ok;
  if (!lives) note_end(process, outcome);
  if (outcome && !lives) report_killed(process.name(), *outcome);
  if (!lives) return outcome;
  std::uint64_t restarts = 0;
  std::optional<SpawnedChildren::Notice> notice;
  {
    MutexLock lock(mutex_);
    notice = spawned_.started(process.name());
    if (again && restarts_of_ == nullptr) restarts_of_ = std::make_unique<decltype(restarts_of_)::element_type>();
    if (again) restarts = ++(*restarts_of_)[process.name()];
  }
  again ? journal_.process_restarted(process.name(), restarts) : journal_.process_started(process.name(), spec.module);
  if (again) {
    MutexLock lock(mutex_);
    ++supervisor_restarts_;
  }
  notify_parent(std::move(notice));
  return outcome;
}

// Whoever waits for an answer from there is told, and the next to start has an empty mailbox.
void SandboxCore::place_emptied(const TreeRunner& tree, const std::string& address) {
  std::vector<ProcessPtr> gone;
  std::optional<SpawnedChildren::Notice> notice;
  std::shared_ptr<TreeRunner> dynamic;
  {
    MutexLock lock(mutex_);
    if (&tree == dynamic_.get()) dynamic = dynamic_;
    if (&tree != dynamic_.get() && spawned_.is_dynamic(address)) return;  // it is the name of another
    notice = spawned_.gone(address);
    // A guest chooses the names of its children, so none is remembered for longer than the child has its place.
    if (restarts_of_ != nullptr) restarts_of_->erase(address);
    if (const auto own = processes_.extract(address)) gone.push_back(own.mapped());
    const std::string below = address + "/";
    auto next = processes_.lower_bound(below);
    while (next != processes_.end() && next->first.starts_with(below)) {
      gone.push_back(std::move(next->second));
      next = processes_.erase(next);
    }
  }
  for (const ProcessPtr& process : gone) process->close();
  // Nobody could start a spawned child again: it does not keep the place that it has as any other that has ended.
  if (dynamic != nullptr) dynamic->ask("", RemoveOne{address}, std::make_shared<Reply>());
  notify_parent(std::move(notice));
}

void SandboxCore::gave_up(const SupervisorGaveUp& news) {
  std::string reason;
  {
    MutexLock lock(mutex_);
    reason = spawned_.is_dynamic(news.child) ? last_spawned_end_.text : last_end_.text;
  }
  journal_.process_gave_up(news.child, news.supervisor, reason);
}

// A tree that ended without being asked to has given up: nothing is left to wait for, and nobody in it comes back.
void SandboxCore::tree_ended(const TreeRunner& which, const TreeEnded& news) {
  if (!news.gave_up) return;
  std::vector<std::string> gone;
  {
    MutexLock lock(mutex_);
    if (&which == dynamic_.get()) gone = spawned_.dynamic();
  }
  for (const std::string& address : gone) place_emptied(which, address);
  {
    MutexLock lock(mutex_);
    ++decisions_;
  }
  services_.workers.submit(
      [self = shared_from_this(), tree = which.shared_from_this()] {
        self->recover(tree);
        self->end_decision();
      },
      client());
}

void SandboxCore::process_ended(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) {
  report_exited(process, how);
  process_not_revived(process, incarnation, how);
}

void SandboxCore::process_not_revived(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) {
  const ExitReason reason = how ? exit_reason_of(*how) : ExitReason::abnormal;
  note_end(process, how);
  std::shared_ptr<TreeRunner> tree, dynamic;
  {
    MutexLock lock(mutex_);
    tree = tree_;
    dynamic = dynamic_;
    spawned_.exited(process.name(), how);
  }
  if (tree) tree->exited(process, incarnation, reason);
  if (dynamic) dynamic->exited(process, incarnation, reason);
}

void SandboxCore::report_exited(const Process& process, const Result<Outcome>& how) {
  if (how) report_killed(process.name(), *how);
  journal_.process_exited(process.name(), how);
}

// ---- what processes ask ---------------------------------------------------------------------------------------

HostSettings SandboxCore::host_settings(std::string_view process) {
  HostSettings settings{.limits = *account_.limits(),
                        .permissions = permissions(),
                        .granted = &granted_,
                        .deterministic = spec_.deterministic,
                        .clock = &services_.clock,
                        .program_arguments = &traits_->arguments,
                        .environment = &traits_->environment,
                        .folder = folder(),
                        .account = &account_,
                        .ending_limits = ending_limits()};
  if (spec_.on_log) {
    settings.on_log = [this, name = std::string(process)](LogLevel level, std::string_view line) {
      spec_.on_log(name, level, line);
    };
  }
  return settings;
}

ProcessPtr SandboxCore::find_process(std::string_view name) {
  MutexLock lock(mutex_);
  const auto found = processes_.find(name);
  return found == processes_.end() ? nullptr : found->second;
}

void SandboxCore::instance_gone(const Process& process, std::uint64_t incarnation) {
  journal_.instance_gone();
  guest_timers_.cancel(process, incarnation);
}

}  // namespace petri
