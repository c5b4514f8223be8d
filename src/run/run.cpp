#include "petri/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/module_size.h"
#include "host/guest/kill_flag.h"
#include "host/link.h"
#include "run/attempt.h"
#include "run/run_in.h"

namespace petri {
namespace {

// The longest time spent on compiling a module only to say where it trapped.
constexpr Clock::Duration kExplanationTimeMax = std::chrono::seconds(1);

// Compiled promotion comes with evaluations; a single run is over before it would pay.
Tier tier_for(Tier asked) { return asked == Tier::automatic ? Tier::interpreted : asked; }

Result<void> check_before(const ArtifactPtr& artifact, const RunSpec& spec, const std::stop_token& stop) {
  if (artifact == nullptr) return fail(ErrorCode::validation_failed, "there is no artifact to run");
  PETRI_TRY(check_run_spec(spec));
  PETRI_TRY(check_module_size(artifact->bytes().size(), spec.limits.module_bytes_max));
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the run was stopped before it began");
  return {};
}

Result<std::shared_ptr<Folder>> open_folder_of(const RunSpec& spec) {
  if (spec.folder.empty()) return nullptr;
  return Folder::open(spec.folder, spec.limits);
}

// True when a second pass changes nothing outside and can be expected to go the same way.
bool can_repeat(const RunSpec& spec, const Linked& linked, const AttemptResult& first) {
  const bool writes = !spec.folder.empty() && spec.permissions.has(Permission::file_write);
  return linked.repeatable && !writes && !first.waited;
}

bool agree(const Outcome& a, const Outcome& b) {
  return a.kind == b.kind && a.trap == b.trap && a.place == b.place && a.fuel_used == b.fuel_used;
}

using Load = std::function<Result<CodePtr>(Tier, Clock::Duration time_max)>;

// The interpreter keeps no trace. The compiled engine does, and does the same: what it finds explains both, if it
// really came to the same end. Both passes and what is compiled between them have the time of one run.
void explain_trap(const RunContext& run, const Load& load, Outcome& outcome) {
  const Clock::TimePoint until = run.clock.now() + run.spec.limits.execution_time_max - outcome.wall_time;
  const auto left = [&] { return until - run.clock.now(); };
  if (left() <= Clock::Duration::zero()) return;
  const auto compiled = load(Tier::compiled, std::min(left(), kExplanationTimeMax));
  if (!compiled || left() <= Clock::Duration::zero()) return;
  auto again = attempt(run, **compiled, {.callbacks = Callbacks::silent, .time_max = left()});
  if (again && agree(outcome, again->outcome)) outcome.backtrace = std::move(again->outcome.backtrace);
}

bool needs_explanation(const RunSpec& spec, const Outcome& outcome) {
  return spec.backtrace && outcome.kind == OutcomeKind::trapped && outcome.tier == Tier::interpreted &&
         outcome.place != Place::instantiate;
}

}  // namespace

Result<Outcome> run_in(const RunSurroundings& around, const ArtifactPtr& artifact, const HostFunctions& host,
                       const RunSpec& spec, const std::stop_token& stop) {
  PETRI_TRY(check_before(artifact, spec, stop));
  const LoadableArtifact& module = loadable(*artifact);
  PETRI_TRY(const RunTarget target, find_run_target(module, spec));
  const Neighbours neighbours = around.load ? Neighbours::may_be : Neighbours::none;
  PETRI_TRY(const Linked linked, link(module, host, spec.permissions, neighbours));
  std::shared_ptr<Folder> folder = around.folder;
  if (folder == nullptr) {
    PETRI_TRY(folder, open_folder_of(spec));
  }
  const Load load = [&](Tier tier, Clock::Duration time_max) {
    LoadOptions options{.compile = spec.compile, .stop = stop};
    options.compile.time_max = std::min(options.compile.time_max, time_max);
    return around.load ? around.load(tier, options) : module.load(tier, linked.imports, options);
  };
  PETRI_TRY(const CodePtr code, load(tier_for(spec.tier), spec.compile.time_max));

  KillFlag kill;
  const std::stop_callback on_stop(stop, [&kill] { kill.raise(); });
  const RunContext run{.artifact = module,
                       .spec = spec,
                       .target = target,
                       .folder = std::move(folder),
                       .clock = around.clock,
                       .account = around.account,
                       .granted = around.granted,
                       .ending_limits = around.ending_limits,
                       .stacks = around.stacks,
                       .turns = around.turns,
                       .interrupt = kill.flag()};
  PETRI_TRY(AttemptResult result, attempt(run, *code, {.time_max = spec.limits.execution_time_max}));
  if (needs_explanation(spec, result.outcome) && can_repeat(spec, linked, result)) {
    explain_trap(run, load, result.outcome);
  }
  return std::move(result.outcome);
}

Result<Outcome> run(const ArtifactPtr& artifact, const HostFunctions& host, const RunSpec& spec, std::stop_token stop) {
  static const SystemClock clock;
  return run_in({.clock = clock}, artifact, host, spec, stop);
}

}  // namespace petri
