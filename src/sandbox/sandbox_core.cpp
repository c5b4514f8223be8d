#include "sandbox/sandbox_core.h"

#include <fmt/format.h>

#include <algorithm>

namespace petri {
namespace {

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

}  // namespace

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
      queue_(make_queue()),
      guest_timers_(*this, services.timers),
      created_(services.clock.wall_now()),
      modules_(spec_.id, created_),
      journal_(services.journal, *this, spec_.id, traits_->policy.audit, operation_),
      updated_(created_),
      sources_(std::make_shared<const std::vector<ModuleSpec>>(std::move(spec.modules))),
      tree_spec_(spec.tree ? std::make_unique<SupervisorSpec>(std::move(*spec.tree)) : nullptr),
      labels_(std::move(spec.labels)),
      history_(services.samples_max) {}

SandboxCore::~SandboxCore() = default;

// What a message has begun elsewhere is done before the next.
std::unique_ptr<DeterministicQueue> SandboxCore::make_queue() {
  if (!spec_.deterministic) return nullptr;
  const auto settle = [this] {
    for (const auto& runner : trees()) runner->wait_until_quiet();
  };
  return std::make_unique<DeterministicQueue>(services_.workers, client(), [this] { return keep_alive(); }, settle);
}

SupervisorSpec SandboxCore::tree_spec() const {
  if (tree_spec_ != nullptr) return *tree_spec_;
  return tree_of(*sources_, modules_.graph());
}

// ---- lifecycle ------------------------------------------------------------------------------------------------

void SandboxCore::advance(LifecycleEvent event, const std::string& cause) {
  SandboxStatus from{}, to{};
  {
    MutexLock lock(mutex_);
    const auto next = next_status(status_, event);
    if (!next) return;
    from = std::exchange(status_, *next);
    to = *next;
    cause_ = cause;
    updated_ = std::max(updated_, services_.clock.wall_now());
    if (event == LifecycleEvent::started) {
      failure_.reset();
      running_since_ = services_.clock.now();
    }
  }
  journal_.status_changed(from, to, cause, recovers_.load());
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
  advance(LifecycleEvent::fail, error.message);
  journal_.failed(error, failure);
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
  advance(LifecycleEvent::load);
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
  journal_.created(modules, account_.processes(), services_.clock.now() - began,
                   origin == nullptr ? WayIn::create : origin->way);
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
  advance(LifecycleEvent::start);
  std::shared_ptr<TreeRunner> tree;
  {
    MutexLock lock(mutex_);
    if (ends_wanted_ > 0) return fail(ErrorCode::cancelled, fmt::format("the sandbox {} is being ended", id()));
    tree = tree_ = std::make_shared<TreeRunner>(*this, tree_spec());
    dynamic_.reset();
    spawned_.clear();
    runs_ = std::stop_source();
  }
  const DeterministicQueue::Hold hold(queue_.get());
  auto started = tree->start();
  if (!started) {
    // The tree knows which child; the process knew why.
    Error error = tree->explain(started.error(), tree->ending().failed_incarnation);
    end_tree();
    return fail(std::move(error));
  }
  advance(LifecycleEvent::started);
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
  if (!recovers_.load()) journal_.flush();  // else it continues, and with it the count
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
  advance(LifecycleEvent::ended);
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
      advance(LifecycleEvent::ended);
      return {};
    }
    return fail(ErrorCode::rejected,
                fmt::format("the sandbox {} is {} and cannot be stopped", id(), name_of(status())));
  }
  advance(LifecycleEvent::end);
  end_tree();
  advance(LifecycleEvent::ended);
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
  report_breaker(breaker_.reset());
  if (is_up(status()) || status() == SandboxStatus::isolated) {
    advance(LifecycleEvent::end);
    end_tree();
  }
  bool loaded = false;
  {
    MutexLock lock(mutex_);
    loaded = modules_.size() >= sources_->size();
  }
  if (!loaded) {
    advance(LifecycleEvent::load);
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
  advance(LifecycleEvent::end);
  end_tree();
  services_.failed_sources.remove(this);
  drop_sources();
  set_folder(nullptr);  // whoever keeps a handle keeps no file open
  {
    MutexLock lock(mutex_);
    destroyed_ = true;
    modules_.close();
    tree_.reset();
    dynamic_.reset();
  }
  journal_.close();
  advance(LifecycleEvent::ended);
  journal_.destroyed(services_.clock.wall_now() - created_);
  return true;
}

}  // namespace petri
