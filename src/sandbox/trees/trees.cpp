#include "sandbox/trees/trees.h"

#include <algorithm>
#include <utility>

namespace petri {

// ---- structural work ------------------------------------------------------------------------------------------

// An end that comes after begin_runs() looks for the tree under the same lock.
Result<void> Trees::start(const Turn& turn) {
  const auto made = std::make_shared<TreeRunner>(*this, parts_.spec.spec());
  {
    MutexLock lock(mutex_);
    if (!parts_.control.begin_runs(turn)) return fail(ErrorCode::cancelled, "the sandbox is being ended");
    tree_ = made;
    dynamic_.reset();
    parts_.processes.forget_spawned();
  }
  const auto started = made->start();
  if (started) return {};
  // The tree knows which child; the process knew why.
  return fail(made->explain(started.error(), made->ending().failed_incarnation));
}

// Children of the spec are left some time, whatever guests have spawned.
void Trees::end(const Turn&) {
  const Clock::TimePoint now = services().clock().now();
  if (const RunnerPtr spawned = dynamic()) spawned->stop(now + shutdown_max() / 2);
  if (const RunnerPtr own = tree()) own->stop(now + shutdown_max());
  for (const ProcessPtr& process : parts_.processes.take_all()) process->close();
}

void Trees::start_to_end() {
  const Clock::TimePoint now = services().clock().now();
  if (const RunnerPtr spawned = dynamic()) spawned->begin_stop(now + shutdown_max() / 2);
  if (const RunnerPtr own = tree()) own->begin_stop(now + shutdown_max());
}

// The names go before the tree: nobody makes another, and takes one of them there, until they are free.
bool Trees::lives_without(const std::shared_ptr<const TreeRunner>& gave_up) {
  if (services().account().processes() == 0) return false;
  MutexLock lock(mutex_);
  if (dynamic_ != gave_up) return true;
  parts_.processes.remove_dynamic();
  dynamic_.reset();
  return true;
}

void Trees::close() {
  MutexLock lock(mutex_);
  tree_.reset();
  dynamic_.reset();
}

// ---- questions ------------------------------------------------------------------------------------------------

Trees::RunnerPtr Trees::tree() const {
  MutexLock lock(mutex_);
  return tree_;
}

Trees::RunnerPtr Trees::dynamic() const {
  MutexLock lock(mutex_);
  return dynamic_;
}

std::vector<Trees::RunnerPtr> Trees::all() const {
  MutexLock lock(mutex_);
  std::vector<RunnerPtr> present{tree_, dynamic_};
  std::erase(present, nullptr);
  return present;
}

bool Trees::is_dynamic(const TreeRunner& tree) const {
  MutexLock lock(mutex_);
  return &tree == dynamic_.get();
}

// Most sandboxes never spawn, and do without the second tree, whose children may crash as often as those of the spec's
// root. A guest that continues to spawn would keep the trees from their end, so whoever ends them is looked for both
// before and, under the lock, after it was made.
Trees::RunnerPtr Trees::for_spawned() {
  if (parts_.control.ending().stop_requested()) return nullptr;
  if (const RunnerPtr present = dynamic()) return present;
  const SupervisorSpec own = parts_.spec.spec();
  auto made = std::make_shared<TreeRunner>(*this, SupervisorSpec{.intensity = own.intensity, .period = own.period},
                                           StopOrder::together);
  if (!made->start()) return nullptr;
  MutexLock lock(mutex_);
  if (parts_.control.ending().stop_requested()) return nullptr;
  if (dynamic_ == nullptr) dynamic_ = std::move(made);
  return dynamic_;
}

bool Trees::are_quiet() const {
  return std::ranges::all_of(all(), [](const RunnerPtr& runner) { return runner->is_quiet(); });
}

bool Trees::are_settled() const {
  return std::ranges::all_of(all(), [](const RunnerPtr& runner) { return runner->is_settled(); });
}

void Trees::wait_until_quiet(Clock::TimePoint deadline) const {
  for (const RunnerPtr& runner : all()) runner->wait_until_quiet(deadline);
}

bool Trees::some_are_down() const { return parts_.processes.size() > parts_.owner.account().processes(); }

std::vector<ProcessPtr> Trees::processes_of(std::string_view module) const {
  std::vector<std::string> addresses;
  for (const RunnerPtr& runner : all()) {
    for (const TreeEntry& entry : runner->entries()) {
      const ChildSpec* child = entry.spec->process();
      if (child != nullptr && child->module == module) addresses.push_back(entry.address);
    }
  }
  return parts_.processes.at(addresses);
}

std::set<std::string> Trees::modules_with_processes() const {
  std::set<std::string> modules;
  for (const RunnerPtr& runner : all()) {
    for (const TreeEntry& entry : runner->entries()) {
      if (const ChildSpec* child = entry.spec->process()) modules.insert(child->module);
    }
  }
  return modules;
}

std::vector<ChildInfo> Trees::children() const {
  std::vector<ChildInfo> children;
  for (const RunnerPtr& runner : all()) {
    for (const TreeEntry& entry : runner->entries()) {
      const ChildSpec* spec = entry.spec->process();
      ChildInfo& child = children.emplace_back(ChildInfo{.address = entry.address,
                                                         .module = spec == nullptr ? "" : spec->module,
                                                         .status = std::string(name_of(entry.status))});
      if (const ProcessPtr process = parts_.processes.find(entry.address)) {
        child.tier = process->tier();
        child.messages = process->entrance().mailbox_size();
      }
    }
  }
  return children;
}

// ---- what the runners report ----------------------------------------------------------------------------------

// Each of them knows its own, and numbers its incarnations for itself.
void Trees::exited(const Process& process, Incarnation incarnation, ExitReason reason) {
  for (const RunnerPtr& runner : all()) runner->exited(process, incarnation, reason);
}

Clock::Duration Trees::shutdown_max() const { return parts_.owner.account().limits()->shutdown_max; }

Result<ProcessPtr> Trees::process_for(const TreeRunner& tree, const std::string& address) {
  return parts_.processes.place(parts_.owner, address, is_dynamic(tree));
}

Result<Outcome> Trees::start_process(Process& process, Incarnation incarnation, const ChildSpec& spec, bool again) {
  return parts_.starts.start(process, incarnation, spec, again);
}

// A caller that waits for an answer from there gets one, and the next to start has an empty mailbox. Nobody could start
// a spawned child again, so one that has ended does not keep its place as any other does.
void Trees::place_emptied(const TreeRunner& tree, const std::string& address) {
  RunnerPtr spawned = dynamic();
  if (spawned.get() != &tree) spawned.reset();
  auto emptied = parts_.processes.empty(address, spawned != nullptr);
  if (!emptied) return;
  for (const ProcessPtr& process : emptied->gone) process->close();
  if (spawned != nullptr) spawned->ask("", RemoveOne{address}, std::make_shared<Reply>());
  parts_.processes.notify_parent(std::move(emptied->notice));
}

// A tree that ended without being asked to has given up: nothing is left to wait for.
void Trees::tree_ended(const TreeRunner& which, const TreeEnded& news) {
  if (!news.gave_up) return;
  if (is_dynamic(which)) {
    for (const std::string& address : parts_.processes.dynamic()) place_emptied(which, address);
  }
  parts_.news.tree_gave_up(which.shared_from_this());
}

}  // namespace petri
