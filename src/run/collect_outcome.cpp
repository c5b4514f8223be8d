#include "run/collect_outcome.h"

#include "run/backtrace.h"
#include "run/outcome_of.h"

namespace petri {

Outcome collect_outcome(const LoadableArtifact& artifact, const End& end, Guest& guest, HostContext& context) {
  Outcome outcome;
  collect_into(outcome, artifact, end, guest, context);
  return outcome;
}

void collect_into(Outcome& outcome, const LoadableArtifact& artifact, const End& end, Guest& guest,
                  HostContext& context) {
  const Verdict verdict = verdict_of({.end = end,
                                      .output_bytes_cut = context.output.bytes_cut(),
                                      .output_cut_by_memory = context.output_cut_by_memory});
  outcome.kind = verdict.kind;
  outcome.place = guest.place();
  outcome.trap = verdict.trap;
  outcome.exit_code = verdict.exit_code;
  if (!verdict.cause.empty()) outcome.cause = verdict.cause;
  if (!context.ended_by.empty()) {
    outcome.cause = context.ended_by;
    if (context.ended_by == "cpu_percent_max") outcome.kind = OutcomeKind::cpu_limit;
  }
  outcome.returned = verdict.returned;
  outcome.output_bytes_cut = context.output.bytes_cut();
  outcome.counts = context.counts;
  outcome.fuel_used = guest.fuel_used();
  outcome.memory_peak_bytes = guest.memory_bytes() + context.output.bytes_kept();
  outcome.artifact = artifact.id();
  outcome.repeatable = verdict.repeatable && !context.saw_outside;
  if (context.output.bytes_kept() > 0) outcome.output = context.output.take();
  if (end.kind == EndKind::trapped && guest.instance() != nullptr) {
    outcome.backtrace = name_frames(artifact, guest.instance()->backtrace());
  }
}

std::vector<Value> values_of(const SignatureView& signature, std::span<const std::uint64_t> slots) {
  std::vector<Value> values;
  add_values(values, signature, slots);
  return values;
}

void add_values(std::vector<Value>& values, const SignatureView& signature, std::span<const std::uint64_t> slots) {
  values.reserve(signature.results.size());
  for (std::size_t index = 0; index < signature.results.size(); ++index) {
    values.push_back(Value::from_bits(signature.results[index], slots[index]));
  }
}

}  // namespace petri
