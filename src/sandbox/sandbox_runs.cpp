// Runs of a sandbox: a fresh instance of a module, one call, gone; while the caller waits, or later.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "process/process_time.h"
#include "process/run_turns.h"
#include "run/run_in.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// What a run that waits takes: its place, and what it was given.
std::uint64_t bytes_of_run(const std::vector<Value>& arguments, const RunOptions& options) {
  constexpr std::uint64_t kRun = 1'024;
  return kRun + arguments.size() * sizeof(Value) + options.input.size();
}

// It was ended because its time is shorter than it was when it began.
void set_late(Outcome& outcome) {
  outcome.kind = OutcomeKind::deadline;
  outcome.cause = "execution_time_max";
}

}  // namespace

RunSpec SandboxCore::run_spec(std::string_view function, std::vector<Value> arguments,
                              const RunOptions& options) const {
  const SandboxLimitsPtr limits = account_.limits();
  RunSpec spec{.function = std::string(function),
               .arguments = std::move(arguments),
               .input = options.input,
               .limits = *limits,
               .permissions = permissions(),
               .tier = options.tier.value_or(spec_.tier),
               .seed = spec_.seed,
               .deterministic = spec_.deterministic,
               .folder = traits_->folder,
               .program_arguments = traits_->arguments,
               .environment = traits_->environment,
               .ends_at_output_limit = ends_at_output_limit(),
               .compile = services_.code.compile_options()};
  if (options.fuel_max) spec.limits.fuel_max = *options.fuel_max;
  if (options.timeout) spec.limits.execution_time_max = std::min(*options.timeout, limits->execution_time_max);
  if (spec_.on_log) {
    spec.on_log = [this](LogLevel level, std::string_view line) { spec_.on_log("run", level, line); };
  }
  return spec;
}

SandboxLimits SandboxCore::limits_of(const RunSpec& run) const {
  SandboxLimits limits = *account_.limits();
  limits.fuel_max = run.limits.fuel_max;
  limits.execution_time_max = std::min(run.limits.execution_time_max, limits.execution_time_max);
  return limits;
}

// The same modules for another tier and other permissions.
Result<CodePtr> SandboxCore::load_linked(const std::string& module, const ArtifactPtr& artifact,
                                         Permissions permissions, Tier tier, const LoadOptions& options) {
  PETRI_TRY(ModuleCodePtr code, services_.code.load(artifact, permissions, tier, options));
  PETRI_TRY(code, modules_.link(module, code, {}));
  if (code->linked == nullptr) return code->code;
  std::vector<ModulePart> parts = code->linked->parts();
  for (ModulePart& part : parts) {
    PETRI_TRY(part.code, services_.code.load(part.code->artifact, permissions, tier, options));
  }
  return make_linked_code(std::move(parts))->code;
}

// None for a module that imports only from the host: it need not be kept.
SandboxCore::Loader SandboxCore::loader_of(const std::string& module, const ArtifactPtr& artifact,
                                           const RunSpec& spec) {
  const LoadableArtifact& code = loadable(*artifact);
  bool imports = false;
  for (std::uint32_t index = 0; index < code.facts().imports && !imports; ++index) {
    const std::string_view from = code.import_at(index).module;
    imports = !services_.host.impl().has(from) && modules_.contains(from);
  }
  if (!imports) return nullptr;
  return [this, module, artifact, permissions = spec.permissions](Tier tier, const LoadOptions& options) {
    return load_linked(module, artifact, permissions, tier, options);
  };
}

bool SandboxCore::ends_at_output_limit() const {
  const auto asked = traits_->on_limit.find("output_bytes_max");
  return asked == traits_->on_limit.end() || asked->second == OnLimit::kill;
}

// Of this thread. What ends it while it is put aside wakes it.
Result<Outcome> SandboxCore::run_here(const RunOf& what, const RunSpec& spec, SandboxRun& run,
                                      const std::stop_token& asked_to_stop) {
  std::stop_token ended;
  {
    MutexLock lock(mutex_);
    ended = runs_.get_token();
  }
  const auto end = [this, &run] {
    run.stop.request_stop();
    services_.workers.wake_ended(client());
  };
  const std::stop_callback on_end(ended, end);
  const std::stop_callback on_stop(asked_to_stop, end);
  const Workers::Visit visit(services_.workers, client());
  RunTurns turns(*this);
  auto outcome = run_in({.clock = services_.clock,
                         .account = &account_,
                         .granted = &granted_,
                         .ending_limits = ending_limits(),
                         .folder = folder(),
                         .turns = &turns,
                         .load = loader_of(what.module, what.artifact, spec)},
                        what.artifact, services_.host, spec, run.stop.get_token());
  if (!outcome) return outcome;
  outcome->version = what.version;
  if (run.late && outcome->kind == OutcomeKind::cancelled) set_late(*outcome);
  return outcome;
}

Result<Outcome> SandboxCore::run_artifact(const RunOf& what, const RunSpec& spec, SandboxRun& run,
                                          const std::stop_token& stop) {
  journal_.run_started(what.module, spec.function);
  const Clock::TimePoint began = services_.clock.now();
  auto outcome = run_here(what, spec, run, stop);
  const auto took = services_.clock.now() - began;
  if (!outcome) {
    if (outcome.error().category() == ErrorCategory::security) {
      journal_.module_rejected(what.module, WayIn::run, outcome.error());
    }
    journal_.run_failed(what.module, spec.function, outcome.error(), took);
    return outcome;
  }
  outcome->queue_time = began - run.asked;
  report_killed({}, *outcome, limits_of(spec));
  journal_.run_stopped(what.module, spec.function, *outcome, took);
  return outcome;
}

// Every run is one of the metrics' runs, however far it came, and an operation of its own: what becomes of its guest,
// and what the gate refuses, is told with its correlation.
Result<Outcome> SandboxCore::carry_out(const RunWork& work, SandboxRun& run) {
  const Operation operation(operation_, Operation::Reach::run);
  auto outcome = work(run);
  journal_.run_over(outcome);
  return outcome;
}

Result<Outcome> SandboxCore::run(std::string_view module, std::string_view function, std::vector<Value> arguments,
                                 const RunOptions& options) {
  PETRI_TRY(must_exist());
  return run_now([&](SandboxRun& run) { return run_module(module, function, std::move(arguments), options, run); });
}

Result<Outcome> SandboxCore::run(const Source& source, std::string_view function, std::vector<Value> arguments,
                                 const RunOptions& options) {
  PETRI_TRY(must_exist());
  return run_now([&](SandboxRun& run) { return run_source(source, function, std::move(arguments), options, run); });
}

// Its caller waits for it, so it needs no room of its own.
Result<Outcome> SandboxCore::run_now(const RunWork& work) {
  const auto run = std::make_shared<SandboxRun>();
  run->asked = services_.clock.now();
  run->began_ns.store(to_ns(run->asked));
  run_table_.add(run, std::numeric_limits<std::uint64_t>::max());
  auto outcome = carry_out(work, *run);
  run_table_.remove(run);
  return outcome;
}

Result<std::uint64_t> SandboxCore::run_async(std::string_view module, std::string_view function,
                                             std::vector<Value> arguments, RunOptions options, Completion completion) {
  const std::uint64_t bytes = bytes_of_run(arguments, options);
  return run_later(bytes, std::move(completion),
                   [this, module = std::string(module), function = std::string(function),
                    arguments = std::move(arguments), options = std::move(options)](SandboxRun& run) {
                     return run_module(module, function, arguments, options, run);
                   });
}

Result<std::uint64_t> SandboxCore::run_async(const Source& source, std::string_view function,
                                             std::vector<Value> arguments, RunOptions options, Completion completion) {
  const std::uint64_t bytes = bytes_of_run(arguments, options) + source.text().size();
  return run_later(
      bytes, std::move(completion),
      [this, source, function = std::string(function), arguments = std::move(arguments), options = std::move(options)](
          SandboxRun& run) { return run_source(source, function, arguments, options, run); });
}

Result<std::uint64_t> SandboxCore::run_later(std::uint64_t bytes, Completion completion, RunWork work) {
  PETRI_TRY(must_run());
  const auto run = std::make_shared<SandboxRun>();
  run->charge = charge_for_bytes(bytes);
  if (run->charge == nullptr) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("memory_bytes_max leaves no room for a run to wait in {}", id()));
  }
  run->id = last_call_.fetch_add(1) + 1;
  run->reply = std::make_shared<Reply>([self = shared_from_this(), then = std::move(completion)](
                                           Result<Outcome> result) { self->complete(then, std::move(result)); });
  run->asked = services_.clock.now();
  const std::uint64_t waiting_max = account_.message_queue_max();
  if (!run_table_.add(run, waiting_max)) {
    return fail(ErrorCode::queue_full,
                fmt::format("{} runs wait in {} and message_queue_max allows no more", waiting_max, id()));
  }
  // Whoever stopped the sandbox just before has found nothing to cancel.
  if (auto runs = must_run(); !runs && run_table_.remove(run)) return fail(std::move(runs.error()));
  submit([this, self = shared_from_this(), run, work = std::move(work)] { finish_run(run, work); });
  return run->id;
}

// Whoever has the answer finds nothing left of the run.
void SandboxCore::finish_run(const SandboxRunPtr& run, const RunWork& work) {
  if (!run_table_.begin(run, to_ns(services_.clock.now()))) return;
  auto outcome = carry_out(work, *run);
  run_table_.remove(run);
  run->charge.reset();
  run->reply->give(std::move(outcome));
}

bool SandboxCore::cancel_run(std::uint64_t run) {
  if (!run_table_.cancel(run)) return false;
  services_.workers.wake_ended(client());
  return true;
}

Result<Outcome> SandboxCore::run_module(std::string_view module, std::string_view function,
                                        std::vector<Value> arguments, const RunOptions& options, SandboxRun& run) {
  PETRI_TRY(must_run());
  PETRI_TRY(const ModuleTable::Active active, modules_.active(module));
  const RunOf what{.module = std::string(module), .artifact = active.code->artifact, .version = active.number};
  if (auto fits = gate().check_quarantine(*what.artifact); !fits) {
    journal_.module_rejected(module, WayIn::run, fits.error());
    return fail(std::move(fits.error()));
  }
  return run_artifact(what, run_spec(function, std::move(arguments), options), run, options.stop);
}

Result<Outcome> SandboxCore::run_source(const Source& source, std::string_view function, std::vector<Value> arguments,
                                        const RunOptions& options, SandboxRun& run) {
  PETRI_TRY(must_run());
  auto artifact = gate().admit(source);
  if (!artifact) {
    journal_.module_rejected("", WayIn::run, artifact.error());
    return fail(std::move(artifact.error()));
  }
  const RunOf what{.module = "", .artifact = std::move(artifact->artifact)};
  return run_artifact(what, run_spec(function, std::move(arguments), options), run, options.stop);
}

}  // namespace petri
