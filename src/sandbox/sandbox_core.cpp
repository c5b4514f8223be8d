// The wiring of a sandbox: the parts that are members, and those that are made where they are asked for.
#include "sandbox/sandbox_core.h"

#include <utility>

#include "sandbox/recovery/trial_undo.h"

namespace petri {

SandboxCore::SandboxCore(SandboxServicesPtr services, SandboxSpec spec, SandboxTraitsPtr traits)
    : services_(std::move(services)),
      under_way_(services_->under_way),
      spec_{.id = std::move(spec.id),
            .generation = spec.generation,
            .seed = spec.seed.value_or(0),
            .deterministic = spec.deterministic.value_or(false),
            .auto_reload = spec.auto_reload.value_or(false),
            .tier = spec.tier.value_or(Tier::automatic),
            .on_log = std::move(spec.on_log)},
      traits_(std::move(traits)),
      created_(services_->clock.wall_now()),
      environment_({.services = *services_,
                    .spec = spec_,
                    .traits = traits_,
                    .keeper = *this,
                    .modules = modules_,
                    .processes = processes_,
                    .ends = ends_,
                    .trees = trees_,
                    .timers = timers_,
                    .journal = journal_,
                    .completions = completions_}),
      timers_(environment_, services_->timers),
      modules_(spec_.id, created_),
      journal_(services_->journal, environment_, spec_.id, traits_->policy.audit, operation_),
      standing_(spec_.id, services_->clock, journal_, created_),
      control_(services_->workers, environment_.threads(), spec_.tier),
      processes_(spec_.id, standing_),
      containment_({.sandbox = spec_.id,
                    .clock = services_->clock,
                    .modules = modules_,
                    .quarantine = services_->quarantine,
                    .journal = journal_},
                   traits_->breaker),
      calls_({.sandbox = spec_.id,
              .owner = environment_,
              .processes = processes_,
              .runs = run_table_,
              .containment = containment_,
              .completions = completions_,
              .timers = services_->timers}),
      usage_({.standing = standing_,
              .processes = processes_,
              .account = environment_.account(),
              .threads = services_->guest_threads,
              .share = environment_.threads(),
              .clock = services_->clock,
              .journal = journal_},
             services_->samples_max),
      labels_(spec_.id, std::move(spec.labels)),
      descent_(std::move(spec.parents), std::move(spec.mutation)),
      sources_({.services = environment_, .failed = services_->failed_sources, .table = modules_, .journal = journal_},
               std::move(spec.modules)),
      tree_spec_(std::move(spec.tree), sources_, modules_),
      ends_({.processes = processes_,
             .trees = trees_,
             .recovery = recovery_,
             .containment = containment_,
             .trials = *this,
             .account = environment_.account(),
             .journal = journal_}),
      process_starts_({.workers = services_->workers,
                       .standing = standing_,
                       .modules = modules_,
                       .gate = starts_,
                       .processes = processes_,
                       .ends = ends_,
                       .journal = journal_},
                      spec_.id),
      trees_({.owner = environment_,
              .timers = services_->timers,
              .control = control_,
              .processes = processes_,
              .spec = tree_spec_,
              .starts = process_starts_,
              .news = recovery_}),
      code_({.services = *services_,
             .spec = spec_,
             .traits = traits_,
             .environment = environment_,
             .standing = standing_,
             .control = control_,
             .trees = trees_,
             .tree_spec = tree_spec_,
             .journal = journal_,
             .news = source_news_}),
      activity_({.standing = standing_,
                 .control = control_,
                 .trees = trees_,
                 .processes = processes_,
                 .runs = run_table_,
                 .journal = journal_},
                spec_.id),
      recovery_({.rule = traits_->recovery,
                 .timers = services_->timers,
                 .standing = standing_,
                 .control = control_,
                 .activity = activity_,
                 .trees = trees_,
                 .processes = processes_,
                 .modules = modules_,
                 .decisions = decisions_,
                 .operation = operation_,
                 .host = *this,
                 .journal = journal_}) {}

SandboxCore::~SandboxCore() = default;

// ---- parts that are made where they are asked for ---------------------------------------------------------------

SandboxRuns SandboxCore::runs() {
  return SandboxRuns({.sandbox = spec_.id,
                      .services = *services_,
                      .traits = *traits_,
                      .tier = spec_.tier,
                      .owner = environment_,
                      .account = environment_.shared_account(),
                      .standing = standing_,
                      .control = control_,
                      .gates = code_,
                      .modules = modules_,
                      .containment = containment_,
                      .journal = journal_,
                      .operation = operation_,
                      .completions = completions_,
                      .table = run_table_});
}

LiveLimits SandboxCore::live_limits() {
  return LiveLimits({.owner = environment_,
                     .timers = services_->timers,
                     .journal = journal_,
                     .standing = standing_,
                     .processes = processes_,
                     .runs = run_table_,
                     .modules = modules_,
                     .folder = environment_.folder(),
                     .granted = environment_.granted(),
                     .profile = traits_->profile});
}

ChildVerbs SandboxCore::child_verbs() {
  return ChildVerbs({.sandbox = spec_.id,
                     .owner = environment_,
                     .account = environment_.shared_account(),
                     .budget = services_->budget,
                     .operation = operation_,
                     .standing = standing_,
                     .modules = modules_,
                     .trees = trees_,
                     .spec = tree_spec_});
}

Reloads::Parts SandboxCore::reloads_parts() {
  return {.sandbox = spec_.id,
          .policy = traits_->reload_policy(),
          .operation = operation_,
          .standing = standing_,
          .control = control_,
          .aftermath = {.standing = standing_,
                        .trees = code_,
                        .processes = processes_,
                        .owner = environment_,
                        .decisions = decisions_},
          .reload = {.host = code_,
                     .owner = environment_,
                     .modules = modules_,
                     .timers = timers_,
                     .journal = journal_,
                     .starts = starts_}};
}

StateDocuments SandboxCore::state_documents() {
  return StateDocuments({.policy = traits_->reload_policy(),
                         .owner = environment_,
                         .processes = processes_,
                         .aftermath = reloads_parts().aftermath});
}

Snapshots::Parts SandboxCore::snapshot_parts() {
  return {.trees = trees_,
          .spec = tree_spec_,
          .account = environment_.shared_account(),
          .processes = processes_,
          .code = reloads_parts()};
}

SnapshotStart SandboxCore::start_from(const SnapshotOrigin& origin) {
  return SnapshotStart({.trees = trees_,
                        .spec = tree_spec_,
                        .account = environment_.shared_account(),
                        .processes = processes_,
                        .code = reloads_parts().reload},
                       origin);
}

// ---- what parts ask of the whole --------------------------------------------------------------------------------

bool SandboxCore::begin_rollback(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                                 std::function<void()>& then) {
  return TrialUndo(reloads_parts(), decisions_).start(process, trial, how, then);
}

Result<void> SandboxCore::roll_back(const std::vector<std::string>& modules) {
  ModuleChanges changes;
  for (const std::string& name : modules) {
    PETRI_TRY(changes.emplace_back(), modules_.change_to_kept(name, 0, {}));
  }
  ReloadTerms terms{.policy = {}, .news = {.cause = SwitchCause::recovery, .actor = "petri"}};
  Reload back(reloads_parts().reload, std::move(terms), std::move(changes));
  PETRI_TRY(back.link());
  for (const ModuleChange& change : back.changes()) PETRI_TRY(back.check(change));
  modules_.commit_without_state(back.changes(), back.commit_terms());
  for (const ModuleChange& change : back.changes()) {
    if (!change.is_relink()) journal_.module_recovered(change.name, change.from_number, change.to_number);
  }
  return {};
}

}  // namespace petri
