// The verbs that change whether a sandbox runs. Each has a turn from its first step to its last.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "sandbox/sandbox_core.h"
#include "sandbox/snapshots/state_restart.h"

namespace petri {

Result<void> SandboxCore::create(const SnapshotOrigin& origin) {
  SnapshotStart start = start_from(origin);
  return create_from(&start);
}

Result<void> SandboxCore::create_from(StartOrigin* origin) {
  const Operation operation(operation_);
  const Turn turn = control_.take();
  if (!standing_.must_exist())
    return fail(ErrorCode::cancelled, fmt::format("the sandbox {} was destroyed before it was made", id()));
  const Clock::TimePoint started = services_->clock.now();
  standing_.advance(LifecycleEvent::load);
  auto loaded = origin == nullptr ? sources_.load(code_.gate(), tree_spec_) : origin->load();
  if (loaded && origin != nullptr) loaded = sources_.link(tree_spec_, origin->way());
  if (!loaded && control_.is_to_end()) return activity_.give_up_start();
  if (!loaded) return standing_.fail_with(std::move(loaded.error()));
  if (origin != nullptr) sources_.drop();
  PETRI_TRY(start_tree(turn, origin));
  journal_.created(sources_.names().size(), environment_.account().processes(), services_->clock.now() - started,
                   origin == nullptr ? WayIn::create : origin->way());
  return {};
}

// Recovery does not answer callers: a start that fails is in the hands of whoever asked for it.
Result<void> SandboxCore::start_tree(const Turn& turn, StartOrigin* origin) {
  Result<void> started;
  {
    const ProcessStarts::From from(process_starts_, origin);
    started = activity_.start(turn);
    if (started && origin != nullptr) {
      started = origin->complete();
      if (!started) activity_.end(turn);
    }
  }
  if (started) return started;
  if (control_.is_to_end()) return activity_.give_up_start();
  return standing_.fail_with(std::move(started.error()), recovery_.last_failure());
}

Result<void> SandboxCore::stop() {
  const Operation operation(operation_);
  PETRI_TRY(may_be_ended_here());
  const Turn turn = activity_.take_turn_to_end();
  PETRI_TRY(standing_.must_exist());
  if (status() == SandboxStatus::stopped) return {};
  if (standing_.is_up()) {
    activity_.stop(turn);
  } else if (!recovery_.forget_retry()) {
    return fail(ErrorCode::rejected,
                fmt::format("the sandbox {} is {} and cannot be stopped", id(), name_of(status())));
  }
  standing_.advance(LifecycleEvent::ended);
  return {};
}

Result<void> SandboxCore::restart(const RestartOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(may_be_ended_here());
  if (options.keep_state) return restart_with_state();
  // Compilations end now, because their code would be started only to be ended; a reload is waited for.
  const Turn turn = status() == SandboxStatus::compiling ? activity_.take_turn_to_end() : control_.take();
  return start_again(turn, nullptr);
}

Result<void> SandboxCore::restart_with(const std::vector<ModuleSpec>& modules) {
  sources_.replace(modules);
  return restart();
}

Result<void> SandboxCore::restart_with_state() {
  const StateRestart with_state(snapshot_parts());
  PETRI_TRY(with_state.must_have_state());
  PETRI_TRY(const Claim claimed, reloads().claim(modules_.names()));
  std::optional<DeterministicQueue::Hold> hold(std::in_place, environment_.deterministic_queue());
  const Turn turn = control_.take();
  PETRI_TRY(const auto data, with_state.keep(turn));
  hold.reset();
  const SnapshotOrigin origin{.data = *data};
  SnapshotStart start = start_from(origin);
  return start_again(turn, &start);
}

Result<void> SandboxCore::start_again(const Turn& turn, StartOrigin* origin) {
  PETRI_TRY(standing_.must_exist());
  // Only its maker may start it the first time.
  if (status() == SandboxStatus::initializing) {
    return fail(ErrorCode::rejected, fmt::format("the sandbox {} is initializing and cannot be restarted", id()));
  }
  standing_.note_restart();
  recovery_.reset();
  containment_.reset();
  if (standing_.is_up() || status() == SandboxStatus::isolated) activity_.stop(turn);
  if (modules_.size() < sources_.names().size()) {
    standing_.advance(LifecycleEvent::load);
    auto again = sources_.load(code_.gate(), tree_spec_);
    if (!again && control_.is_to_end()) return activity_.give_up_start();
    if (!again) return standing_.fail_with(std::move(again.error()));
  }
  return start_tree(turn, origin);
}

// Touches what the runtime has for the last time: a handle that is kept keeps no file open, and no timer.
bool SandboxCore::destroy(std::string_view cause) {
  const Operation operation(operation_);
  control_.stop_loading();
  const Turn turn = activity_.take_turn_to_end();
  if (!standing_.must_exist()) return false;
  recovery_.forget_retry();
  end_for_good(turn, cause);
  return true;
}

bool SandboxCore::destroy_if_dead(std::string_view cause) {
  const Operation operation(operation_);
  const std::optional<Turn> turn = control_.try_take();
  if (!turn || !standing_.must_exist() || !is_dead() || recovery_.waits_to_retry()) return false;
  end_for_good(*turn, cause);
  return true;
}

void SandboxCore::end_for_good(const Turn& turn, std::string_view cause) {
  activity_.stop(turn);
  sources_.forget();
  environment_.close_folder();
  standing_.set_destroyed();
  modules_.close();
  trees_.close();
  journal_.close();
  standing_.advance(LifecycleEvent::ended);
  journal_.destroyed(services_->clock.wall_now() - created_, cause);
}

Result<SandboxCore::CloneSource> SandboxCore::clone_source() const {
  PETRI_TRY(standing_.must_exist());
  CloneSource like{.spec = {},
                   .traits = traits_,
                   .limits = *environment_.shared_account()->limits(),
                   .permissions = environment_.permissions()};
  like.spec.modules = *sources_.all();
  like.spec.tree = tree_spec_.spec();
  like.spec.labels = labels_.all();
  like.spec.generation = spec_.generation;
  like.spec.parents = {spec_.id};
  like.spec.seed = spec_.seed;
  like.spec.deterministic = spec_.deterministic;
  like.spec.tier = spec_.tier;
  like.spec.on_log = spec_.on_log;
  return like;
}

void SandboxCore::become_clone_of(const CloneSource& other) {
  environment_.set_limits(other.limits);
  environment_.granted().store(other.permissions);
}

}  // namespace petri
