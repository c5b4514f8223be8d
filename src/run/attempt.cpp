#include "run/attempt.h"

#include "host/guest/guest.h"
#include "run/collect_outcome.h"

namespace petri {
namespace {

HostSettings settings_of(const RunContext& run, Callbacks callbacks) {
  HostSettings settings{.limits = run.spec.limits,
                        .permissions = run.spec.permissions,
                        .granted = run.granted,
                        .deterministic = run.spec.deterministic,
                        .clock = &run.clock,
                        .program_arguments = &run.spec.program_arguments,
                        .environment = &run.spec.environment,
                        .folder = run.folder,
                        .ends_at_output_limit = run.spec.ends_at_output_limit,
                        .account = run.account,
                        .ending_limits = run.ending_limits,
                        .stacks = run.stacks};
  const bool called = callbacks == Callbacks::called;
  if (called) settings.on_log = run.spec.on_log;
  // A stream that was taken away before is taken away again, or the answers would differ.
  static const HostSettings::OnBytes nobody = [](std::string_view) {};
  if (run.spec.on_stdout) settings.on_stdout = called ? &run.spec.on_stdout : &nobody;
  if (run.spec.on_stderr) settings.on_stderr = called ? &run.spec.on_stderr : &nobody;
  return settings;
}

std::uint64_t to_ns(Clock::TimePoint time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }

Allowance allowance_of(const Limits& limits, Clock::TimePoint deadline) {
  return {.fuel = limits.fuel_max,
          .deadline_ns = to_ns(deadline),
          .call_depth = static_cast<std::uint32_t>(limits.call_depth_max)};
}

Result<End> instantiate_and_call(const RunContext& run, const Code& code, Guest& guest,
                                 std::span<std::uint64_t> slots) {
  PETRI_TRY(auto end, guest.instantiate(code, initialize_for(run.spec.function)));
  if (end.kind != EndKind::returned) return end;
  write_arguments(run.spec.arguments, run.target, slots);
  return guest.call(run.target.export_number, slots);
}

}  // namespace

Result<AttemptResult> attempt(const RunContext& run, const Code& code, const AttemptOptions& options) {
  const bool called = options.callbacks == Callbacks::called;
  HostContext context(settings_of(run, options.callbacks), run.spec.seed);
  Guest guest(run.artifact, context, &run.interrupt);
  std::vector<std::uint64_t> slots(run.target.slots());
  const Clock::TimePoint start = run.clock.now();
  Allowance allowance = allowance_of(run.spec.limits, start + options.time_max);
  if (run.turns != nullptr) {
    context.turns = run.turns;
    allowance.turn_ns = run.turns->begin(allowance.deadline_ns, run.interrupt);
  }
  guest.begin(allowance, run.spec.input);
  auto ended = instantiate_and_call(run, code, guest, slots);
  if (run.turns != nullptr) run.turns->end(called ? guest.fuel_used() : 0);
  PETRI_TRY(const End end, std::move(ended));
  context.finish(0);
  if (called) context.report_to_account();

  AttemptResult result{.outcome = collect_outcome(run.artifact, end, guest, context), .waited = context.waited};
  result.outcome.seed = run.spec.seed;
  result.outcome.tier = code.tier();
  result.outcome.wall_time = run.clock.now() - start;
  if (end.kind == EndKind::returned) result.outcome.values = values_of(run.target.signature, slots);
  return result;
}

}  // namespace petri
