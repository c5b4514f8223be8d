// What is asked of a sandbox while it lives: calls, messages, and changes of its tree.
#include <fmt/format.h>

#include <algorithm>

#include "base/complain.h"
#include "base/escape.h"
#include "base/heap_bytes.h"
#include "base/ids.h"
#include "host/host_call.h"
#include "process/process_time.h"
#include "sandbox/sandbox_core.h"
#include "supervisor/tree_json.h"

namespace petri {
namespace {

// What the spec of a child takes in its supervisor's table.
std::uint64_t bytes_of(const TreeChild& child) {
  constexpr std::uint64_t kEntry = 640;
  std::uint64_t bytes = kEntry + 3 * heap_bytes(child.id());
  if (const ChildSpec* process = child.process())
    return bytes + heap_bytes(process->module) + heap_bytes(process->input);
  for (const TreeChild& below : child.supervisor()->children) bytes += bytes_of(below);
  return bytes;
}

}  // namespace

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
Result<ProcessPtr> SandboxCore::addressee(std::string_view name) const {
  MutexLock lock(mutex_);
  PETRI_TRY(must_run_now());
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

Result<std::uint64_t> SandboxCore::call_async(std::string_view function, std::vector<Value> arguments,
                                              CallOptions options, Completion completion) {
  PETRI_TRY(const ProcessPtr process, addressee(options.process));
  PETRI_TRY(const Entry entry, enter());
  if (entry == Entry::on_trial) {
    completion = [self = shared_from_this(), then = std::move(completion)](Result<Outcome> result) {
      self->end_trial(result);
      then(std::move(result));
    };
  }
  const std::uint64_t call = last_call_.fetch_add(1) + 1;
  auto reply = std::make_shared<Reply>(std::move(completion));
  auto posted = process->post({.kind = MessageKind::call,
                               .function = std::string(function),
                               .arguments = std::move(arguments),
                               .bytes = std::move(options.input),
                               .reply = reply,
                               .id = call});
  if (!posted) {
    if (entry == Entry::on_trial) end_trial(fail(posted.error()));
    return fail(std::move(posted.error()));
  }
  if (options.timeout) {
    services_.timers.at(services_.clock.now() + *options.timeout, [reply, name = process->name()] {
      reply->give(fail(ErrorCode::timeout, fmt::format("{} did not answer in time", name)));
    });
  }
  return call;
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
  if (cancel_run(call)) return {};
  return fail(ErrorCode::not_found, fmt::format("the call or run {} is neither waiting nor running in {}", call, id()));
}

// ---- the tree -------------------------------------------------------------------------------------------------

std::shared_ptr<TreeRunner> SandboxCore::tree() const {
  MutexLock lock(mutex_);
  return tree_;
}

std::shared_ptr<TreeRunner> SandboxCore::dynamic_tree() const {
  MutexLock lock(mutex_);
  return dynamic_;
}

std::vector<std::shared_ptr<TreeRunner>> SandboxCore::trees() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<TreeRunner>> present{tree_, dynamic_};
  std::erase(present, nullptr);
  return present;
}

std::vector<std::string> SandboxCore::module_names() const {
  std::vector<std::string> names;
  MutexLock lock(mutex_);
  for (const auto& [name, module] : modules_) names.push_back(name);
  return names;
}

Result<void> SandboxCore::start_child(const TreeChild& child, std::string_view supervisor) {
  PETRI_TRY(must_run());
  PETRI_TRY(validate(SupervisorSpec{.children = {child}}, module_names()));
  PETRI_TRY(check_budget(services_.budget));
  auto charge = charge_for(child);
  if (charge == nullptr) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("memory_bytes_max leaves no room for the spec of the child {}", child.id()));
  }
  return tree()->request(supervisor, AddChild{child, std::move(charge)});
}

Result<void> SandboxCore::stop_child(std::string_view address) {
  PETRI_TRY(must_run());
  const std::size_t slash = address.rfind('/');
  const bool nested = slash != std::string_view::npos;
  const std::string id(nested ? address.substr(slash + 1) : address);
  auto stopped = tree()->request(nested ? address.substr(0, slash) : "", StopOne{id});
  if (stopped || nested || stopped.error().code != ErrorCode::not_found) return stopped;
  const auto dynamic = dynamic_tree();
  return dynamic == nullptr ? stopped : dynamic->request("", StopOne{id});
}

Result<void> SandboxCore::update_tree(const SupervisorSpec& wanted) {
  PETRI_TRY(must_run());
  PETRI_TRY(validate(wanted, module_names()));
  PETRI_TRY(tree()->request("", UpdateChildren{wanted}));
  MutexLock lock(mutex_);
  tree_spec_ = std::make_unique<SupervisorSpec>(wanted);
  return {};
}

// Most sandboxes never spawn, and do without the second tree. Nothing when everything is being ended.
std::shared_ptr<TreeRunner> SandboxCore::tree_for_spawned() {
  if (auto present = dynamic_tree()) return present;
  auto made = std::make_shared<TreeRunner>(*this, SupervisorSpec{}, StopOrder::together);
  if (!made->start()) return nullptr;
  MutexLock lock(mutex_);
  if (runs_.stop_requested()) return nullptr;
  if (dynamic_ == nullptr) dynamic_ = std::move(made);
  return dynamic_;
}

std::shared_ptr<void> SandboxCore::charge_for(const TreeChild& child) { return charge_for_bytes(bytes_of(child)); }

std::shared_ptr<void> SandboxCore::charge_for_bytes(std::uint64_t bytes) {
  if (!account_.try_hold(bytes)) return nullptr;
  return {this, [account = shared_account_, bytes](void*) { account->let_go(bytes); }};
}

// A spec is a message to the sandbox, and no longer than one may be, nor than what is parsed at once.
std::uint64_t SandboxCore::spec_bytes_max() const {
  return std::min<std::uint64_t>(account_.message_bytes_max(), std::uint64_t{1} << 20);
}

Result<ChildSpec> SandboxCore::read_spawned(Process& by, HostCall& call, std::string_view spec) const {
  const std::uint64_t bytes_max = spec_bytes_max();
  if (spec.size() > bytes_max) {
    by.note_met("message_bytes_max", spec.size(), bytes_max);
    return fail(ErrorCode::too_large, "the spec of a child is longer than a message may be");
  }
  if (!call.charge(spec.size())) return fail(ErrorCode::cancelled, "the guest has ended");
  PETRI_TRY(ChildSpec child, parse_child(spec, bytes_max, [&call] { return call.look(); }));
  PETRI_TRY(validate(SupervisorSpec{.children = {child}}, module_names()));
  return child;
}

std::int32_t SandboxCore::spawn(Process& by, HostCall& call, std::string_view spec) {
  const auto answer = [](GuestError error) { return static_cast<std::int32_t>(error); };
  auto child = read_spawned(by, call, spec);
  if (!child) {
    return answer(spec.size() > spec_bytes_max() ? GuestError::too_large : GuestError::invalid);
  }
  if (find_process(child->id) != nullptr) return answer(GuestError::already_exists);
  if (account_.processes() >= account_.limits()->processes_max) {
    by.note_met("processes_max", account_.processes() + 1, account_.limits()->processes_max);
    return answer(GuestError::limit_exceeded);
  }
  if (services_.budget != nullptr && services_.budget->spent()) return answer(GuestError::busy);
  const auto dynamic = tree_for_spawned();
  if (dynamic == nullptr) return answer(GuestError::cancelled);
  TreeChild added(std::move(*child));
  auto charge = charge_for(added);
  if (charge == nullptr) {
    by.note_met("memory_bytes_max", account_.taken() + bytes_of(added), account_.allowed());
    return answer(GuestError::limit_exceeded);
  }
  std::vector<Request> requests;
  requests.emplace_back(AddChild{std::move(added), std::move(charge)});
  const auto started = ask_for(by, *dynamic, std::move(requests));
  if (started) return 0;
  switch (started.error().code) {
    case ErrorCode::already_exists: return answer(GuestError::already_exists);
    case ErrorCode::rejected: return answer(GuestError::deadlock);
    case ErrorCode::timeout: return answer(GuestError::timeout);
    default: return answer(GuestError::cancelled);
  }
}

// All at once, so that what begins goes on to its end even if the guest does not live to see it. The answer to the
// first. What a guest asks of a tree that waits for the guest itself would never be done.
Result<void> SandboxCore::ask_for(Process& by, TreeRunner& tree, std::vector<Request> requests) const {
  if (tree.is_starting(by)) return fail(ErrorCode::rejected, "the tree waits until this process has started");
  std::vector<ReplyPtr> replies;
  for (Request& request : requests) {
    replies.push_back(std::make_shared<Reply>());
    tree.ask("", std::move(request), replies.back());
  }
  PETRI_TRY(by.wait_for(replies.front(), std::nullopt));
  if (replies.size() > 1) static_cast<void>(by.wait_for(replies.back(), std::nullopt));
  return {};
}

std::int32_t SandboxCore::stop_child(Process& by, std::string_view name) {
  const auto answer = [](GuestError error) { return static_cast<std::int32_t>(error); };
  if (by.name() == name) return answer(GuestError::not_now);
  const auto dynamic = dynamic_tree();
  if (dynamic == nullptr) return answer(GuestError::not_found);
  const auto stopped = ask_for(by, *dynamic, {StopOne{std::string(name)}, RemoveOne{std::string(name)}});
  if (stopped) return 0;
  switch (stopped.error().code) {
    case ErrorCode::rejected: return answer(GuestError::deadlock);
    case ErrorCode::timeout: return answer(GuestError::timeout);
    case ErrorCode::cancelled: return answer(GuestError::cancelled);
    default: return answer(GuestError::not_found);
  }
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
      core->services_.workers.wake_ended();
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
