#include "runtime/runtime_impl.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/text/byte_text.h"
#include "engine/give_back_memory.h"
#include "engine/sha256.h"
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
  registry.remove(core);
  if (was_there) ++destroyed;
  return was_there;
}

Result<Sandbox> Runtime::Impl::begin(CorePtr core, const SnapshotOrigin* origin) {
  PETRI_TRY(core->open_folder());
  CorePtr replaced;
  if (const CorePtr present = registry.add(core, replaced)) {
    return fail(already_exists(present->info()));
  }
  // Handles of the dead one may outlive the runtime.
  if (replaced != nullptr) replaced->destroy();
  auto created = origin == nullptr ? core->create() : core->create(*origin);
  // A record of one that failed can be restarted, but not with what the snapshot knew.
  if (!created && origin != nullptr && core->destroy()) registry.remove(*core);
  if (!created) return fail(std::move(created.error()));
  return Sandbox(std::move(core));
}

Result<Sandbox> Runtime::Impl::make_twin(const std::string& id, const SandboxCore::CloneSource& like,
                                         const SnapshotOrigin& origin, const std::vector<std::string>& labels) {
  PETRI_TRY(check_sandbox_id(id));
  PETRI_TRY(check_budget(budget.get()));
  SandboxSpec spec = like.spec;
  spec.id = id;
  for (const std::string& label : labels) {
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
    const auto submitted = batch_threads->submit([this, &on] {
      collector.collect("interval");
      collect_later(on);
    });
    if (!submitted) collect_later(on);
  });
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
