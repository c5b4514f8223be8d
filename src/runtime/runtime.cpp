#include "petri/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

#include "base/access.h"
#include "engine/give_back_memory.h"
#include "runtime/clock_moved.h"
#include "runtime/live_population.h"
#include "runtime/no_sandbox.h"
#include "runtime/options_check.h"
#include "runtime/runtime_impl.h"
#include "sandbox/snapshots/snapshot_data.h"
#include "sandbox/spec/spec_check.h"

namespace petri {
namespace {

// One place for what sandboxes have by default.
void complete_defaults(RuntimeOptions& options) {
  fill_in(options.defaults.limits, options.limits);
  if (!options.defaults.breaker) options.defaults.breaker = options.breaker;
  if (!options.defaults.dead_keep) options.defaults.dead_keep = options.dead_keep;
}

std::uint64_t fuel_of(const Evaluation& evaluation) {
  std::uint64_t fuel = 0;
  for (const Record& record : evaluation.records) fuel += record.fuel_used;
  return fuel;
}

}  // namespace

Runtime::Runtime(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Runtime>> Runtime::create(RuntimeOptions options) {
  Complaints complaints;
  check_options(options, complaints);
  PETRI_TRY(complaints.result());
  if (options.workers == 0) options.workers = std::max(1U, std::thread::hardware_concurrency());
  complete_defaults(options);
  bound_kept_memory();
  auto impl = std::make_unique<Impl>(std::move(options));
  PETRI_TRY(impl->audit, AuditLog::create(impl->options.audit, impl->clock));
  impl->make_budget();
  PETRI_TRY(impl->workers,
            Workers::create({.workers = impl->options.workers, .threads_max = impl->options.threads_max}));
  const std::size_t threads_max = impl->options.threads_max;
  impl->guest_threads = std::make_unique<GuestThreads>(*impl->workers, threads_max,
                                                       std::min(impl->options.threads_reserve, threads_max / 2));
  PETRI_TRY(impl->timers, Timers::create(impl->clock));
  impl->batch_threads =
      std::make_unique<ThreadPool>(ThreadPool::Options{.name = "petri-batch",
                                                       .threads_max = std::max<std::size_t>(threads_max, 1),
                                                       .idle_max = std::size_t{4} * impl->options.workers});
  impl->promoter.prepare();  // calls find out that something is hot, and would wait for its thread
  impl->make_services();
  impl->sample_later(*impl->timers);
  impl->collect_later(*impl->timers);
  return std::unique_ptr<Runtime>(new Runtime(std::move(impl)));
}

// All end at once, and none waits for another's shutdown time. Timers first: they ask for work, and nothing asks for
// timers once no guest runs. What all of this has freed is not kept for a runtime that may never come.
Runtime::~Runtime() {
  for (const CorePtr& core : impl_->registry.all()) core->begin_destroy();
  impl_->end_watches();
  for (const CorePtr& core : impl_->registry.all()) impl_->destroy(*core);
  impl_->end_collections();
  impl_->batch_threads.reset();  // rows that came too late undo what they did
  impl_->under_way->wait_until_none();
  impl_->timers.reset();
  impl_->workers.reset();
  const bool had_sandboxes = impl_->destroyed > 0;
  impl_.reset();
  if (had_sandboxes) give_back_memory();
}

Result<Sandbox> Runtime::create_sandbox(SandboxSpec given) {
  PETRI_TRY(CorePtr core, impl_->make_core(std::move(given)));
  return impl_->begin(std::move(core), nullptr);
}

Result<Sandbox> Runtime::create_sandbox(SandboxSpec given, const Snapshot& snapshot) {
  const SandboxSpec& defaults = impl_->options.defaults;
  const SnapshotData& data = detail::Access::data(snapshot);
  if (!given.tree) given.tree = data.tree;
  SandboxSpec spec = with_defaults(std::move(given), defaults);
  spec.modules.clear();
  for (const SavedModule& module : data.modules) {
    spec.modules.push_back({module.name, Source::artifact(module.active_version().artifact)});
  }
  PETRI_TRY(SandboxPolicy policy, check_spec(spec, defaults.limits, impl_->options.host));
  PETRI_TRY(check_limits(data, policy.limits));
  PETRI_TRY(check_budget(impl_->budget.get()));
  auto traits = impl_->traits.share(take_traits(spec, std::move(policy)));
  const SnapshotOrigin origin{.data = data};
  return impl_->begin(std::make_shared<SandboxCore>(impl_->services, std::move(spec), std::move(traits)), &origin);
}

std::vector<Result<Sandbox>> Runtime::fork(std::string_view id, const std::vector<std::string>& twins,
                                           const ForkOptions& options) {
  const auto all_fail = [&](const Error& error) {
    return std::vector<Result<Sandbox>>(twins.size(), Result<Sandbox>(fail(error)));
  };
  const CorePtr core = impl_->registry.find(id);
  if (core == nullptr) return all_fail(no_sandbox(id).error());
  const auto like = core->clone_source();
  if (!like) return all_fail(like.error());
  const auto snapshot = core->snapshots().snapshot();
  if (!snapshot) return all_fail(snapshot.error());
  const SnapshotOrigin origin{.data = detail::Access::data(*snapshot),
                              .share_random = options.share_random,
                              .timers = options.timers,
                              .way = WayIn::fork};
  std::vector<Result<Sandbox>> made;
  for (const std::string& twin : twins) made.push_back(impl_->make_twin(twin, *like, origin, options));
  return made;
}

Result<Sandbox> Runtime::fork(std::string_view id, std::string_view twin, const ForkOptions& options) {
  return std::move(fork(id, std::vector<std::string>{std::string(twin)}, options).front());
}

Result<Sandbox> Runtime::find(std::string_view id) const {
  CorePtr core = impl_->registry.find(id);
  if (core == nullptr) return no_sandbox(id);
  return Sandbox(std::move(core));
}

SandboxPage Runtime::list(const SandboxQuery& query) const {
  SandboxPage page;
  if (!query.status && query.label.empty() && !query.generation) {
    for (const CorePtr& core : impl_->registry.page(query.offset, query.limit, page.total)) {
      page.sandboxes.push_back(core->info());
    }
    return page;
  }
  for (const CorePtr& core : impl_->registry.all()) {
    if (query.status && core->status() != *query.status) continue;
    if (!core->matches(query.label, query.generation)) continue;
    if (page.total++ < query.offset || page.sandboxes.size() >= query.limit) continue;
    page.sandboxes.push_back(core->info());
  }
  return page;
}

Population Runtime::population() const {
  return Population(std::make_shared<LivePopulation>(impl_->shared_registry), std::string(kLivePopulation));
}

Result<SandboxInfo> Runtime::info(std::string_view id) const {
  const CorePtr core = impl_->registry.find(id);
  if (core == nullptr) return no_sandbox(id);
  return core->info();
}

Result<void> Runtime::stop(std::string_view id) {
  const CorePtr core = impl_->registry.find(id);
  if (core == nullptr) return no_sandbox(id);
  return core->stop();
}

Result<void> Runtime::restart(std::string_view id, const RestartOptions& options) {
  const CorePtr core = impl_->registry.find(id);
  if (core == nullptr) return no_sandbox(id);
  return core->restart(options);
}

Result<void> Runtime::destroy(std::string_view id) {
  const CorePtr core = impl_->registry.find(id);
  if (core == nullptr) return no_sandbox(id);
  PETRI_TRY(core->may_be_ended_here());
  if (!impl_->destroy(*core)) return no_sandbox(id);
  return {};
}

Result<Evaluation> Runtime::evaluate(std::span<const Candidate> candidates, std::span<const Case> cases,
                                     const EvaluationSpec& spec, const EvaluationOptions& options) {
  const EventSubject about = {.correlation = impl_->events.new_correlation()};
  const auto name_it = [&](Event& event) -> Event& {
    return event.add("function", spec.function).add("rows", candidates.size()).add("cases", cases.size());
  };
  impl_->events.publish(EventKind::evaluate_start, about, [&](Event& event) { name_it(event); });
  const Clock::TimePoint started = impl_->clock.now();
  auto evaluation = impl_->evaluator().evaluate(candidates, cases, spec, options);
  const auto took = impl_->clock.now() - started;
  if (!evaluation) {
    impl_->metrics.evaluation_failed();
    impl_->events.publish(EventKind::evaluate_exception, about, [&](Event& event) {
      name_it(event).add("error", name_of(evaluation.error().code)).add("message", evaluation.error().message);
      event.add("duration_ns", took);
    });
    return evaluation;
  }
  impl_->count(*evaluation);
  impl_->events.publish(EventKind::evaluate_stop, about, [&](Event& event) {
    const EvaluationCounts& counts = evaluation->counts;
    name_it(event).add("evaluated", counts.evaluated).add("repeated", counts.repeated);
    event.add("cache_hits", counts.cache_hits).add("cancelled", counts.cancelled).add("promoted", counts.promoted);
    event.add("fuel_used", fuel_of(*evaluation)).add("duration_ns", took);
  });
  return evaluation;
}

CollectionReport Runtime::collect() { return impl_->collector.collect("collect"); }

Result<Subscription> Runtime::subscribe(SubscriptionOptions options) {
  return impl_->events.subscribe(std::move(options));
}

std::string Runtime::metrics() const {
  const AuditStatus audit = impl_->audit->status();
  MetricsNow now{.artifacts = impl_->artifacts.size(),
                 .threads = impl_->workers->threads(),
                 .workers = impl_->options.workers,
                 .audit_entries = audit.entries,
                 .audit_lost = audit.lost,
                 .audit_file_lost = audit.file_lost,
                 .events = impl_->events.counts()};
  std::map<SandboxStatus, std::uint64_t> by_status;
  for (const CorePtr& core : impl_->registry.all()) {
    ++by_status[core->status()];
    const Usage usage = core->usage().now();
    now.processes += usage.processes;
    now.memory_bytes += usage.memory_bytes + usage.host_bytes;
  }
  for (const SandboxStatus status : all_sandbox_statuses())
    now.sandboxes.push_back({name_of(status), by_status[status]});
  return to_prometheus(impl_->metrics, now);
}

std::vector<QuarantinedArtifact> Runtime::quarantined() const {
  const Clock::TimePoint now = impl_->clock.now();
  std::vector<QuarantinedArtifact> artifacts;
  for (const Quarantine::Place& place : impl_->quarantine.all(now))
    artifacts.push_back({place.artifact, place.sandbox, place.entry.cause, place.entry.until - now});
  return artifacts;
}

Result<void> Runtime::lift_quarantine(const ArtifactId& artifact) {
  if (!impl_->quarantine.lift(artifact, impl_->clock.now())) {
    return fail(ErrorCode::not_found, fmt::format("the artifact {} is not in quarantine", artifact.hex()));
  }
  impl_->audit->append(AuditLevel::basic, {.kind = AuditKind::quarantined, .sandbox = {}, .cause = "lifted"},
                       {{"artifact", artifact.hex()}});
  return {};
}

AuditPage Runtime::audit(const AuditQuery& query) const { return impl_->audit->query(query); }

AuditStatus Runtime::audit_status() const { return impl_->audit->status(); }

AuditVerification Runtime::verify_audit() const { return impl_->audit->verify(); }

Result<void> Runtime::flush_audit() { return impl_->audit->flush(); }

RuntimeInfo Runtime::info() const {
  const RuntimeOptions& options = impl_->options;
  RuntimeInfo info{.workers = options.workers,
                   .threads = impl_->workers->threads(),
                   .sandboxes = impl_->registry.size(),
                   .artifacts = impl_->artifacts.size(),
                   .memory_budget_bytes = options.memory_budget_bytes,
                   .descriptors = impl_->descriptors->used(),
                   .descriptors_max = impl_->descriptors->allowed(),
                   .quarantined = impl_->quarantine.size(impl_->clock.now()),
                   .blocked = impl_->blocked.size(),
                   .threads_max = options.threads_max,
                   .threads_reserve = options.threads_reserve,
                   .descriptors_reserve = options.descriptors_reserve,
                   .sampling_interval = options.sampling_interval,
                   .samples_max = options.samples_max,
                   .promote_fuel = options.promote_fuel,
                   .promote_fuel_per_byte = options.promote_fuel_per_byte,
                   .promote_instances = options.promote_instances,
                   .promotion_time_max = options.promotion_time_max,
                   .compile = options.compile,
                   .audit = options.audit,
                   .quarantine = options.quarantine,
                   .gc_interval = options.gc_interval,
                   .gc_retain_generations = options.gc_retain_generations,
                   .defaults = options.defaults};
  info.watched = impl_->watched();
  for (const CorePtr& core : impl_->registry.all()) {
    const Usage usage = core->usage().now();
    info.memory_bytes += usage.memory_bytes + usage.host_bytes;
  }
  return info;
}

void clock_moved(Runtime& runtime) { detail::Access::impl(runtime).timers->wake(); }

}  // namespace petri
