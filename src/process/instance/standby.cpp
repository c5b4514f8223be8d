#include "process/instance/standby.h"

#include <algorithm>
#include <utility>

#include "process/process_owner.h"
#include "process/turns/process_time.h"
#include "run/collect_outcome.h"

namespace petri {

LiveInstance Standby::created(ModuleCodePtr code, HookPort& port) {
  LiveInstance live(std::move(code), services_.host_settings(name_), services_.seed(), &flag_.flag());
  live.context->set_port(&port);
  live.context->not_live_yet = true;
  live.set_limits(*services_.account().limits());
  return live;
}

Result<LiveInstance> Standby::copy(const LiveInstance& of, HookPort& port) {
  LiveInstance copy = created(of.code, port);
  PETRI_TRY(const End end, copy.continue_from(*of.guest->instance()));
  if (end.kind == EndKind::returned) return copy;
  if (end.kind == EndKind::cancelled) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  return fail(ErrorCode::limit_exceeded, "memory_bytes_max leaves no room for a copy of the process " + name_);
}

// Without turns: it is over soon.
Allowance Standby::allowance(Clock::TimePoint started, Clock::TimePoint deadline) const {
  const SandboxLimitsPtr limits = services_.account().limits();
  const std::uint64_t end_ns = to_ns(started) + static_cast<std::uint64_t>(limits->execution_time_max.count());
  return {.fuel = limits->call_fuel_max.value_or(Budget::kFuelUnbounded),
          .deadline_ns = std::min(end_ns, to_ns(deadline)),
          .call_depth = static_cast<std::uint32_t>(limits->call_depth_max),
          .turn_ns = Budget::kNever};
}

Result<Outcome> Standby::begin(LiveInstance& live, Clock::TimePoint deadline, Starts starts) {
  const Clock::TimePoint started = services_.clock().now();
  const HookPort::Sitting sitting(*live.context);
  live.guest->begin(allowance(started, deadline), {});
  return finish(live, started, live.begin(starts));
}

// Limits are read again for each hook: a change of code may wait long, and a hook may write more than an answer.
Result<Outcome> Standby::call(LiveInstance& live, const Hook& hook, std::string_view input, Clock::TimePoint deadline) {
  const Clock::TimePoint started = services_.clock().now();
  SandboxLimits limits = *services_.account().limits();
  if (hook.output_bytes_max > 0) limits.output_bytes_max = hook.output_bytes_max;
  live.set_limits(limits);
  const HookPort::Sitting sitting(*live.context);
  live.guest->begin(allowance(started, deadline), input);
  std::uint64_t answer = 0;
  auto end = hook.member ? live.guest->call_member(*hook.member, hook.export_number, {&answer, 1})
                         : live.guest->call(hook.export_number, {&answer, 1});
  if (end && end->kind == EndKind::returned && static_cast<std::int32_t>(answer) != 0) {
    end->kind = EndKind::exited;
    end->code = static_cast<std::int32_t>(answer);
  }
  return finish(live, started, end);
}

Result<Outcome> Standby::finish(LiveInstance& live, Clock::TimePoint started, const Result<End>& end) {
  const Clock::TimePoint now = services_.clock().now();
  services_.account().add_work(live.guest->fuel_used(), to_ns(now) - to_ns(started));
  live.context->report_to_account();
  if (!end) return fail(end.error());
  Outcome outcome = collect_outcome(live.code->module(), *end, *live.guest, *live.context);
  outcome.wall_time = now - started;
  live.note_seen(outcome);
  return outcome;
}

}  // namespace petri
