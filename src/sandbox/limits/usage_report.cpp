#include "sandbox/limits/usage_report.h"

namespace petri {
namespace {

// A shorter time says little of a share.
constexpr std::chrono::milliseconds kShareWindowMin(500);

}  // namespace

Usage UsageReport::now() const { return usage_over(kShareWindowMin); }

Usage UsageReport::usage_over(std::chrono::nanoseconds window_min) const {
  const TreeAccount& account = parts_.account;
  Usage usage{.memory_bytes = account.memory_bytes(),
              .host_bytes = account.host_bytes(),
              .processes = account.processes(),
              .messages = account.messages(),
              .descriptors = account.descriptors(),
              .fuel_used = account.fuel_used(),
              .cpu_time = std::chrono::nanoseconds(account.cpu_ns())};
  WallTime now;
  {
    // Under this lock the sandbox is not destroyed, and the runtime's threads and clock are there.
    MutexLock lock(parts_.standing.mutex());
    if (parts_.standing.was_destroyed_now()) return usage;
    usage.threads = parts_.threads.running(parts_.share);
    if (const auto since = parts_.standing.running_since_now()) usage.uptime = parts_.clock.now() - *since;
    now = parts_.clock.wall_now();
  }
  MutexLock lock(mutex_);
  if (const UsageSample* last = history_.latest()) {
    const auto since = now - last->time;
    const auto worked = usage.cpu_time - last->usage.cpu_time;
    usage.cpu_percent = since >= window_min
                            ? 100.0 * static_cast<double>(worked.count()) / static_cast<double>(since.count())
                            : last->usage.cpu_percent;
  }
  return usage;
}

std::vector<UsageSample> UsageReport::history() const {
  MutexLock lock(mutex_);
  return history_.samples();
}

std::size_t UsageReport::room_wanted() const {
  MutexLock lock(mutex_);
  return history_.room_wanted();
}

// Callers who ask for the usage wait for this lock, so nobody waits for memory while holding it.
void UsageReport::add(const UsageSample& sample) {
  std::vector<UsageSample> room;
  room.reserve(room_wanted());
  MutexLock lock(mutex_);
  history_.move_into(room);
  history_.add(sample);
}

void UsageReport::sample() {
  const Usage now = usage_over(std::chrono::nanoseconds(1));
  add({.time = parts_.clock.wall_now(), .usage = now});
  parts_.journal.usage_sampled(now);
  const SandboxLimitsPtr limits = parts_.account.limits();
  const std::uint64_t fullest = now.messages > 0 ? parts_.processes.messages_in_fullest() : 0;
  const struct {
    std::string_view limit;
    std::uint64_t used, allowed;
  } watched[kWatchedLimits] = {{"memory_bytes_max", now.memory_bytes + now.host_bytes, limits->memory_bytes_max},
                               {"processes_max", now.processes, limits->processes_max},
                               {"message_queue_max", fullest, limits->message_queue_max}};
  for (std::size_t i = 0; i < kWatchedLimits; ++i) {
    const auto& [limit, used, allowed] = watched[i];
    if (warnings_[i].should_warn(used, allowed)) parts_.journal.limit_near(limit, used, allowed);
  }
}

}  // namespace petri
