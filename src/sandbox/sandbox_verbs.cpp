// What is asked of a sandbox while it lives: calls, messages, runs, and changes of its limits.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/ids.h"
#include "run/run_in.h"
#include "sandbox/sandbox_core.h"

namespace petri {

Result<void> SandboxCore::must_exist() const {
  MutexLock lock(mutex_);
  return must_exist_now();
}

Result<void> SandboxCore::must_exist_now() const {
  if (!destroyed_) return {};
  return fail(ErrorCode::not_found, fmt::format("there is no sandbox {}: it was destroyed", id()));
}

Result<void> SandboxCore::must_run() const {
  MutexLock lock(mutex_);
  return must_run_now();
}

Result<void> SandboxCore::must_run_now() const {
  if (is_up(status_)) return {};
  PETRI_TRY(must_exist_now());
  std::string message = fmt::format("the sandbox {} is {}", id(), name_of(status_));
  if (!cause_.empty()) message += ": " + cause_;
  return fail(Error{.code = ErrorCode::rejected, .message = message, .details = {}}
                  .with("status", std::string(name_of(status_)))
                  .with("cause", cause_));
}

// Without a name there must be no choice.
Result<ProcessPtr> SandboxCore::addressee(std::string_view name, Reach reach) const {
  MutexLock lock(mutex_);
  if (reach == Reach::live || status_ != SandboxStatus::isolated) {
    PETRI_TRY(must_run_now());
  }
  if (name.empty()) {
    if (processes_.size() == 1) return processes_.begin()->second;
    return fail(ErrorCode::validation_failed,
                fmt::format("the sandbox {} has {} processes: say which one is meant", id(), processes_.size()));
  }
  const auto found = processes_.find(name);
  if (found != processes_.end()) return found->second;
  return fail(ErrorCode::not_found,
              fmt::format("the sandbox {} has no process {}", id(), escape_text(name, kSandboxIdBytesMax)));
}

Result<Outcome> SandboxCore::call(std::string_view function, std::vector<Value> arguments, const CallOptions& options) {
  PETRI_TRY(const ProcessPtr process, addressee(options.process));
  if (breaker_.state() == BreakerState::closed) [[likely]]
    return call_process(*process, function, std::move(arguments), options);
  PETRI_TRY(const Entry entry, enter());
  auto result = call_process(*process, function, std::move(arguments), options);
  if (entry == Entry::on_trial) end_trial(result);
  return result;
}

Result<Outcome> SandboxCore::call_process(Process& process, std::string_view function, std::vector<Value>&& arguments,
                                          const CallOptions& options) {
  // Member by member: an initializer list would first fill all of it with zeros, on the path of every call.
  Letter letter;
  letter.kind = MessageKind::call;
  letter.function = function;
  letter.arguments = std::move(arguments);
  letter.bytes = options.input;
  std::optional<Clock::TimePoint> deadline;
  if (options.timeout) deadline = services_.clock.now() + *options.timeout;
  if (!options.stop.stop_possible()) return process.call(std::move(letter), deadline);
  letter.id = last_call_.fetch_add(1) + 1;
  letter.stop = options.stop;
  const std::stop_callback on_stop(options.stop, [&process, call = letter.id] { process.cancel(call); });
  return process.call(std::move(letter), deadline);
}

// The caller's completion: what it throws is counted and goes no further, and its time-out is over with the answer.
Completion SandboxCore::completion_of(Completion then, Entry entry, std::shared_ptr<std::atomic<TimerId>> timer) {
  return [self = shared_from_this(), then = std::move(then), entry, timer = std::move(timer)](Result<Outcome> result) {
    if (timer != nullptr) self->services_.timers.cancel(timer->load());
    if (entry == Entry::on_trial) self->end_trial(result);
    try {
      then(std::move(result));
    } catch (...) {
      self->completions_threw_.fetch_add(1, std::memory_order_relaxed);
    }
  };
}

Result<std::uint64_t> SandboxCore::call_async(std::string_view function, std::vector<Value> arguments,
                                              CallOptions options, Completion completion) {
  PETRI_TRY(const ProcessPtr process, addressee(options.process));
  PETRI_TRY(const Entry entry, enter());
  const std::uint64_t call = last_call_.fetch_add(1) + 1;
  const auto timer = options.timeout ? std::make_shared<std::atomic<TimerId>>(0) : nullptr;
  const auto reply = std::make_shared<Reply>(completion_of(std::move(completion), entry, timer));
  // Before anybody else can answer, so that whoever does finds the timer; it keeps nothing of the call.
  if (timer != nullptr) {
    const auto give_up = [weak = std::weak_ptr(reply), name = process->name()] {
      if (const auto late = weak.lock())
        late->give(fail(ErrorCode::timeout, fmt::format("{} did not answer in time", name)));
    };
    timer->store(services_.timers.at(services_.clock.now() + *options.timeout, give_up));
  }
  auto posted = process->post({.kind = MessageKind::call,
                               .function = std::string(function),
                               .arguments = std::move(arguments),
                               .bytes = std::move(options.input),
                               .reply = reply,
                               .id = call});
  if (posted) return call;
  if (timer != nullptr) services_.timers.cancel(timer->load());
  if (entry == Entry::on_trial) end_trial(fail(posted.error()));
  return fail(std::move(posted.error()));
}

Result<void> SandboxCore::send(std::string_view bytes, std::string_view process) {
  PETRI_TRY(const ProcessPtr receiver, addressee(process));
  PETRI_TRY(const Entry entry, enter());
  Letter letter{.kind = MessageKind::send, .bytes = std::string(bytes)};
  if (entry == Entry::on_trial) {
    letter.reply =
        std::make_shared<Reply>([self = shared_from_this()](const Result<Outcome>& how) { self->end_trial(how); });
  }
  auto posted = receiver->post(std::move(letter));
  if (!posted && entry == Entry::on_trial) end_trial(fail(posted.error()));
  return posted;
}

Result<void> SandboxCore::cancel(std::uint64_t call) {
  std::vector<ProcessPtr> processes;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, process] : processes_) processes.push_back(process);
  }
  if (std::ranges::any_of(processes, [call](const ProcessPtr& process) { return process->cancel(call); })) return {};
  return fail(ErrorCode::not_found, fmt::format("the call {} is neither waiting nor running in {}", call, id()));
}

// ---- runs -----------------------------------------------------------------------------------------------------

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
               .compile = services_.code.compile_options()};
  if (options.fuel_max) spec.limits.fuel_max = *options.fuel_max;
  if (options.timeout) spec.limits.execution_time_max = std::min(*options.timeout, limits->execution_time_max);
  if (spec_.on_log) {
    spec.on_log = [this](LogLevel level, std::string_view line) { spec_.on_log("run", level, line); };
  }
  return spec;
}

// The same modules for another tier and other permissions.
Result<CodePtr> SandboxCore::load_linked(const std::string& module, const ArtifactPtr& artifact,
                                         Permissions permissions, Tier tier, const LoadOptions& options) {
  PETRI_TRY(ModuleCodePtr code, services_.code.load(artifact, permissions, tier, options));
  PETRI_TRY(code, link_with_table(module, code, {}));
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
    if (services_.host.impl().has(from)) continue;
    MutexLock lock(mutex_);
    imports = modules_.contains(from);
  }
  if (!imports) return nullptr;
  return [this, module, artifact, permissions = spec.permissions](Tier tier, const LoadOptions& options) {
    return load_linked(module, artifact, permissions, tier, options);
  };
}

Result<Outcome> SandboxCore::run_artifact(const std::string& module, const ArtifactPtr& artifact, RunSpec spec,
                                          const RunOptions& options) {
  std::stop_source stop;
  std::stop_token ended;
  {
    MutexLock lock(mutex_);
    ended = runs_.get_token();
  }
  const std::stop_callback on_end(ended, [&stop] { stop.request_stop(); });
  const std::stop_callback on_stop(options.stop, [&stop] { stop.request_stop(); });
  const EventSubject about = {.sandbox = id(), .correlation = services_.events.new_correlation()};
  const auto name_it = [&](Event& event) -> Event& {
    return event.add("module", module).add("function", spec.function);
  };
  services_.events.publish(EventKind::run_start, about, [&](Event& event) { name_it(event); });
  const Clock::TimePoint began = services_.clock.now();
  auto outcome = run_in({.clock = services_.clock,
                         .account = &account_,
                         .granted = &granted_,
                         .ending_limits = ending_limits(),
                         .folder = folder_,
                         .load = loader_of(module, artifact, spec)},
                        artifact, services_.host, spec, stop.get_token());
  const auto took = services_.clock.now() - began;
  if (!outcome) {
    if (outcome.error().category() == ErrorCategory::security) tell_rejected(module, WayIn::run, outcome.error());
    services_.events.publish(EventKind::run_exception, about, [&](Event& event) {
      name_it(event).add("error", name_of(outcome.error().code)).add("message", outcome.error().message);
      event.add("duration_ns", took);
    });
    return outcome;
  }
  account_.add_work(outcome->fuel_used, static_cast<std::uint64_t>(outcome->wall_time.count()));
  tell_killed({}, *outcome);
  services_.events.publish(EventKind::run_stop, about, [&](Event& event) {
    name_it(event).add("outcome", name_of(outcome->kind)).add("fuel_used", outcome->fuel_used);
    event.add("duration_ns", took).add("tier", name_of(outcome->tier));
  });
  return outcome;
}

// Every run is one of the metrics' runs, however far it came.
Result<Outcome> SandboxCore::counted(Result<Outcome> run) {
  run ? services_.metrics.run_ended(run->kind) : services_.metrics.run_failed(run.error().code);
  return run;
}

Result<Outcome> SandboxCore::run(std::string_view module, std::string_view function, std::vector<Value> arguments,
                                 const RunOptions& options) {
  PETRI_TRY(must_exist());
  return counted(run_module(module, function, std::move(arguments), options));
}

Result<Outcome> SandboxCore::run(const Source& source, std::string_view function, std::vector<Value> arguments,
                                 const RunOptions& options) {
  PETRI_TRY(must_exist());
  return counted(run_source(source, function, std::move(arguments), options));
}

Result<Outcome> SandboxCore::run_module(std::string_view module, std::string_view function,
                                        std::vector<Value> arguments, const RunOptions& options) {
  PETRI_TRY(must_run());
  ModuleCodePtr code;
  {
    MutexLock lock(mutex_);
    PETRI_TRY(Module * found, find_module(module));
    code = found->code;
  }
  if (auto fits = check_policy(*code->artifact); !fits) {
    tell_rejected(module, WayIn::run, fits.error());
    return fail(std::move(fits.error()));
  }
  return run_artifact(std::string(module), code->artifact, run_spec(function, std::move(arguments), options), options);
}

Result<Outcome> SandboxCore::run_source(const Source& source, std::string_view function, std::vector<Value> arguments,
                                        const RunOptions& options) {
  PETRI_TRY(must_run());
  auto artifact = admit(source);
  if (!artifact) {
    tell_rejected("", WayIn::run, artifact.error());
    return fail(std::move(artifact.error()));
  }
  return run_artifact("", artifact->artifact, run_spec(function, std::move(arguments), options), options);
}

// ---- limits and labels ----------------------------------------------------------------------------------------

Result<void> SandboxCore::update_limits(const LimitChanges& changes) {
  PETRI_TRY(must_exist());
  PETRI_TRY(const SandboxLimits limits, with_changes(*account_.limits(), changes));
  account_.set_limits(limits);
  share_.set_percent(limits.cpu_percent_max);
  if (folder_ != nullptr) folder_->set_limits(limits);
  prune_versions(limits.versions_max);
  std::string what;
  for (const auto& [name, value] : changes) what += fmt::format("{}{}={}", what.empty() ? "" : " ", name, value);
  tell_audit({.kind = AuditKind::limits_changed, .sandbox = id(), .cause = "update_limits"}, {{"changes", what}});
  MutexLock lock(mutex_);
  updated_ = std::max(updated_, services_.clock.wall_now());
  return {};
}

Result<void> SandboxCore::update_permissions(Permissions permissions) {
  PETRI_TRY(must_exist());
  PETRI_TRY(check_permissions(traits_->profile, permissions));
  const Permissions before = granted_.exchange(permissions);
  tell_audit({.kind = AuditKind::permissions_changed, .sandbox = id(), .cause = "update_permissions"},
             {{"from", before.to_text()}, {"to", permissions.to_text()}});
  MutexLock lock(mutex_);
  updated_ = std::max(updated_, services_.clock.wall_now());
  return {};
}

Result<void> SandboxCore::label(std::string_view label) {
  PETRI_TRY(check_sandbox_id(label));
  MutexLock lock(mutex_);
  if (std::ranges::find(labels_, label) == labels_.end()) labels_.emplace_back(label);
  return {};
}

Result<void> SandboxCore::unlabel(std::string_view label) {
  MutexLock lock(mutex_);
  if (std::erase(labels_, label) > 0) return {};
  return fail(ErrorCode::not_found,
              fmt::format("the sandbox {} has no label {}", id(), escape_text(label, kSandboxIdBytesMax)));
}

}  // namespace petri
