#include "sandbox/calls/sandbox_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/access.h"
#include "process/turns/process_time.h"
#include "process/turns/run_turns.h"
#include "run/run_in.h"

namespace petri {
namespace {

// The name of a run's guest in the log.
constexpr std::string_view kRunName = "run";

// The bytes that a waiting run takes: its place, its arguments and its input.
std::uint64_t bytes_of_run(const std::vector<Value>& arguments, const RunOptions& options) {
  constexpr std::uint64_t kRun = 1'024;
  return kRun + arguments.size() * sizeof(Value) + options.input.size();
}

bool ends_at_output_limit(const LimitActions& on_limit) {
  const auto asked = on_limit.find("output_bytes_max");
  return asked == on_limit.end() || asked->second == OnLimit::kill;
}

// The run was ended because its time is shorter than it was when it started.
void set_late(Outcome& outcome) {
  outcome.kind = OutcomeKind::deadline;
  outcome.cause = "execution_time_max";
}

}  // namespace

// ---- now or later ---------------------------------------------------------------------------------------------

Result<Outcome> SandboxRuns::run(std::string_view module, std::string_view function, std::vector<Value> arguments,
                                 const RunOptions& options) const {
  PETRI_TRY(parts_.standing.must_exist());
  return run_now([&](SandboxRun& run) { return run_module(module, function, std::move(arguments), options, run); });
}

Result<Outcome> SandboxRuns::run(const Source& source, std::string_view function, std::vector<Value> arguments,
                                 const RunOptions& options) const {
  PETRI_TRY(parts_.standing.must_exist());
  return run_now([&](SandboxRun& run) { return run_source(source, function, std::move(arguments), options, run); });
}

// The caller waits for it, so it needs no room of its own.
Result<Outcome> SandboxRuns::run_now(const RunWork& work) const {
  const auto run = std::make_shared<SandboxRun>();
  run->asked = parts_.services.clock.now();
  run->started_ns.store(to_ns(run->asked));
  parts_.table.add(run, std::numeric_limits<std::uint64_t>::max());
  auto outcome = carry_out(work, *run);
  parts_.table.remove(run);
  return outcome;
}

Result<std::uint64_t> SandboxRuns::run_async(std::string_view module, std::string_view function,
                                             std::vector<Value> arguments, RunOptions options,
                                             Completion completion) const {
  const std::uint64_t bytes = bytes_of_run(arguments, options);
  return run_later(bytes, std::move(completion),
                   [runs = *this, module = std::string(module), function = std::string(function),
                    arguments = std::move(arguments), options = std::move(options)](SandboxRun& run) {
                     return runs.run_module(module, function, arguments, options, run);
                   });
}

Result<std::uint64_t> SandboxRuns::run_async(const Source& source, std::string_view function,
                                             std::vector<Value> arguments, RunOptions options,
                                             Completion completion) const {
  const std::uint64_t bytes = bytes_of_run(arguments, options) + source.text().size();
  return run_later(bytes, std::move(completion),
                   [runs = *this, source, function = std::string(function), arguments = std::move(arguments),
                    options = std::move(options)](SandboxRun& run) {
                     return runs.run_source(source, function, arguments, options, run);
                   });
}

Result<std::uint64_t> SandboxRuns::run_later(std::uint64_t bytes, Completion completion, RunWork work) const {
  PETRI_TRY(parts_.standing.must_run());
  const auto run = std::make_shared<SandboxRun>();
  run->charge = hold_bytes(parts_.account, bytes);
  if (run->charge == nullptr) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("memory_bytes_max leaves no room for a run to wait in {}", parts_.sandbox));
  }
  auto kept = parts_.owner.keep_alive();
  run->id = parts_.completions.next_number();
  run->reply = std::make_shared<Reply>([kept, &completions = parts_.completions, then = std::move(completion)](
                                           Result<Outcome> result) { completions.complete(then, std::move(result)); });
  run->asked = parts_.services.clock.now();
  const std::uint64_t waiting_max = parts_.account->message_queue_max();
  if (!parts_.table.add(run, waiting_max)) {
    return fail(ErrorCode::queue_full,
                fmt::format("{} runs wait in {} and message_queue_max allows no more", waiting_max, parts_.sandbox));
  }
  // A stop that came just before found nothing to cancel, so the status is asked once more.
  if (auto runs = parts_.standing.must_run(); !runs && parts_.table.remove(run)) return fail(std::move(runs.error()));
  parts_.owner.submit([kept = std::move(kept), runs = *this, run, work = std::move(work)] { runs.finish(run, work); });
  return run->id;
}

// The answer comes last: then nothing is left of the run.
void SandboxRuns::finish(const SandboxRunPtr& run, const RunWork& work) const {
  if (!parts_.table.begin(run, to_ns(parts_.services.clock.now()))) return;
  auto outcome = carry_out(work, *run);
  parts_.table.remove(run);
  run->charge.reset();
  run->reply->give(std::move(outcome));
}

// Every run is one of the metrics' runs, however far it came, and an operation of its own: what becomes of its guest,
// and what the gate refuses, is reported with its correlation.
Result<Outcome> SandboxRuns::carry_out(const RunWork& work, SandboxRun& run) const {
  const Operation operation(parts_.operation, Operation::Reach::run);
  auto outcome = work(run);
  parts_.journal.run_over(outcome);
  return outcome;
}

// ---- what is run ----------------------------------------------------------------------------------------------

Result<Outcome> SandboxRuns::run_module(std::string_view module, std::string_view function,
                                        std::vector<Value> arguments, const RunOptions& options,
                                        SandboxRun& run) const {
  PETRI_TRY(parts_.standing.must_run());
  PETRI_TRY(const ModuleTable::Active active, parts_.modules.active(module));
  Job job{.module = std::string(module), .artifact = active.code->artifact, .version = active.number};
  if (auto fits = parts_.gates.gate().check_standing(*job.artifact); !fits) {
    parts_.journal.module_rejected(module, WayIn::run, fits.error());
    return fail(std::move(fits.error()));
  }
  prepare(job, function, std::move(arguments), options);
  return run_and_report(job, run, options.stop);
}

Result<Outcome> SandboxRuns::run_source(const Source& source, std::string_view function, std::vector<Value> arguments,
                                        const RunOptions& options, SandboxRun& run) const {
  PETRI_TRY(parts_.standing.must_run());
  auto admitted = parts_.gates.gate().admit(source);
  if (!admitted) {
    parts_.journal.module_rejected("", WayIn::run, admitted.error());
    return fail(std::move(admitted.error()));
  }
  Job job{.artifact = std::move(admitted->artifact)};
  prepare(job, function, std::move(arguments), options);
  return run_and_report(job, run, options.stop);
}

void SandboxRuns::prepare(Job& job, std::string_view function, std::vector<Value> arguments,
                          const RunOptions& options) const {
  const SandboxTraits& traits = parts_.traits;
  job.host = parts_.owner.host_settings(kRunName);
  RunSpec& spec = job.spec;
  spec = {.function = std::string(function),
          .arguments = std::move(arguments),
          .input = options.input,
          .limits = job.host.limits,
          .permissions = job.host.permissions,
          .tier = options.tier.value_or(parts_.tier),
          .seed = parts_.owner.seed(),
          .deterministic = job.host.deterministic,
          .folder = traits.folder,
          .program_arguments = traits.arguments,
          .environment = traits.environment,
          .ends_at_output_limit = ends_at_output_limit(traits.on_limit),
          .on_log = job.host.on_log,
          .compile = parts_.services.code.compile_options()};
  if (options.fuel_max) spec.limits.fuel_max = *options.fuel_max;
  if (options.timeout) spec.limits.execution_time_max = std::min(*options.timeout, spec.limits.execution_time_max);
}

// ---- the run itself -------------------------------------------------------------------------------------------

Result<Outcome> SandboxRuns::run_and_report(const Job& job, SandboxRun& run, const std::stop_token& stop) const {
  parts_.journal.run_started(job.module, job.spec.function);
  const Clock::TimePoint started = parts_.services.clock.now();
  auto outcome = run_here(job, run, stop);
  const auto took = parts_.services.clock.now() - started;
  if (!outcome) {
    if (outcome.error().category() == ErrorCategory::security) {
      parts_.journal.module_rejected(job.module, WayIn::run, outcome.error());
    }
    parts_.journal.run_failed(job.module, job.spec.function, outcome.error(), took);
    return outcome;
  }
  outcome->queue_time = started - run.asked;
  parts_.containment.report_killed({}, *outcome, limits_of(job.spec));
  parts_.journal.run_stopped(job.module, job.spec.function, *outcome, took);
  return outcome;
}

// On this thread. Whatever ends the run while it is put aside wakes it.
Result<Outcome> SandboxRuns::run_here(const Job& job, SandboxRun& run, const std::stop_token& stop) const {
  Workers& workers = parts_.services.workers;
  const auto end = [this, &run, &workers] {
    run.stop.request_stop();
    workers.wake_ended(parts_.owner.client());
  };
  const std::stop_callback on_end(parts_.control.ending(), end);
  const std::stop_callback on_stop(stop, end);
  const Workers::Visit visit(workers, parts_.owner.client());
  RunTurns turns(parts_.owner);
  auto outcome = run_in({.clock = parts_.services.clock,
                         .account = parts_.account.get(),
                         .granted = job.host.granted,
                         .ending_limits = job.host.ending_limits,
                         .stacks = job.host.stacks,
                         .folder = job.host.folder,
                         .turns = &turns,
                         .load = loader_of(job)},
                        job.artifact, parts_.services.host, job.spec, run.stop.get_token());
  if (!outcome) return outcome;
  outcome->version = job.version;
  if (run.late && outcome->kind == OutcomeKind::cancelled) set_late(*outcome);
  return outcome;
}

// Its own fuel, and its own time or what is left of that since.
SandboxLimits SandboxRuns::limits_of(const RunSpec& run) const {
  SandboxLimits limits = *parts_.account->limits();
  limits.fuel_max = run.limits.fuel_max;
  limits.execution_time_max = std::min(run.limits.execution_time_max, limits.execution_time_max);
  return limits;
}

// None for a module that imports only from the host: it need not be kept.
SandboxRuns::Loader SandboxRuns::loader_of(const Job& job) const {
  const LoadableArtifact& code = loadable(*job.artifact);
  bool imports = false;
  for (std::uint32_t index = 0; index < code.facts().imports && !imports; ++index) {
    const std::string_view from = code.import_at(index).module;
    imports = !detail::Access::impl(parts_.services.host).has(from) && parts_.modules.contains(from);
  }
  if (!imports) return nullptr;
  return [this, &job](Tier tier, const LoadOptions& options) { return load_linked(job, tier, options); };
}

// The same modules for another tier and other permissions.
Result<CodePtr> SandboxRuns::load_linked(const Job& job, Tier tier, const LoadOptions& options) const {
  const auto load = [&](const ArtifactPtr& artifact) {
    return parts_.services.code.load(artifact, job.spec.permissions, tier, options);
  };
  PETRI_TRY(ModuleCodePtr code, load(job.artifact));
  PETRI_TRY(code, parts_.modules.link(job.module, code, {}));
  if (code->linked == nullptr) return code->code;
  std::vector<ModulePart> parts = code->linked->parts();
  for (ModulePart& part : parts) {
    PETRI_TRY(part.code, load(part.code->artifact));
  }
  return make_linked_code(std::move(parts))->code;
}

}  // namespace petri
