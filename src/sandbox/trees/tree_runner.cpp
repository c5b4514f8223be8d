#include "sandbox/trees/tree_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "process/turns/host_work.h"
#include "run/backtrace.h"

namespace petri {
namespace {

constexpr std::size_t kFailuresKept = 16;

}  // namespace

TreeRunner::TreeRunner(TreeHost& host, const SupervisorSpec& spec, StopOrder order) : host_(host), tree_(spec, order) {}

// ---- asked from outside ---------------------------------------------------------------------------------------

Result<void> TreeRunner::start() {
  {
    MutexLock lock(mutex_);
    add(tree_.start(host_.services().clock().now()));
  }
  perform();
  wait_until_settled();
  MutexLock lock(mutex_);
  if (started_) return {};
  return fail(ErrorCode::start_failed, "the child " + ending_.failed_child + " could not be started");
}

void TreeRunner::wait_until_settled() {
  const Workers::Pause pause(host_.services().workers());
  MutexLock lock(mutex_);
  while (!started_ && !ended_) changed_.wait(mutex_);
}

void TreeRunner::ask_to_stop(Clock::TimePoint end_by) {
  const Clock::TimePoint now = host_.services().clock().now();
  MutexLock lock(mutex_);
  if (ended_) return;
  end_by_ = std::min(end_by_.value_or(end_by), end_by);
  if (!std::exchange(stopping_, true)) {
    kill_starting();
    add(tree_.stop(now));
  }
  kill_overdue(now);
  if (performing_) arm();  // that thread may be at something that takes longer
}

void TreeRunner::begin_stop(Clock::TimePoint end_by) {
  ask_to_stop(end_by);
  perform_elsewhere();
}

bool TreeRunner::is_quiet_now() const {
  const auto is_moving = [](const auto& entry) { return entry.second.starting || entry.second.stopping; };
  return ended_ || (!performing_ && actions_.empty() && !std::ranges::any_of(running_, is_moving));
}

bool TreeRunner::is_quiet() const {
  MutexLock lock(mutex_);
  return is_quiet_now();
}

bool TreeRunner::is_settled() const {
  MutexLock lock(mutex_);
  return !unsettled_ || is_quiet_now();
}

void TreeRunner::wait_until_quiet(Clock::TimePoint deadline) const {
  const Workers::Pause pause(host_.services().workers());
  MutexLock lock(mutex_);
  while (!is_quiet_now()) {
    if (deadline == Clock::TimePoint::max()) {
      changed_.wait(mutex_);
    } else if (!changed_.wait_until(mutex_, deadline)) {
      return;
    }
  }
}

void TreeRunner::stop(Clock::TimePoint end_by) {
  ask_to_stop(end_by);
  perform();
  const Workers::Pause pause(host_.services().workers());
  MutexLock lock(mutex_);
  while (!ended_) changed_.wait(mutex_);
}

Result<std::string> TreeRunner::request(std::string_view supervisor, Request request) {
  const ReplyPtr reply = std::make_shared<Reply>();
  enter(supervisor, std::move(request), reply);
  perform();
  const Workers::Pause pause(host_.services().workers());
  PETRI_TRY(Outcome done, reply->wait());
  return std::move(done.output);
}

void TreeRunner::ask(std::string_view supervisor, Request request, ReplyPtr reply) {
  enter(supervisor, std::move(request), std::move(reply));
  perform_elsewhere();
}

void TreeRunner::enter(std::string_view supervisor, Request request, ReplyPtr reply) {
  MutexLock lock(mutex_);
  const Ticket ticket = ++last_ticket_;
  replies_.write()[ticket] = std::move(reply);
  add(tree_.request(ticket, supervisor, std::move(request), host_.services().clock().now()));
}

// They have no shutdown time: nobody has seen them alive.
void TreeRunner::kill_starting() {
  for (const auto& [incarnation, running] : running_) {
    if (running.starting) running.process->kill(incarnation);
  }
}

bool TreeRunner::is_starting(const Process& process) const {
  MutexLock lock(mutex_);
  const auto found = running_.find(process.incarnation());
  return found != running_.end() && found->second.process.get() == &process && found->second.starting;
}

// Both trees of a sandbox get the report, and number their incarnations for themselves.
void TreeRunner::exited(const Process& process, Incarnation incarnation, ExitReason reason) {
  {
    MutexLock lock(mutex_);
    const auto found = running_.find(incarnation);
    if (found == running_.end() || found->second.process.get() != &process) return;
    unsettled_ = true;
    if (found->second.starting) {
      found->second.exited = reason;
      return;
    }
    forget(incarnation);
    add(tree_.exited(incarnation, reason, host_.services().clock().now()));
  }
  perform_elsewhere();
}

std::vector<TreeEntry> TreeRunner::entries() const {
  MutexLock lock(mutex_);
  return tree_.entries();
}

std::optional<TreeChild> TreeRunner::template_at(std::string_view supervisor) const {
  MutexLock lock(mutex_);
  const TreeChild* const found = tree_.template_at(supervisor);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

bool TreeRunner::has(std::string_view address) const {
  MutexLock lock(mutex_);
  return tree_.find(address).has_value();
}

Error TreeRunner::explain(Error error, Incarnation incarnation) const {
  MutexLock lock(mutex_);
  const auto found = failures_->find(incarnation);
  if (found == failures_->end()) return error;
  const Result<Outcome>& how = found->second;
  if (!how) {
    error.message += ": " + how.error().message;
    return std::move(error).with("cause", std::string(name_of(how.error().code)));
  }
  error.message += fmt::format(": it ended as {} in {}", name_of(how->kind), name_of(how->place));
  if (how->exit_code) error.message += fmt::format(" with code {}", *how->exit_code);
  if (how->trap) error.message += fmt::format(": {}", name_of(*how->trap));
  if (!how->backtrace.empty()) error.message += " in " + backtrace_words(how->backtrace);
  return std::move(error).with("outcome", std::string(name_of(how->kind)));
}

// ---- what there is to do --------------------------------------------------------------------------------------

// Kills do not wait behind a start that may be the very thing to be ended.
void TreeRunner::add(TreeActions actions) {
  for (TreeAction& action : actions) {
    if (const auto* kill = std::get_if<KillProcess>(&action)) {
      const auto found = running_.find(kill->incarnation);
      if (found != running_.end()) found->second.process->kill(kill->incarnation);
    }
    actions_.push_back(std::move(action));
  }
}

std::optional<Clock::TimePoint> TreeRunner::next_deadline() const {
  auto next = tree_.deadline();
  const auto consider = [&next](Clock::TimePoint time) { next = std::min(next.value_or(time), time); };
  if (end_by_) consider(*end_by_);
  if (!kills_->empty()) consider(kills_->begin()->first);
  return next;
}

// The kill of a process is reported to the tree like any other end; the end of the tree is the tree's own decision.
void TreeRunner::kill_overdue(Clock::TimePoint now) {
  while (!kills_->empty() && kills_->begin()->first <= now) {
    const Incarnation incarnation = kills_.write().extract(kills_->begin()).value().second;
    running_.at(incarnation).process->kill(incarnation);
  }
  if (!end_by_ || *end_by_ > now) return;
  end_by_.reset();
  add(tree_.kill(now));
}

void TreeRunner::give_time(Incarnation incarnation) {
  Running& running = running_.at(incarnation);
  running.kill_at = host_.services().clock().now() + host_.shutdown_max();
  kills_.write().emplace(running.kill_at, incarnation);
}

void TreeRunner::forget(Incarnation incarnation) {
  const auto found = running_.find(incarnation);
  if (found == running_.end()) return;
  if (!kills_->empty()) kills_.write().erase({found->second.kill_at, incarnation});
  running_.erase(found);
}

// The timer keeps nothing alive: most stops are over long before their time is.
void TreeRunner::arm() {
  const auto deadline = next_deadline();
  if (deadline == armed_) return;
  if (armed_) host_.timers().cancel(timer_);
  armed_ = deadline;
  if (!deadline) return;
  timer_ = host_.timers().at(*deadline,
                             [this, runner = weak_from_this(), host = std::weak_ptr(host_.services().keep_alive())] {
                               const auto kept_host = host.lock();
                               const auto kept_runner = runner.lock();
                               if (kept_host != nullptr && kept_runner != nullptr) expire();
                             });
}

void TreeRunner::expire() {
  {
    MutexLock lock(mutex_);
    armed_.reset();
    if (ended_) return;
    const Clock::TimePoint now = host_.services().clock().now();
    add(tree_.expire(now));
    kill_overdue(now);
    if (actions_.empty()) return arm();
  }
  perform_elsewhere();
}

void TreeRunner::perform_elsewhere() {
  host_.services().workers().submit(
      [this, kept = kept()] {
        const HostWork work(host_.services());
        perform();
      },
      host_.services().client());
}

// A thread that finds the work being done leaves it to the one that does it.
void TreeRunner::perform() {
  {
    MutexLock lock(mutex_);
    if (performing_) return;
    performing_ = true;
  }
  const Clock::TimePoint turn_end = std::chrono::steady_clock::now() + host_.services().workers().turn();
  for (TreeAction action; next(action);) {
    std::visit([this](const auto& what) { carry_out(what); }, action);
    if (Workers::seat_of_this_thread().holds_permit && std::chrono::steady_clock::now() >= turn_end) return hand_on();
  }
}

// A storm of restarts is work like any other, and keeps no worker from others. Whoever comes first does the rest.
void TreeRunner::hand_on() {
  {
    MutexLock lock(mutex_);
    performing_ = false;
    changed_.notify_all();
  }
  perform_elsewhere();
}

bool TreeRunner::next(TreeAction& action) {
  MutexLock lock(mutex_);
  // Most deadlines are over before this is done; a start may take longer than they do.
  if (actions_.empty() || std::holds_alternative<StartProcess>(actions_.front())) arm();
  if (actions_.empty()) {
    performing_ = false;
    if (is_quiet_now()) unsettled_ = false;
    changed_.notify_all();
    return false;
  }
  action = std::move(actions_.front());
  actions_.pop_front();
  return true;
}

void TreeRunner::carry_out(const StartProcess& action) {
  const auto process = host_.process_for(*this, action.address);
  {
    MutexLock lock(mutex_);
    if (stopping_) return add(tree_.start_failed(action.incarnation, host_.services().clock().now()));
    if (!process) return start_failed(action.incarnation, fail(process.error()));
    running_[action.incarnation] = {.process = *process, .starting = true};
  }
  auto outcome = host_.start_process(**process, action.incarnation, *action.spec->process(), action.again);
  const bool lives = outcome && outcome->kind == OutcomeKind::ok;
  MutexLock lock(mutex_);
  if (lives) {
    Running& running = running_[action.incarnation];
    running.starting = false;
    const auto exited = running.exited;
    add(tree_.started(action.incarnation, host_.services().clock().now()));
    if (!exited) return;
    forget(action.incarnation);
    add(tree_.exited(action.incarnation, *exited, host_.services().clock().now()));
    return;
  }
  forget(action.incarnation);
  start_failed(action.incarnation, std::move(outcome));
}

void TreeRunner::start_failed(Incarnation incarnation, Result<Outcome> how) {
  if (how) how->output = {};  // nobody reads it, and a guest chose how long it is
  auto& failures = failures_.write();
  failures.insert_or_assign(incarnation, std::move(how));
  if (failures.size() > kFailuresKept) failures.erase(failures.begin());
  add(tree_.start_failed(incarnation, host_.services().clock().now()));
}

void TreeRunner::carry_out(const StopProcess& action) { stop_process(action.incarnation, ExitReason::shutdown); }
void TreeRunner::carry_out(const KillProcess& action) { stop_process(action.incarnation, ExitReason::abnormal); }

// A process that has nothing to do ends here and now; another needs a thread to wait for it.
void TreeRunner::stop_process(Incarnation incarnation, ExitReason reason) {
  ProcessPtr process;
  {
    MutexLock lock(mutex_);
    const auto found = running_.find(incarnation);
    if (found == running_.end() || found->second.starting || found->second.stopping) return;
    found->second.stopping = true;
    process = found->second.process;
  }
  auto stop_and_report = [this, process, incarnation, reason] {
    process->stop(incarnation);
    MutexLock lock(mutex_);
    forget(incarnation);
    add(tree_.exited(incarnation, reason, host_.services().clock().now()));
  };
  if (process->ends_at_once()) return stop_and_report();
  {
    MutexLock lock(mutex_);
    if (running_.contains(incarnation)) give_time(incarnation);
  }
  host_.services().workers().submit(
      [this, kept = kept(), stop_and_report] {  // the sandbox goes last, after its process
        const HostWork work(host_.services());
        stop_and_report();
        perform();
      },
      host_.services().client());
}

void TreeRunner::carry_out(const PlaceRemoved& action) { host_.place_emptied(*this, action.address); }
void TreeRunner::carry_out(const PlaceStopped& action) { host_.place_emptied(*this, action.address); }
void TreeRunner::carry_out(const SupervisorGaveUp& action) { host_.gave_up(action); }

void TreeRunner::carry_out(const Answer& action) {
  ReplyPtr reply;
  {
    MutexLock lock(mutex_);
    const auto asked = replies_.write().extract(action.ticket);
    PETRI_ASSERT(!asked.empty());
    reply = asked.mapped();
  }
  if (action.result) {
    Outcome done;
    done.output = action.added;
    reply->give(std::move(done));
  } else {
    reply->give(fail(explain(action.result.error(), action.incarnation)));
  }
}

void TreeRunner::carry_out(const TreeStarted&) {
  MutexLock lock(mutex_);
  started_ = true;
  changed_.notify_all();
}

void TreeRunner::carry_out(const TreeEnded& action) {
  ending_ = action;
  host_.tree_ended(*this, action);
  MutexLock lock(mutex_);
  end_by_.reset();
  arm();  // no deadline is left; once it has ended, the timers may be gone
  ended_ = true;
  changed_.notify_all();
}

}  // namespace petri
