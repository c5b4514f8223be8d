#include "process/history/backtrace_finder.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "process/history/retrace.h"
#include "process/history/retrace_budget.h"
#include "process/process.h"

namespace petri {
namespace {

VirtualTime virtual_time_of(const LiveInstance& live) {
  return {.fuel = live.context->virtual_start_fuel(), .milliseconds = live.context->virtual_start_ms()};
}

}  // namespace

BacktraceFinder::BacktraceFinder(Process& process)
    : process_(process), history_(process.services().account, process.owner().retrace_budget()) {}

bool BacktraceFinder::is_ended() const { return process_.entrance().flags().running().is_raised(); }

bool BacktraceFinder::can_repeat(const LiveInstance& live) {
  return live.tier() == Tier::interpreted && live.code->repeatable;
}

void BacktraceFinder::remember_from_start(const LiveInstance& live, std::string_view input) {
  if (!can_repeat(live)) return;
  history_.start(input, live.movable() ? History::Renewable::yes : History::Renewable::no);
}

void BacktraceFinder::remember_from(const LiveInstance& live, std::shared_ptr<const InstanceImage> image) {
  if (can_repeat(live)) history_.start_from({.image = std::move(image), .random = live.context->random.state()});
}

// Large memory is not looked through: whoever waits for the process would wait for that.
void BacktraceFinder::remember_from_here(const LiveInstance& live) {
  constexpr std::uint64_t kMemoryBytesMax = std::uint64_t{16} << 20;
  if (!can_repeat(live) || !live.movable()) return;
  Instance& instance = *live.guest->instance();
  if (memory_size_of(instance) > kMemoryBytesMax) return;
  auto image = InstanceImage::capture(instance, {.is_ended = [this] { return is_ended(); }});
  if (image) remember_from(live, std::make_shared<const InstanceImage>(std::move(*image)));
}

void BacktraceFinder::remember(const LiveInstance& live, const Message& message, std::uint64_t fuel_used) {
  if (history_.open()) history_.add(message, fuel_used, virtual_time_of(live));
  if (history_.wants_image(fuel_used, live.guest->memory_bytes())) remember_from_here(live);
}

History::Step BacktraceFinder::last_step(const LiveInstance& live, const Message& message) {
  return History::step_of(message, 0, virtual_time_of(live));
}

void BacktraceFinder::find(const ModuleCode& code, const History::Step* last, Outcome& outcome, Workers::Seat& seat) {
  const bool lacks_trace = outcome.kind == OutcomeKind::trapped && outcome.backtrace.empty();
  const bool known = history_.open();  // else it has done too much since the last image, or cannot be repeated
  const Clock::TimePoint started = process_.services().clock.now();
  RetraceBudget* const budget = process_.owner().retrace_budget();
  const bool may_repeat =
      lacks_trace && known && outcome.place != Place::instantiate && (budget == nullptr || budget->may_start(started));
  if (may_repeat && code.retrace->try_enter()) {
    repeat(code, last, outcome, seat);
    code.retrace->leave();
    if (budget != nullptr) budget->spend(process_.services().clock.now() - started);
  }
  // The next trap of such a process is found all the same: compiled code keeps a trace by itself.
  if (lacks_trace && !known && code.hot != nullptr) {
    code.promote(static_cast<const MemoryAccount*>(&process_.services().account));
  }
  forget();
}

// The end of the process ends the compilation for it, too.
CodePtr BacktraceFinder::compile(const ModuleCode& code, Workers::Seat& seat) {
  const std::stop_source stop;
  const GuestWaits::Wait wait(process_.waits(), stop);
  if (!wait) return nullptr;
  const Workers::Pause pause(process_.services().workers, seat);
  return code.retrace->compiled_of(code, stop.get_token());
}

// A guest that may write files is not repeated: it would write them twice.
void BacktraceFinder::repeat(const ModuleCode& code, const History::Step* last, Outcome& outcome, Workers::Seat& seat) {
  HostSettings settings = process_.owner().host_settings(process_.name());
  if (settings.folder != nullptr && settings.permissions.has(Permission::file_write)) return;
  settings.limits.memory_bytes_max =
      std::min(settings.limits.memory_bytes_max, process_.services().account.limits()->process_memory_bytes_max);
  const CodePtr compiled = compile(code, seat);
  if (compiled == nullptr || is_ended()) return;
  const std::uint64_t from_ns = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  std::uint64_t fuel = 0;
  Retrace again{.module = code,
                .compiled = *compiled,
                .settings = std::move(settings),
                .seed = process_.owner().seed(),
                .process = process_.name(),
                .interrupt = process_.entrance().flags().running().flag()};
  outcome.backtrace = again.run(history_, last, outcome, fuel);
  process_.services().account.add_work(fuel, kernel_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns);
}

}  // namespace petri
