// What is asked of a sandbox while it lives: calls, messages, and changes of its limits.
#include <fmt/format.h>

#include <algorithm>

#include "base/complain.h"
#include "base/escape.h"
#include "base/ids.h"
#include "host/inside.h"
#include "process/process_time.h"
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
  if (status_ == SandboxStatus::stopped) message += "; restart it first";
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
  if (Inside::here() != nullptr) [[unlikely]] {
    if (const Inside* waits = inside(process->name(), true)) return would_wait_for(*waits, "call " + process->name());
  }
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
  Message message;
  message.kind = MessageKind::call;
  message.function = function;
  message.arguments = std::move(arguments);
  if (!options.input.empty()) message.bytes = options.input;
  std::optional<Clock::TimePoint> deadline;
  if (options.timeout) deadline = services_.clock.now() + *options.timeout;
  if (!options.stop.stop_possible()) return process.call(std::move(message), deadline);
  message.id = last_call_.fetch_add(1) + 1;
  message.stop = options.stop;
  const std::stop_callback on_stop(options.stop, [&process, call = message.id] { process.cancel(call); });
  return process.call(std::move(message), deadline);
}

const Inside* SandboxCore::inside(std::string_view address, bool queue_too) const {
  const void* const owner = static_cast<const ProcessOwner*>(this);
  for (const Inside* one = Inside::here(); one != nullptr; one = one->outer()) {
    const std::string_view name = one->process().name;
    const bool below =
        name.starts_with(address) && (address.empty() || name.size() == address.size() || name[address.size()] == '/');
    if (one->process().owner == owner && (below || (queue_too && queue_ != nullptr))) return one;
  }
  return nullptr;
}

std::unexpected<Error> SandboxCore::would_wait_for(const Inside& inside, std::string_view doing) {
  return fail(ErrorCode::deadlock, fmt::format("{} {} cannot {}, which would wait for it; do that on another thread",
                                               inside.what(), inside.process().name, doing));
}

Result<void> SandboxCore::may_end_here(std::string_view address) const {
  const Inside* const waits = inside(address);
  if (waits == nullptr) return {};
  return would_wait_for(*waits, address.empty() ? "end the sandbox " + id() : fmt::format("end the child {}", address));
}

// The caller's: what it throws is counted and goes no further.
void SandboxCore::complete(const Completion& then, Result<Outcome> result) {
  if (then == nullptr) return;  // nobody wants the answer
  try {
    then(std::move(result));
  } catch (...) {
    completions_threw_.fetch_add(1, std::memory_order_relaxed);
  }
}

// Its time-out is over with the answer.
Completion SandboxCore::completion_of(Completion then, Entry entry, std::shared_ptr<std::atomic<TimerId>> timer) {
  return [self = shared_from_this(), then = std::move(then), entry, timer = std::move(timer)](Result<Outcome> result) {
    if (timer != nullptr) self->services_.timers.cancel(timer->load());
    if (entry == Entry::on_trial) self->end_trial(result);
    self->complete(then, std::move(result));
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
  Message message{.kind = MessageKind::send, .bytes = std::string(bytes)};
  if (entry == Entry::on_trial) {
    message.reply =
        std::make_shared<Reply>([self = shared_from_this()](const Result<Outcome>& how) { self->end_trial(how); });
  }
  auto posted = receiver->post(std::move(message));
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
  if (cancel_run(call)) return {};
  return fail(ErrorCode::not_found, fmt::format("the call or run {} is neither waiting nor running in {}", call, id()));
}

// ---- limits and labels ----------------------------------------------------------------------------------------

// What a lower limit would have the sandbox be above at once, and cannot be brought below without ending something.
Result<void> SandboxCore::check_in_use(const SandboxLimits& before, const SandboxLimits& limits) const {
  Error error{.code = ErrorCode::validation_failed, .message = {}, .details = {}};
  const std::uint64_t all = account_.taken();
  const std::uint64_t memory = std::max(account_.memory_bytes(), all - std::min(all, MemoryAccount::kHostBytesFree));
  if (limits.memory_bytes_max < before.memory_bytes_max && memory > limits.memory_bytes_max) {
    complain(error, "limits.memory_bytes_max",
             fmt::format("memory_bytes_max is {} but {} bytes are in use; stop processes or restart the sandbox first",
                         limits.memory_bytes_max, memory));
  }
  if (limits.processes_max < before.processes_max && account_.processes() > limits.processes_max) {
    complain(error, "limits.processes_max",
             fmt::format("processes_max is {} but {} processes live; stop some of them first", limits.processes_max,
                         account_.processes()));
  }
  MutexLock lock(mutex_);
  for (const auto& [name, process] : processes_) {
    // One that follows memory_bytes_max was not asked for, and what that one refuses is said above.
    if (!limits.process_memory_set) break;
    if (limits.process_memory_bytes_max >= before.process_memory_bytes_max) break;
    if (process->memory_bytes() <= limits.process_memory_bytes_max) continue;
    complain(error, "limits.process_memory_bytes_max",
             fmt::format("process_memory_bytes_max is {} but the process {} uses {} bytes; stop it first",
                         limits.process_memory_bytes_max, name, process->memory_bytes()));
  }
  if (error.details.empty()) return {};
  return fail(std::move(error));
}

// What runs has the new time from when it began.
void SandboxCore::shorten_work(std::chrono::nanoseconds time_max) {
  const auto end_at = [&](std::uint64_t began_ns) { return to_time(began_ns) + time_max; };
  std::vector<ProcessPtr> processes;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, process] : processes_) processes.push_back(process);
  }
  for (const ProcessPtr& process : processes) {
    const std::uint64_t began = process->work_began_ns();
    if (began == 0) continue;
    services_.timers.at(end_at(began), [self = weak_from_this(), kept = std::weak_ptr(process), began] {
      const auto core = self.lock();
      const ProcessPtr late = kept.lock();
      if (core != nullptr && late != nullptr) late->end_late(began);
    });
  }
  for (const SandboxRunPtr& run : run_table_.begun()) {
    services_.timers.at(end_at(run->began_ns.load()), [self = weak_from_this(), kept = std::weak_ptr(run)] {
      const SandboxRunPtr late = kept.lock();
      const auto core = self.lock();
      if (late == nullptr || core == nullptr) return;
      late->late.store(true);
      late->stop.request_stop();
      core->services_.workers.wake_ended(core->client());
    });
  }
}

Result<void> SandboxCore::update_limits(const LimitChanges& changes) {
  PETRI_TRY(must_exist());
  const SandboxLimitsPtr before = account_.limits();
  PETRI_TRY(const SandboxLimits limits, with_changes(*before, changes));
  PETRI_TRY(check_in_use(*before, limits));
  account_.set_limits(limits);
  // Something may have grown meanwhile: from here on nothing does.
  if (auto fits = check_in_use(*before, limits); !fits) {
    account_.set_limits(*before);
    return fits;
  }
  if (limits.execution_time_max < before->execution_time_max) shorten_work(limits.execution_time_max);
  share_.set_percent(limits.cpu_percent_max);
  if (const auto granted = folder()) granted->set_limits(limits);
  modules_.prune(limits.versions_max);
  journal_.limits_changed(changes);
  MutexLock lock(mutex_);
  updated_ = std::max(updated_, services_.clock.wall_now());
  return {};
}

Result<void> SandboxCore::update_permissions(Permissions permissions) {
  PETRI_TRY(must_exist());
  PETRI_TRY(check_permissions(traits_->profile, permissions));
  const Permissions before = granted_.exchange(permissions);
  journal_.permissions_changed(before, permissions);
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
