#include "run/collect_outcome.h"

#include "run/backtrace.h"
#include "run/outcome_of.h"

namespace petri {

Outcome collect_outcome(const LoadableArtifact& artifact, const End& end, Guest& guest, HostContext& context) {
  const Verdict verdict = verdict_of({.end = end,
                                      .output_bytes_cut = context.output.bytes_cut(),
                                      .output_cut_by_memory = context.output_cut_by_memory});
  Outcome outcome{.kind = verdict.kind,
                  .place = guest.place(),
                  .trap = verdict.trap,
                  .exit_code = verdict.exit_code,
                  .cause = std::string(verdict.cause),
                  .returned = verdict.returned,
                  .output_bytes_cut = context.output.bytes_cut(),
                  .counts = context.counts,
                  .fuel_used = guest.fuel_used(),
                  .memory_peak_bytes = guest.memory_bytes() + context.output.bytes_kept(),
                  .artifact = artifact.id(),
                  .repeatable = verdict.repeatable};
  outcome.output = context.output.take();
  if (end.kind == EndKind::trapped && guest.instance() != nullptr) {
    outcome.backtrace = name_frames(artifact, guest.instance()->backtrace());
  }
  return outcome;
}

std::vector<Value> values_of(const SignatureView& signature, std::span<const std::uint64_t> slots) {
  std::vector<Value> values;
  values.reserve(signature.results.size());
  for (std::size_t index = 0; index < signature.results.size(); ++index) {
    values.push_back(Value::from_bits(signature.results[index], slots[index]));
  }
  return values;
}

}  // namespace petri
