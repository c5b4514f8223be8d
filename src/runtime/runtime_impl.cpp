#include "runtime/runtime_impl.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/text/byte_text.h"
#include "engine/give_back_memory.h"
#include "engine/sha256.h"
#include "population/individual_check.h"
#include "sandbox/spec/spec_check.h"

namespace petri {
namespace {

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

MetricLabels metric_labels() {
  MetricLabels labels;
  for (const LimitRule& rule : sandbox_limit_rules()) labels.limits.push_back(rule.name);
  for (const Permission permission : all_permissions()) labels.permissions.push_back(name_of(permission));
  return labels;
}

// By the parent's seed and the fork's own id, so that forking again gives the same numbers on every machine.
std::uint64_t fork_seed(std::uint64_t parent, std::string_view id) {
  const auto hash = sha256(as_bytes(id));
  std::uint64_t own = 0;
  for (std::size_t byte = 0; byte < sizeof own; ++byte) own |= std::uint64_t{hash.bytes[byte]} << (8 * byte);
  return parent ^ own;
}

// Parents that are gone count for one step.
std::uint64_t depth_below(const Registry& registry, const std::vector<std::string>& parents) {
  std::uint64_t depth = parents.empty() ? 0 : 1;
  for (const std::string& parent : parents) {
    if (const CorePtr core = registry.find(parent)) depth = std::max(depth, core->descent().depth() + 1);
  }
  return depth;
}

Error already_exists(const SandboxInfo& present) {
  const std::string_view status = name_of(present.status);
  return Error{.code = ErrorCode::already_exists,
               .message = fmt::format("there is a sandbox {} already, and it is {}", present.id, status),
               .details = {}}
      .with("status", std::string(status))
      .with("cause", present.cause)
      .with("restarts", std::to_string(present.restarts))
      .with("supervisor_restarts", std::to_string(present.supervisor_restarts))
      .with("processes", std::to_string(present.usage.processes));
}

}  // namespace

Runtime::Impl::Impl(RuntimeOptions given)
    : options(std::move(given)),
      clock(options.clock == nullptr ? system_clock() : *options.clock),
      events(clock),
      quarantine(options.quarantine),
      metrics(metric_labels()),
      descriptors(std::make_shared<DescriptorPool>(options.descriptors_max > 0
                                                       ? options.descriptors_max
                                                       : DescriptorPool::of_this_process(options.descriptors_reserve))),
      promoter({.fuel = options.promote_fuel,
                .fuel_per_byte = options.promote_fuel_per_byte,
                .time_max = options.promotion_time_max,
                .compile = options.compile,
                .on_unavailable = [this](const Error& error) { report_unavailable(error); }},
               clock, compiled),
      code(options.host, promoter, options.promote_instances, options.compile) {}

void Runtime::Impl::make_services() {
  services = std::make_shared<const SandboxServices>(SandboxServices{.workers = *workers,
                                                                     .guest_threads = *guest_threads,
                                                                     .timers = *timers,
                                                                     .clock = clock,
                                                                     .events = events,
                                                                     .artifacts = artifacts,
                                                                     .code = code,
                                                                     .host = options.host,
                                                                     .audit = *audit,
                                                                     .quarantine = quarantine,
                                                                     .blocked = blocked,
                                                                     .metrics = metrics,
                                                                     .budget = budget.get(),
                                                                     .descriptors = descriptors,
                                                                     .failed_sources = failed_sources,
                                                                     .retrace_budget = retrace_budget,
                                                                     .under_way = under_way,
                                                                     .samples_max = options.samples_max,
                                                                     .compiler = &compiler});
}

void Runtime::Impl::make_budget() {
  if (options.memory_budget_bytes == 0) return;
  budget = std::make_unique<MemoryBudget>(options.memory_budget_bytes,
                                          [this](const MemoryBudget::Pressure& pressure) { report(pressure); });
}

void Runtime::Impl::report(const MemoryBudget::Pressure& pressure) {
  const std::string_view state = pressure.spent ? "spent" : "relieved";
  if (pressure.spent) metrics.host_pressure();
  events.publish(EventKind::host_pressure, {}, [&](Event& event) {
    event.add("state", state).add("allowed", pressure.allowed).add("seen", pressure.used);
  });
  audit->append(AuditLevel::basic, {.kind = AuditKind::host_pressure, .sandbox = {}, .cause = state},
                {{"allowed", pressure.allowed}, {"seen", pressure.used}});
}

void Runtime::Impl::report_unavailable(const Error& error) {
  metrics.compiling_unavailable();
  events.publish(EventKind::compiling_unavailable, {}, [&](Event& event) { event.add("message", error.message); });
}

Evaluator& Runtime::Impl::evaluator() {
  MutexLock lock(evaluator_mutex);
  if (evaluator_made == nullptr) {
    evaluation_threads = std::make_unique<SharedThreads>(*workers, options.workers);
    evaluator_made = EvaluatorAccess::create(options.host,
                                             {.promote_fuel = options.promote_fuel,
                                              .promote_fuel_per_byte = options.promote_fuel_per_byte,
                                              .promotion_time_max = options.promotion_time_max,
                                              .compile = options.compile},
                                             *evaluation_threads);
  }
  return *evaluator_made;
}

Result<Watches*> Runtime::Impl::watches() {
  MutexLock lock(watches_mutex);
  if (watches_made == nullptr) {
    PETRI_TRY(watches_made,
              Watches::create(
                  {.compiler = compiler, .events = events, .metrics = metrics, .timers = *timers, .clock = clock}));
  }
  return watches_made.get();
}

void Runtime::Impl::end_watches() {
  std::unique_ptr<Watches> ended;
  MutexLock lock(watches_mutex);
  ended.swap(watches_made);
}

// A sandbox that does not watch what its spec says is not the one that was asked for.
Result<void> Runtime::Impl::watch_from_the_start(const CorePtr& core) {
  const auto watch = [&]() -> Result<void> {
    PETRI_TRY(Watches* const all, watches());
    PETRI_TRY(all->watch_modules(core, {}));
    return {};
  };
  auto result = watch();
  if (!result) destroy(*core);
  return result;
}

void Runtime::Impl::forget_watches(SandboxCore& core) {
  MutexLock lock(watches_mutex);
  if (watches_made != nullptr) watches_made->forget(core);
}

std::size_t Runtime::Impl::watched() {
  MutexLock lock(watches_mutex);
  return watches_made == nullptr ? 0 : watches_made->size();
}

void Runtime::Impl::count(const Evaluation& evaluation) {
  metrics.evaluation_ended();
  for (const Record& record : evaluation.records) {
    if (record.outcome) metrics.candidate_ended(*record.outcome);
    if (record.error && record.error != ErrorCode::cancelled) metrics.candidate_failed(*record.error);
  }
}

Result<CorePtr> Runtime::Impl::make_core(SandboxSpec given) {
  const SandboxSpec& defaults = options.defaults;
  SandboxSpec spec = with_defaults(std::move(given), defaults);
  PETRI_TRY(SandboxPolicy policy, check_spec(spec, defaults.limits, options.host));
  PETRI_TRY(check_budget(budget.get()));
  auto shared = traits.share(take_traits(spec, std::move(policy)));
  return std::make_shared<SandboxCore>(services, std::move(spec), std::move(shared));
}

bool Runtime::Impl::destroy(SandboxCore& core) {
  const bool was_there = core.destroy();
  forget_watches(core);
  registry.remove(core);
  if (was_there) ++destroyed;
  return was_there;
}

Result<Sandbox> Runtime::Impl::begin(CorePtr core, const SnapshotOrigin* origin) {
  PETRI_TRY(core->open_folder());
  core->descent().set_depth(depth_below(registry, core->descent().parents()));
  CorePtr replaced;
  if (const CorePtr present = registry.add(core, replaced)) {
    return fail(already_exists(present->info()));
  }
  // Handles of the dead one may outlive the runtime.
  if (replaced != nullptr) {
    replaced->destroy();
    forget_watches(*replaced);
  }
  auto created = origin == nullptr ? core->create() : core->create(*origin);
  // A record of one that failed can be restarted, but not with what the snapshot knew.
  if (!created && origin != nullptr && core->destroy()) registry.remove(*core);
  if (!created) return fail(std::move(created.error()));
  if (core->wants_auto_reload()) PETRI_TRY(watch_from_the_start(core));
  return Sandbox(std::move(core));
}

Result<Sandbox> Runtime::Impl::make_twin(const std::string& id, const SandboxCore::CloneSource& like,
                                         const SnapshotOrigin& origin, const ForkOptions& fork) {
  PETRI_TRY(check_sandbox_id(id));
  PETRI_TRY(check_budget(budget.get()));
  SandboxSpec spec = like.spec;
  spec.id = id;
  if (fork.generation) spec.generation = fork.generation;
  spec.mutation = fork.mutation;
  if (!spec.mutation.empty()) PETRI_TRY(check_population_text(spec.mutation, "the mutation", kMutationBytesMax));
  for (const std::string& label : fork.labels) {
    PETRI_TRY(check_label(label));
    if (std::ranges::find(spec.labels, label) == spec.labels.end()) spec.labels.push_back(label);
  }
  if (!origin.share_random) spec.seed = fork_seed(spec.seed.value_or(0), id);
  auto core = std::make_shared<SandboxCore>(services, std::move(spec), like.traits);
  core->become_clone_of(like);
  return begin(std::move(core), &origin);
}

void Runtime::Impl::sample_later(Timers& on) {
  if (options.sampling_interval.count() == 0) return;
  on.at(clock.now() + options.sampling_interval, [this, &on] {
    for (const CorePtr& core : registry.all()) {
      if (is_up(core->status())) core->usage().sample();
    }
    give_back_if_quiet();
    sample_later(on);
  });
}

// The next one is due an interval after this one has ended.
void Runtime::Impl::collect_later(Timers& on) {
  if (options.gc_interval.count() == 0) return;
  on.at(clock.now() + options.gc_interval, [this, &on] {
    const MutexLock lock(ending_mutex);
    if (collections_ended) return;
    const auto submitted = batch_threads->submit([this, &on] {
      collector.collect("interval");
      collect_later(on);
    });
    if (!submitted) collect_later(on);
  });
}

void Runtime::Impl::end_collections() {
  const MutexLock lock(ending_mutex);
  collections_ended = true;
}

void Runtime::Impl::give_back_if_quiet() {
  const std::uint64_t now = destroyed.load();
  const bool quiet = now == destroyed_before;
  destroyed_before = now;
  if (!quiet || given_back_at == now) return;
  given_back_at = now;
  workers->submit([] { give_back_memory(); });
}

}  // namespace petri
