#include "runtime/collector.h"

#include <algorithm>

#include "compiler/jail/stray_folders.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// As many as are looked at with the registry's lock held once.
constexpr std::size_t kSlice = 256;

// Calls this for each sandbox that was there when it was reached.
template <typename Visit>
void for_each(const Registry& registry, const Visit& visit) {
  std::uint64_t last = 0;
  for (;;) {
    const std::vector<Registry::Numbered> slice = registry.after(last, kSlice);
    for (const Registry::Numbered& one : slice) visit(one.core);
    if (slice.size() < kSlice) return;
    last = slice.back().number;
  }
}

}  // namespace

void NewestGenerations::add(const SandboxCore& core) {
  if (!core.generation()) return;
  const auto raise = [&](const std::string& label) {
    std::uint64_t& newest = newest_[label];
    newest = std::max(newest, *core.generation());
  };
  const std::vector<std::string> labels = core.labels().all();
  std::ranges::for_each(labels, raise);
  if (labels.empty()) raise({});
}

bool NewestGenerations::is_old(const SandboxCore& core, std::uint64_t retained) const {
  if (retained == 0 || !core.generation()) return false;
  const auto old_in = [&](const std::string& label) {
    const auto newest = newest_.find(label);
    return newest != newest_.end() && newest->second >= retained && newest->second - retained >= *core.generation();
  };
  const std::vector<std::string> labels = core.labels().all();
  return labels.empty() ? old_in({}) : std::ranges::all_of(labels, old_in);
}

CollectionReport Collector::collect(std::string_view cause) {
  MutexLock lock(mutex_);
  const Clock::TimePoint started = parts_.clock.now();
  CollectionReport report;
  report.rows = parts_.registry.reconcile();
  const NewestGenerations generations = newest();
  for_each(parts_.registry, [&](const CorePtr& core) {
    const Why found = why(*core, generations);
    if (found == Why::stays || !remove(core, found)) return;
    ++(found == Why::dead ? report.dead : found == Why::abandoned ? report.abandoned : report.generations);
  });
  report.artifacts = parts_.artifacts.forget_unused();
  report.code = parts_.code.sweep();
  report.folders = remove_stray_folders();
  publish(report, cause, parts_.clock.now() - started);
  return report;
}

NewestGenerations Collector::newest() const {
  NewestGenerations generations;
  if (parts_.options.gc_retain_generations == 0) return generations;
  for_each(parts_.registry, [&](const CorePtr& core) { generations.add(*core); });
  return generations;
}

Collector::Why Collector::why(const SandboxCore& core, const NewestGenerations& newest) const {
  if (core.descent().is_kept()) return Why::stays;
  if (newest.is_old(core, parts_.options.gc_retain_generations)) return Why::generation;
  const Clock::TimePoint now = parts_.clock.now();
  if (core.is_dead()) return now - core.changed_at() >= core.dead_keep() ? Why::dead : Why::stays;
  if (!core.idle_keep()) return Why::stays;
  const auto since = core.unused_since();
  return since && now - *since >= *core.idle_keep() ? Why::abandoned : Why::stays;
}

// A dead one is removed whoever has a handle of it. One that lives leaves the registry first, so that nobody can find
// it any more, and only if nobody has it.
bool Collector::remove(const CorePtr& core, Why why) {
  constexpr std::string_view kCauses[] = {"", "dead", "abandoned", "generation"};
  const std::string_view cause = kCauses[static_cast<std::size_t>(why)];
  bool removed = false;
  if (core->is_dead()) {
    removed = core->destroy_if_dead(cause);
    if (removed) parts_.registry.remove(*core);
  } else if (parts_.registry.remove_unused(core)) {
    removed = core->destroy(cause);
  }
  if (!removed) return false;
  parts_.forget(*core);
  ++parts_.destroyed;
  parts_.metrics.collected(why == Why::dead        ? Metrics::collected_dead
                           : why == Why::abandoned ? Metrics::collected_abandoned
                                                   : Metrics::collected_generation);
  return true;
}

void Collector::publish(const CollectionReport& report, std::string_view cause, Clock::Duration took) const {
  parts_.metrics.collection_ended();
  const EventSubject about{.correlation = parts_.events.new_correlation()};
  parts_.events.publish(EventKind::gc_collected, about, [&](Event& event) {
    event.add("cause", cause).add("dead", report.dead).add("abandoned", report.abandoned);
    event.add("generations", report.generations).add("artifacts", report.artifacts).add("code", report.code);
    event.add("folders", report.folders);
    event.add("rows", report.rows).add("duration_ns", took);
  });
}

}  // namespace petri
