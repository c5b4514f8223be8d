#include "process/standby.h"

#include <algorithm>
#include <utility>

#include "process/process.h"
#include "process/process_time.h"
#include "run/collect_outcome.h"

namespace petri {

Life Standby::created(ModuleCodePtr code, HookPort& port) {
  Life life(std::move(code), owner_.host_settings(name_), owner_.seed(), &flag_.flag());
  life.context->set_port(&port);
  life.context->not_live_yet = true;
  life.set_limits(*owner_.account().limits());
  return life;
}

Result<Life> Standby::copy(const Life& of, HookPort& port) {
  Life copy = created(of.code, port);
  PETRI_TRY(const End end, copy.go_on_from(*of.guest->instance()));
  if (end.kind == EndKind::returned) return copy;
  if (end.kind == EndKind::cancelled) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  return fail(ErrorCode::limit_exceeded, "memory_bytes_max leaves no room for a copy of the process " + name_);
}

// Without turns: it is over soon.
Allowance Standby::allowance(Clock::TimePoint started, Clock::TimePoint deadline) const {
  const SandboxLimitsPtr limits = owner_.account().limits();
  const std::uint64_t end_ns = to_ns(started) + static_cast<std::uint64_t>(limits->execution_time_max.count());
  return {.fuel = limits->call_fuel_max.value_or(Budget::kFuelUnbounded),
          .deadline_ns = std::min(end_ns, to_ns(deadline)),
          .call_depth = static_cast<std::uint32_t>(limits->call_depth_max),
          .turn_ns = Budget::kNever};
}

Result<Outcome> Standby::begin(Life& life, Clock::TimePoint deadline, Starts starts) {
  const Clock::TimePoint started = owner_.clock().now();
  const HookPort::Sitting sitting(*life.context);
  life.guest->begin(allowance(started, deadline), {});
  return finish(life, started, life.begin(starts));
}

Result<Outcome> Standby::call(Life& life, const Hook& hook, std::string_view input, Clock::TimePoint deadline) {
  const Clock::TimePoint started = owner_.clock().now();
  SandboxLimits limits = *owner_.account().limits();
  if (hook.output_bytes_max > 0) limits.output_bytes_max = hook.output_bytes_max;
  life.set_limits(limits);
  const HookPort::Sitting sitting(*life.context);
  life.guest->begin(allowance(started, deadline), input);
  std::uint64_t answer = 0;
  auto end = hook.member ? life.guest->call_member(*hook.member, hook.export_number, {&answer, 1})
                         : life.guest->call(hook.export_number, {&answer, 1});
  if (end && end->kind == EndKind::returned && static_cast<std::int32_t>(answer) != 0) {
    end->kind = EndKind::exited;
    end->code = static_cast<std::int32_t>(answer);
  }
  return finish(life, started, end);
}

Result<Outcome> Standby::finish(Life& life, Clock::TimePoint started, const Result<End>& end) {
  const Clock::TimePoint now = owner_.clock().now();
  owner_.account().add_work(life.guest->fuel_used(), to_ns(now) - to_ns(started));
  life.context->tell_account();
  if (!end) return fail(end.error());
  Outcome outcome = collect_outcome(life.code->module(), *end, *life.guest, *life.context);
  outcome.wall_time = now - started;
  life.note_seen(outcome);
  return outcome;
}

}  // namespace petri
