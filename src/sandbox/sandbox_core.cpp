#include "sandbox/sandbox_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/name_table.h"
#include "process/host_work.h"
#include "run/backtrace.h"
#include "telemetry/usage_event.h"

namespace petri {
namespace {

constexpr NameTable<9> kStatuses{"initializing", "compiling", "starting", "running", "reloading",
                                 "stopping",     "stopped",   "isolated", "failed"};

// A permanent child for each that no other imports.
SupervisorSpec tree_of(const std::vector<ModuleSpec>& modules, const DependencyGraph& graph) {
  std::set<std::string_view> imported;
  for (const auto& [module, imports] : graph) imported.insert(imports.begin(), imports.end());
  SupervisorSpec tree;
  for (const ModuleSpec& module : modules) {
    if (imported.contains(module.name)) continue;
    tree.children.emplace_back(ChildSpec{.id = module.name, .module = module.name});
  }
  return tree;
}

// How much a guest that a limit has ended had used, or the least it had asked for.
std::uint64_t seen_at_end(const Outcome& outcome, std::uint64_t allowed) {
  switch (outcome.kind) {
    case OutcomeKind::deadline: return static_cast<std::uint64_t>(outcome.wall_time.count());
    case OutcomeKind::out_of_fuel: return outcome.fuel_used;
    default: return allowed + 1;
  }
}

}  // namespace

std::span<const SandboxStatus> all_sandbox_statuses() {
  static const std::array<SandboxStatus, kStatuses.size()> all = [] {
    std::array<SandboxStatus, kStatuses.size()> statuses{};
    for (std::size_t i = 0; i < statuses.size(); ++i) statuses[i] = static_cast<SandboxStatus>(i);
    return statuses;
  }();
  return all;
}

std::string_view name_of(SandboxStatus status) { return name_in(kStatuses, status); }
std::optional<SandboxStatus> sandbox_status_named(std::string_view name) {
  return find_name<SandboxStatus>(kStatuses, name);
}

SandboxCore::SandboxCore(const SandboxServices& services, SandboxSpec spec, SandboxTraitsPtr traits)
    : services_(services),
      under_way_(services.under_way),
      spec_{.id = std::move(spec.id),
            .generation = spec.generation,
            .seed = spec.seed.value_or(0),
            .deterministic = spec.deterministic.value_or(false),
            .tier = spec.tier.value_or(Tier::automatic),
            .on_log = std::move(spec.on_log)},
      traits_(std::move(traits)),
      granted_(traits_->policy.permissions),
      breaker_(traits_->breaker),
      shared_account_(std::make_shared<TreeAccount>(SandboxLimitsPtr(traits_, &traits_->policy.limits), this,
                                                    services.budget, services.descriptors.get())),
      account_(*shared_account_),
      share_(traits_->policy.limits.cpu_percent_max),
      threads_(&account_),
      lane_(make_lane()),
      created_(services.clock.wall_now()),
      updated_(created_),
      sources_(std::make_shared<const std::vector<ModuleSpec>>(std::move(spec.modules))),
      tree_spec_(spec.tree ? std::make_unique<SupervisorSpec>(std::move(*spec.tree)) : nullptr),
      labels_(std::move(spec.labels)),
      history_(services.samples_max) {}

SandboxCore::~SandboxCore() = default;

// What a letter has begun elsewhere is done before the next.
std::unique_ptr<Lane> SandboxCore::make_lane() {
  if (!spec_.deterministic) return nullptr;
  const auto settle = [this] {
    for (const auto& runner : trees()) runner->wait_until_quiet();
  };
  return std::make_unique<Lane>(services_.workers, client(), [this] { return keep_alive(); }, settle);
}

SupervisorSpec SandboxCore::tree_spec() const {
  if (tree_spec_ != nullptr) return *tree_spec_;
  return tree_of(*sources_, has_links() ? dependency_graph() : DependencyGraph());
}

EventSubject SandboxCore::subject(std::string_view process) const {
  return {.sandbox = spec_.id, .process = process, .correlation = operation_.correlation()};
}

// ---- life -----------------------------------------------------------------------------------------------------

void SandboxCore::set_status(SandboxStatus status, const std::string& cause) {
  SandboxStatus before{};
  {
    MutexLock lock(mutex_);
    before = std::exchange(status_, status);
    cause_ = cause;
    if (status == SandboxStatus::running) failure_.reset();
    updated_ = std::max(updated_, services_.clock.wall_now());
    if (status == SandboxStatus::running) running_since_ = services_.clock.now();
  }
  tell_status(before, status, cause);
}

void SandboxCore::change_status(SandboxStatus from, SandboxStatus to) {
  {
    MutexLock lock(mutex_);
    if (status_ != from) return;
    status_ = to;
    updated_ = std::max(updated_, services_.clock.wall_now());
  }
  tell_status(from, to, {});
}

void SandboxCore::tell_status(SandboxStatus from, SandboxStatus to, const std::string& cause) {
  services_.events.publish(EventKind::sandbox_status, subject(), [&](Event& event) {
    event.add("from", name_of(from)).add("to", name_of(to));
    if (!cause.empty()) event.add("cause", cause);
  });
  const AuditSubject change{.kind = AuditKind::sandbox_status, .sandbox = id(), .cause = cause};
  if (!keeps(traits_->policy.audit, change.kind)) return;
  // Its recovery starts it as often as its guests make it fail. By what it becomes: causes are texts without end.
  const bool by_guests = recovers_.load() && to != SandboxStatus::failed && to != SandboxStatus::isolated;
  if (by_guests && !admits({.subject = {.kind = change.kind, .sandbox = id(), .cause = name_of(to)}})) return;
  tell_audit(change, {{"from", name_of(from)}, {"to", name_of(to)}});
}

Result<void> SandboxCore::fail_with(Error error) {
  const ErrorCategory failure = error.category();
  return fail_with(std::move(error), failure);
}

Result<void> SandboxCore::fail_with(Error error, ErrorCategory failure) {
  {
    MutexLock lock(mutex_);
    failure_ = failure;
  }
  set_status(SandboxStatus::failed, error.message);
  services_.events.publish(EventKind::sandbox_failed, subject(), [&](Event& event) {
    event.add("cause", name_of(error.code)).add("class", name_of(failure)).add("message", error.message);
  });
  tell_audit({.kind = AuditKind::sandbox_failed, .sandbox = id(), .cause = name_of(error.code)},
             {{"class", name_of(failure)}, {"message", error.message}});
  return fail(std::move(error));
}

Result<void> SandboxCore::open_folder() {
  if (traits_->folder.empty()) return {};
  PETRI_TRY(const auto descriptor, take_descriptor(services_.descriptors));
  PETRI_TRY(auto folder, Folder::open(traits_->folder, *account_.limits()));
  Folder* const opened = folder.get();
  set_folder(std::shared_ptr<Folder>(opened, [folder = std::move(folder), descriptor](Folder*) {}));
  return {};
}

Result<void> SandboxCore::create(const SnapshotOrigin* origin) {
  const Operation operation(operation_);
  take_control();
  const MutexLock control(control_, std::adopt_lock);
  {
    MutexLock lock(mutex_);
    if (destroyed_)
      return fail(ErrorCode::cancelled, fmt::format("the sandbox {} was destroyed before it was made", id()));
  }
  const Clock::TimePoint began = services_.clock.now();
  set_status(SandboxStatus::compiling);
  auto loaded = origin == nullptr ? load_modules() : load_saved(*origin);
  if (!loaded && is_to_end()) return give_up_start();
  if (!loaded) return fail_with(std::move(loaded.error()));
  if (origin != nullptr) drop_sources();
  PETRI_TRY(start_tree(origin));
  std::size_t modules = 0;
  {
    MutexLock lock(mutex_);
    modules = sources_->size();
  }
  services_.events.publish(EventKind::sandbox_created, subject(), [&](Event& event) {
    event.add("modules", modules)
        .add("processes", account_.processes())
        .add("duration_ns", services_.clock.now() - began);
  });
  const WayIn way = origin == nullptr ? WayIn::create : origin->way;
  tell_audit({.kind = AuditKind::sandbox_created, .sandbox = id(), .cause = name_of(way)},
             {{"modules", modules}, {"processes", account_.processes()}});
  return {};
}

Result<void> SandboxCore::start_tree(const SnapshotOrigin* origin) {
  {
    MutexLock lock(mutex_);
    origin_ = origin;
  }
  auto started = try_start_tree();
  if (started && origin != nullptr) {
    started = start_spawned(origin->data);
    if (started) let_go_on(origin->data);
    if (!started) end_tree();
  }
  {
    MutexLock lock(mutex_);
    origin_ = nullptr;
  }
  if (started) return started;
  if (is_to_end()) return give_up_start();
  return fail_with(std::move(started.error()), last_end().failure);
}

Result<void> SandboxCore::try_start_tree() {
  set_status(SandboxStatus::starting);
  std::shared_ptr<TreeRunner> tree;
  {
    MutexLock lock(mutex_);
    if (ends_wanted_ > 0) return fail(ErrorCode::cancelled, fmt::format("the sandbox {} is being ended", id()));
    tree = tree_ = std::make_shared<TreeRunner>(*this, tree_spec());
    dynamic_.reset();
    spawned_.clear();
    runs_ = std::stop_source();
  }
  const Lane::Hold hold(lane_.get());
  auto started = tree->start();
  if (!started) {
    // The tree knows which child; the process knew why.
    Error error = tree->explain(started.error(), tree->ending().failed_incarnation);
    end_tree();
    return fail(std::move(error));
  }
  set_status(SandboxStatus::running);
  return {};
}

void SandboxCore::end_tree() {
  std::shared_ptr<TreeRunner> tree, dynamic;
  {
    MutexLock lock(mutex_);
    runs_.request_stop();
    tree = tree_;
    dynamic = dynamic_;
  }
  run_table_.cancel_waiting();
  const EndTimes times = end_times();
  if (dynamic) dynamic->stop(times.spawned);
  if (tree) tree->stop(times.all);
  std::map<std::string, ProcessPtr, std::less<>> gone;
  {
    MutexLock lock(mutex_);
    gone.swap(processes_);
  }
  for (const auto& [name, process] : gone) process->close();
  if (!recovers_.load()) tell_all_counted();  // else it goes on, and with it the count
}

// What guests spawned ends first and has half of the time: what the spec asks for is left some, whatever they do.
SandboxCore::EndTimes SandboxCore::end_times() const {
  const Clock::TimePoint now = services_.clock.now();
  return {.spawned = now + shutdown_max() / 2, .all = now + shutdown_max()};
}

void SandboxCore::begin_end() {
  std::shared_ptr<TreeRunner> tree, dynamic;
  {
    MutexLock lock(mutex_);
    runs_.request_stop();
    tree = tree_;
    dynamic = dynamic_;
  }
  run_table_.cancel_waiting();
  const EndTimes times = end_times();
  if (dynamic) dynamic->begin_stop(times.spawned);
  if (tree) tree->begin_stop(times.all);
}

void SandboxCore::take_control() {
  if (control_.try_lock()) return;
  const Workers::Pause pause(services_.workers);
  control_.lock();
}

// Whoever has control gives up what it does, compiling included.
void SandboxCore::take_control_to_end() {
  services_.workers.favour(threads_);
  if (control_.try_lock()) return;
  {
    MutexLock lock(mutex_);
    ++ends_wanted_;
  }
  stop_loading();
  begin_end();
  take_control();
  MutexLock lock(mutex_);
  if (--ends_wanted_ == 0) loading_ = new_loading();
}

// Its callbacks may wait for locks of others.
void SandboxCore::stop_loading() {
  std::stop_source loading(std::nostopstate);
  {
    MutexLock lock(mutex_);
    loading = loading_;
  }
  loading.request_stop();
}

std::stop_token SandboxCore::loading() const {
  MutexLock lock(mutex_);
  return loading_.get_token();
}

bool SandboxCore::is_to_end() const {
  MutexLock lock(mutex_);
  return ends_wanted_ > 0;
}

Result<void> SandboxCore::give_up_start() {
  set_status(SandboxStatus::stopped);
  return fail(ErrorCode::cancelled, fmt::format("the sandbox {} was stopped before it had started", id()));
}

Result<void> SandboxCore::stop() {
  const Operation operation(operation_);
  PETRI_TRY(may_end_here());
  take_control_to_end();
  const MutexLock control(control_, std::adopt_lock);
  return stop_now();
}

Result<void> SandboxCore::stop_now() {
  PETRI_TRY(must_exist());
  if (!is_up(status())) {
    if (status() == SandboxStatus::stopped) return {};
    if (forget_retry()) {
      set_status(SandboxStatus::stopped);
      return {};
    }
    return fail(ErrorCode::rejected,
                fmt::format("the sandbox {} is {} and cannot be stopped", id(), name_of(status())));
  }
  set_status(SandboxStatus::stopping);
  end_tree();
  set_status(SandboxStatus::stopped);
  return {};
}

Result<void> SandboxCore::restart(const RestartOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(may_end_here());
  if (options.keep_state) return restart_with_state();
  // What is being compiled would be started only to be ended; what is being reloaded is waited for.
  status() == SandboxStatus::compiling ? take_control_to_end() : take_control();
  const MutexLock control(control_, std::adopt_lock);
  return start_again(nullptr);
}

Result<void> SandboxCore::start_again(const SnapshotOrigin* origin) {
  {
    MutexLock lock(mutex_);
    PETRI_TRY(must_exist_now());
    // Only its maker may start it the first time.
    if (status_ == SandboxStatus::initializing) {
      return fail(ErrorCode::rejected, fmt::format("the sandbox {} is initializing and cannot be restarted", id()));
    }
    ++restarts_;
    recovered_ = {};
  }
  forget_retry();
  tell_breaker(breaker_.reset());
  if (is_up(status()) || status() == SandboxStatus::isolated) {
    set_status(SandboxStatus::stopping);
    end_tree();
  }
  bool loaded = false;
  {
    MutexLock lock(mutex_);
    loaded = modules_.size() >= sources_->size();
  }
  if (!loaded) {
    set_status(SandboxStatus::compiling);
    auto again = load_modules();
    if (!again && is_to_end()) return give_up_start();
    if (!again) return fail_with(std::move(again.error()));
  }
  return start_tree(origin);
}

bool SandboxCore::destroy() {
  const Operation operation(operation_);
  stop_loading();
  take_control_to_end();
  const MutexLock control(control_, std::adopt_lock);
  return destroy_now();
}

bool SandboxCore::destroy_now() {
  {
    MutexLock lock(mutex_);
    if (destroyed_) return false;
  }
  forget_retry();
  set_status(SandboxStatus::stopping);
  end_tree();
  services_.failed_sources.remove(this);
  drop_sources();
  set_folder(nullptr);  // whoever keeps a handle keeps no file open
  {
    MutexLock lock(mutex_);
    destroyed_ = true;
    modules_.clear();
    tree_.reset();
    dynamic_.reset();
  }
  set_status(SandboxStatus::stopped);
  services_.events.publish(EventKind::sandbox_destroyed, subject(), [&](Event& event) {
    event.add("cause", "destroy").add("uptime_ns", services_.clock.wall_now() - created_);
  });
  tell_audit({.kind = AuditKind::sandbox_destroyed, .sandbox = id(), .cause = "destroy"});
  return true;
}

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

// The code it starts with. While modules are being switched nobody starts: it might be with code that is no longer
// active when it has.
Result<SandboxCore::StartCode> SandboxCore::begin_start(std::string_view module) {
  const Workers::Pause pause(services_.workers);
  MutexLock lock(mutex_);
  while (switching_) switched_.wait(mutex_);
  if (status_ == SandboxStatus::isolated) return fail(ErrorCode::not_now, fmt::format("{} is isolated", id()));
  const auto found = modules_.find(module);
  if (found == modules_.end()) return fail(ErrorCode::not_found, fmt::format("there is no module {}", module));
  ModuleCodePtr& code = found->second.code;
  if (!code->from_modules.empty() && code->linked == nullptr) {
    PETRI_TRY(code, link_with_table_now(found->first, code, needs_of(found->first, nullptr)));
  }
  ++starts_;
  return StartCode{.code = code, .version = active_number(found->second)};
}

void SandboxCore::end_start() {
  MutexLock lock(mutex_);
  --starts_;
  switched_.notify_all();
}

Result<Outcome> SandboxCore::start_process(Process& process, Incarnation incarnation, const ChildSpec& spec,
                                           bool again) {
  PETRI_TRY(StartCode start, begin_start(spec.module));
  again ? services_.metrics.process_restarted() : services_.metrics.process_started();
  auto outcome = start_as_saved(process, incarnation, std::move(start), spec, again);
  end_start();
  const bool lives = outcome && outcome->kind == OutcomeKind::ok;
  if (!lives) note_end(process, outcome);
  if (outcome && !lives) tell_killed(process.name(), *outcome);
  if (!lives) return outcome;
  std::uint64_t restarts = 0;
  std::optional<SpawnedChildren::Notice> notice;
  {
    MutexLock lock(mutex_);
    notice = spawned_.started(process.name());
    if (again) restarts = ++trouble().restarts[process.name()];
  }
  services_.events.publish(again ? EventKind::process_restarted : EventKind::process_started, subject(process.name()),
                           [&](Event& event) {
                             if (!again) event.add("module", spec.module);
                             if (again) event.add("restarts", restarts);
                           });
  if (again) {
    MutexLock lock(mutex_);
    ++supervisor_restarts_;
  }
  tell_parent(std::move(notice));
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
    if (trouble_ != nullptr) trouble_->restarts.erase(address);
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
  tell_parent(std::move(notice));
}

void SandboxCore::gave_up(const SupervisorGaveUp& news) {
  std::string reason;
  {
    MutexLock lock(mutex_);
    reason = spawned_.is_dynamic(news.child) ? last_spawned_end_.text : last_end_.text;
  }
  services_.events.publish(EventKind::process_gave_up, subject(news.child),
                           [&](Event& event) { event.add("supervisor", news.supervisor).add("reason", reason); });
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
  tell_exited(process, how);
  process_buried(process, incarnation, how);
}

void SandboxCore::process_buried(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) {
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

void SandboxCore::tell_exited(const Process& process, const Result<Outcome>& how) {
  if (how) tell_killed(process.name(), *how);
  services_.events.publish(EventKind::process_exited, subject(process.name()), [&](Event& event) {
    event.add("reason", name_of(how ? exit_reason_of(*how) : ExitReason::abnormal));
    how ? event.add("outcome", name_of(how->kind)) : event.add("message", how.error().message);
    if (how && how->trap) event.add("trap", name_of(*how->trap));
    if (how && !how->backtrace.empty()) event.add("backtrace", backtrace_words(how->backtrace));
    if (how && how->exit_code) event.add("exit_code", *how->exit_code);
  });
}

// An answer that was cut has ended nobody who returned or left. Whoever hears of an event finds its entry in the audit
// trail.
void SandboxCore::tell_killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits) {
  const bool ended_itself = outcome.returned || outcome.exit_code.has_value();
  if (outcome.cause.empty() || (outcome.kind == OutcomeKind::output_limit && ended_itself)) return;
  {
    MutexLock lock(mutex_);
    ++trouble().limits_met[outcome.cause];
  }
  const EventKind kind =
      outcome.kind == OutcomeKind::deadline ? EventKind::killed_timeout : EventKind::killed_resource_limit;
  const SandboxLimitRule* rule = sandbox_limit_named(outcome.cause);
  const std::uint64_t allowed = rule == nullptr ? 0 : rule->get(limits);
  const std::uint64_t seen = seen_at_end(outcome, allowed);
  const AuditSubject killed{.kind = AuditKind::killed, .sandbox = id(), .process = process, .cause = outcome.cause};
  tell_audit({.subject = killed, .allowed = allowed, .seen = seen}, {{"outcome", name_of(outcome.kind)},
                                                                     {"allowed", allowed},
                                                                     {"seen", seen},
                                                                     {"class", name_of(category_of(outcome))}});
  services_.events.publish(kind, subject(process), [&](Event& event) {
    event.add("limit", outcome.cause).add("allowed", allowed).add("seen", seen).add("place", name_of(outcome.place));
  });
  services_.metrics.killed(outcome.cause);
  count_ending_limit(process, outcome);
}

void SandboxCore::limit_met(std::string_view process, const LimitMet& met) {
  {
    MutexLock lock(mutex_);
    trouble().limits_met[std::string(met.limit)] += met.count;
  }
  const AuditSubject limit{.kind = AuditKind::limit_met, .sandbox = id(), .process = process, .cause = met.limit};
  tell_audit({.subject = limit, .count = met.count, .allowed = met.allowed, .seen = met.wanted},
             {{"allowed", met.allowed}, {"seen", met.wanted}, {"count", met.count}});
  services_.events.publish(EventKind::limit_met, subject(process), [&](Event& event) {
    event.add("limit", met.limit).add("allowed", met.allowed).add("seen", met.wanted);
    if (met.count > 1) event.add("count", met.count);
  });
  services_.metrics.limit_met(met.limit, met.count);
}

// ---- what processes ask ---------------------------------------------------------------------------------------

HostSettings SandboxCore::host_settings(const Process& process) {
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
    settings.on_log = [this, name = process.name()](LogLevel level, std::string_view line) {
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

// A timer belongs to the instance that asked for it, and goes with it.
std::int32_t SandboxCore::start_timer(Process& by, std::uint64_t now_ms, std::uint32_t milliseconds, std::int64_t tag) {
  if (!by.takes_messages()) return static_cast<std::int32_t>(GuestError::not_found);  // nothing could handle it
  const TreeAccount::Added added = account_.try_add_timer();
  if (added == TreeAccount::Added::too_many) {
    by.note_met("timers_max", account_.timers() + 1, account_.limits()->timers_max);
  } else if (added == TreeAccount::Added::no_memory) {
    by.note_met("memory_bytes_max", account_.taken() + TreeAccount::kTimerBytes, account_.allowed());
  }
  if (added != TreeAccount::Added::yes) return static_cast<std::int32_t>(GuestError::limit_exceeded);
  add_timer(by, lane_ != nullptr ? now_ms : timers_now_ms(), milliseconds, tag);
  return 0;
}

std::uint64_t SandboxCore::timers_now_ms() const {
  if (lane_ != nullptr) return lane_->time().ms();
  const auto now = services_.clock.now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

void SandboxCore::add_timer(Process& by, std::uint64_t now_ms, std::uint64_t milliseconds, std::int64_t tag) {
  auto timer = std::make_shared<GuestTimer>(
      GuestTimer{.process = by.weak_from_this(), .incarnation = by.incarnation(), .tag = tag});
  // Held, so that one that rings at once finds itself in the list.
  MutexLock lock(mutex_);
  auto ring = [self = shared_from_this(), timer] { self->timer_rings(*timer); };
  timer->id = lane_ != nullptr ? lane_->add_timer(now_ms + milliseconds, std::move(ring))
                               : services_.timers.at(services_.clock.now() + std::chrono::milliseconds(milliseconds),
                                                     std::move(ring), Timers::Whose::guests);
  timers_[{&by, by.incarnation()}][timer->id] = {.due_ms = now_ms + milliseconds, .tag = tag};
}

void SandboxCore::timer_rings(const GuestTimer& timer) {
  const HostWork work(*this);
  const ProcessPtr receiver = timer.process.lock();
  if (receiver == nullptr) return;
  const std::pair<const Process*, std::uint64_t> owner(receiver.get(), timer.incarnation);
  {
    MutexLock lock(mutex_);
    const auto own = timers_.find(owner);
    if (own == timers_.end() || own->second.erase(timer.id) == 0) return;
    ringing_.insert(owner);
  }
  account_.remove_timer();
  static_cast<void>(receiver->post({.kind = MessageKind::timer, .tag = timer.tag, .incarnation = timer.incarnation}));
  MutexLock lock(mutex_);
  ringing_.erase(ringing_.find(owner));
  rung_.notify_all();
}

void SandboxCore::settle_timers(const Process& process) {
  cancel_timers(process, process.incarnation());
  MutexLock lock(mutex_);
  while (ringing_.contains({&process, process.incarnation()})) rung_.wait(mutex_);
}

void SandboxCore::instance_gone(const Process& process, std::uint64_t incarnation) {
  services_.metrics.process_exited();
  cancel_timers(process, incarnation);
}

void SandboxCore::cancel_timers(const Process& process, std::uint64_t incarnation) {
  WaitingTimers gone;
  {
    MutexLock lock(mutex_);
    if (timers_.empty()) return;
    const auto own = timers_.extract({&process, incarnation});
    if (!own.empty()) gone = std::move(own.mapped());
  }
  for (const auto& [timer, what] : gone) {
    lane_ != nullptr ? lane_->cancel_timer(timer) : services_.timers.cancel(timer);
    account_.remove_timer();
  }
}

}  // namespace petri
