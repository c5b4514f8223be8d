// Questions about a sandbox. Nothing here waits for a guest or for structural work.
#include <algorithm>

#include "process/turns/process_time.h"
#include "sandbox/sandbox_core.h"

namespace petri {

SandboxInfo SandboxCore::info() const {
  SandboxInfo info{.id = spec_.id,
                   .profile = traits_->profile,
                   .limits = *environment_.shared_account()->limits(),
                   .on_limit = traits_->on_limit,
                   .permissions = environment_.permissions(),
                   .imports = traits_->imports,
                   .reject_findings = traits_->policy.reject_findings,
                   .audit = traits_->policy.audit,
                   .bounds = traits_->policy.bounds,
                   .recovery = traits_->recovery,
                   .reload = traits_->reload_policy(),
                   .breaker = containment_.breaker().state(),
                   .breaker_opened = containment_.breaker().opened(),
                   .breaker_options = traits_->breaker,
                   .generation = spec_.generation,
                   .idle_keep = traits_->idle_keep,
                   .dead_keep = traits_->dead_keep,
                   .parents = descent_.parents(),
                   .mutation = descent_.mutation(),
                   .depth = descent_.depth(),
                   .fitness = descent_.fitness(),
                   .kept = descent_.is_kept(),
                   .seed = spec_.seed,
                   .deterministic = spec_.deterministic,
                   .tier = spec_.tier,
                   .folder = traits_->folder,
                   .arguments = traits_->arguments,
                   .environment = traits_->environment,
                   .created = created_,
                   .late_answers = completions_.late(),
                   .completions_threw = completions_.threw(),
                   .usage = usage_.now()};
  info.modules = modules_.summaries();
  info.compile = source_news_.last_compile();
  info.watched = source_news_.watched();
  info.limits_met = journal_.limits_met();
  info.denied = journal_.denied();
  info.supervisor_restarts = processes_.supervisor_restarts();
  Standing::Facts facts = standing_.facts();
  info.status = facts.status;
  info.cause = std::move(facts.cause);
  info.failure = facts.failure;
  info.updated = facts.updated;
  info.restarts = facts.restarts;
  info.labels = labels_.all();
  info.tree = tree_spec_.spec();
  return info;
}

std::optional<Clock::TimePoint> SandboxCore::unused_since() const {
  const TreeAccount& account = *environment_.shared_account();
  if (account.messages() > 0 || account.timers() > 0 || run_table_.waiting() > 0 || !run_table_.started().empty())
    return std::nullopt;
  Clock::TimePoint last = std::max(standing_.changed_at(), run_table_.last_asked());
  for (const ProcessPtr& process : processes_.all()) {
    if (process->work_started_ns() > 0) return std::nullopt;
    last = std::max(last, to_time(process->last_work_ns()));
  }
  return last;
}

std::vector<ModulePlace> SandboxCore::module_places() const {
  std::vector<ModulePlace> places;
  for (const ModuleSummary& module : modules_.summaries()) places.push_back({module.name, module.path});
  if (!places.empty()) return places;
  for (const ModuleSpec& module : *sources_.all()) places.push_back({module.name, module.source.path()});
  return places;
}

Individual SandboxCore::individual() const {
  return {.id = spec_.id,
          .parents = descent_.parents(),
          .generation = spec_.generation,
          .mutation = descent_.mutation(),
          .labels = labels_.all(),
          .fitness = descent_.fitness(),
          .kept = descent_.is_kept(),
          .depth = descent_.depth(),
          .created = created_};
}

bool SandboxCore::matches(std::string_view label, std::optional<std::uint64_t> generation) const {
  if (generation && spec_.generation != generation) return false;
  return label.empty() || labels_.contains(label);
}

}  // namespace petri
