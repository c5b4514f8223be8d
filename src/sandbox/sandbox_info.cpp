// What can be seen of a sandbox. Nothing here waits for a guest or for structural work.
#include <algorithm>
#include <array>

#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// A shorter time says little of a share.
constexpr std::chrono::milliseconds kShareWindowMin(500);

}  // namespace

SandboxStatus SandboxCore::status() const {
  MutexLock lock(mutex_);
  return status_;
}

Usage SandboxCore::usage() const { return usage_over(kShareWindowMin); }

// The share of a processor is that since the last sample, or what that one saw if it is younger than this.
Usage SandboxCore::usage_over(std::chrono::nanoseconds window_min) const {
  Usage usage{.memory_bytes = account_.memory_bytes(),
              .host_bytes = account_.host_bytes(),
              .processes = account_.processes(),
              .messages = account_.messages(),
              .descriptors = account_.descriptors(),
              .fuel_used = account_.fuel_used(),
              .cpu_time = std::chrono::nanoseconds(account_.cpu_ns())};
  MutexLock lock(mutex_);
  if (destroyed_) return usage;
  usage.threads = services_.guest_threads.running(threads_);
  if (status_ == SandboxStatus::running) usage.uptime = services_.clock.now() - running_since_;
  if (const UsageSample* last = history_.latest()) {
    const auto since = services_.clock.wall_now() - last->time;
    const auto worked = usage.cpu_time - last->usage.cpu_time;
    usage.cpu_percent = since >= window_min
                            ? 100.0 * static_cast<double>(worked.count()) / static_cast<double>(since.count())
                            : last->usage.cpu_percent;
  }
  return usage;
}

std::size_t SandboxCore::history_room_wanted() const {
  MutexLock lock(mutex_);
  return history_.room_wanted();
}

void SandboxCore::sample() {
  const Usage now = usage_over(std::chrono::nanoseconds(1));
  const SandboxLimitsPtr limits = account_.limits();
  struct Watched {
    std::string_view limit;
    std::uint64_t used, allowed;
  };
  std::vector<Watched> warn;
  warn.reserve(kWatchedLimits);
  // Calls wait for mutex_, so nobody waits for memory while holding it.
  std::vector<UsageSample> room;
  room.reserve(history_room_wanted());
  {
    MutexLock lock(mutex_);
    history_.move_into(room);
    history_.add({.time = services_.clock.wall_now(), .usage = now});
    std::size_t fullest = 0;
    if (now.messages > 0) {
      for (const auto& [name, process] : processes_) fullest = std::max(fullest, process->mailbox_size());
    }
    const std::array<Watched, kWatchedLimits> all{
        Watched{"memory_bytes_max", now.memory_bytes + now.host_bytes, limits->memory_bytes_max},
        Watched{"processes_max", now.processes, limits->processes_max},
        Watched{"message_queue_max", fullest, limits->message_queue_max}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (warnings_[i].should_warn(all[i].used, all[i].allowed)) warn.push_back(all[i]);
    }
  }
  journal_.usage_sampled(now);
  for (const Watched& watched : warn) journal_.limit_near(watched.limit, watched.used, watched.allowed);
}

std::vector<UsageSample> SandboxCore::usage_history() const {
  MutexLock lock(mutex_);
  return history_.samples();
}

std::vector<ChildInfo> SandboxCore::children() const {
  std::vector<ChildInfo> all;
  for (const auto& runner : trees()) {
    for (const TreeEntry& entry : runner->entries()) {
      const ChildSpec* process = entry.spec->process();
      all.push_back({.address = entry.address,
                     .module = process == nullptr ? "" : process->module,
                     .status = std::string(name_of(entry.status))});
    }
  }
  MutexLock lock(mutex_);
  for (ChildInfo& child : all) {
    const auto found = processes_.find(child.address);
    if (found == processes_.end()) continue;
    child.tier = found->second->tier();
    child.messages = found->second->mailbox_size();
  }
  return all;
}

SandboxInfo SandboxCore::info() const {
  SandboxInfo info{.id = spec_.id,
                   .profile = traits_->profile,
                   .limits = *account_.limits(),
                   .on_limit = traits_->on_limit,
                   .permissions = permissions(),
                   .imports = traits_->imports,
                   .reject_findings = traits_->policy.reject_findings,
                   .audit = traits_->policy.audit,
                   .recovery = traits_->recovery,
                   .reload = reload_policy(),
                   .breaker = breaker_.state(),
                   .breaker_opened = breaker_.opened(),
                   .breaker_options = traits_->breaker,
                   .generation = spec_.generation,
                   .seed = spec_.seed,
                   .deterministic = spec_.deterministic,
                   .tier = spec_.tier,
                   .folder = traits_->folder,
                   .arguments = traits_->arguments,
                   .environment = traits_->environment,
                   .created = created_,
                   .late_answers = late_answers_.load(),
                   .completions_threw = completions_threw_.load(),
                   .usage = usage()};
  info.modules = modules_.summaries();
  info.limits_met = journal_.limits_met();
  info.denied = journal_.denied();
  MutexLock lock(mutex_);
  info.status = status_;
  info.cause = cause_;
  info.failure = failure_;
  info.labels = labels_;
  info.tree = tree_spec();
  info.updated = updated_;
  info.restarts = restarts_;
  info.supervisor_restarts = supervisor_restarts_;
  return info;
}

bool SandboxCore::matches(std::string_view label, std::optional<std::uint64_t> generation) const {
  MutexLock lock(mutex_);
  if (generation && spec_.generation != generation) return false;
  return label.empty() || std::ranges::find(labels_, label) != labels_.end();
}

}  // namespace petri
