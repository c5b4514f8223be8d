#include "evaluation/case_runner.h"

#include <time.h>

#include <algorithm>
#include <cstring>

#include "engine/sha256.h"
#include "evaluation/link_candidate.h"
#include "evaluation/spec_check.h"

namespace petri {
namespace {

// Each candidate has a stream of its own for each seed. An artifact's id is a hash, so any part of it is as good as
// random.
std::uint64_t seed_for(std::uint64_t seed, const ArtifactId& artifact) {
  std::uint64_t part;
  std::memcpy(&part, artifact.sha256.data(), sizeof(part));
  std::uint64_t mixed = seed + 0x9e37'79b9'7f4a'7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11eb;
  return (mixed ^ (mixed >> 31)) ^ part;
}

// Reading the exact clock for each case costs as much as a short case. The coarse one is a few milliseconds behind:
// where that is little beside the limit, the deadline is so much later instead.
std::uint64_t deadline_after(std::chrono::nanoseconds duration) {
  constexpr auto kLittleBeside = std::chrono::milliseconds(100);
  constexpr std::uint64_t kBehindMax = 10'000'000;
  const bool coarse = duration >= kLittleBeside;
  timespec now{};
  ::clock_gettime(coarse ? CLOCK_MONOTONIC_COARSE : CLOCK_MONOTONIC, &now);
  const auto now_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  return now_ns + static_cast<std::uint64_t>(duration.count()) + (coarse ? kBehindMax : 0);
}

HostSettings settings_of(const EvaluationPlan& plan) {
  return {.limits = limits_of(plan.spec, plan.options.case_time_max),
          .permissions = kCandidatePermissions,
          .deterministic = true};
}

// `_start` is a program's own beginning, and a call of `_initialize` is the initialization.
Initialize initialize_for(std::string_view function) {
  return function == "_start" || function == "_initialize" ? Initialize::no : Initialize::yes;
}

const Digest& digest_of_nothing() {
  static const Digest digest = sha256({});
  return digest;
}

}  // namespace

struct CaseRunner::Candidate {
  Guest guest;
  const RunTarget& target;
  TierPath& path;
  Record& record;
  std::uint64_t seed;
  Initialize initialize;
};

CaseRunner::CaseRunner(const EvaluationPlan& plan, const std::atomic<std::uint32_t>& interrupt)
    : plan_(plan), interrupt_(interrupt), context_(settings_of(plan), plan.spec.seed) {}

Result<void> CaseRunner::run(const LoadableArtifact& artifact, const RunTarget& target, TierPath& path,
                             Record& record) {
  Candidate candidate{.guest = Guest(artifact, context_, &interrupt_),
                      .target = target,
                      .path = path,
                      .record = record,
                      .seed = seed_for(plan_.spec.seed, artifact.id()),
                      .initialize = initialize_for(plan_.spec.function)};
  const std::size_t cases = plan_.cases.size();
  record.outcome = OutcomeKind::ok;
  record.value_types.assign(target.signature.results.begin(), target.signature.results.end());
  record.value_bits.resize(cases * record.values_per_case());
  record.kinds.reserve(cases);
  slots_.resize(target.slots());
  output_digests_.clear();
  outputs_.clear();
  for (std::size_t number = 0; number < cases; ++number) {
    PETRI_TRY(const End end, run_case(candidate, number));
    if (end.kind == EndKind::cancelled)
      return fail(ErrorCode::cancelled, "the evaluation was stopped while this candidate ran");
    note(candidate, number,
         verdict_of({.end = end,
                     .output_bytes_cut = context_.output.bytes_cut(),
                     .output_cut_by_memory = context_.output_cut_by_memory}));
    if (record.first_failure && plan_.spec.stop_at_first_failure) break;
  }
  record.value_bits.resize(record.kinds.size() * record.values_per_case());
  record.output = digest_outputs(record.kinds.size());
  return {};
}

Result<End> CaseRunner::run_case(Candidate& candidate, std::size_t number) {
  Guest& guest = candidate.guest;
  candidate.path.move_if_ready(guest);
  guest.begin(next_allowance(), plan_.cases[number].input);
  if (!guest.alive()) {
    context_.reseed(candidate.seed);
    PETRI_TRY(const End end, guest.instantiate(candidate.path.code_for_instance(), candidate.initialize));
    if (end.kind != EndKind::returned) return end;
  }
  std::ranges::copy(plan_.arguments_of(number), slots_.begin());
  return guest.call(candidate.target.export_number, slots_);
}

void CaseRunner::note(Candidate& candidate, std::size_t number, const Verdict& verdict) {
  Record& record = candidate.record;
  const bool is_ok = verdict.kind == OutcomeKind::ok;
  record.kinds.push_back(verdict.kind);
  if (is_ok) {
    const std::size_t first = number * record.values_per_case();
    for (std::size_t index = 0; index < record.values_per_case(); ++index) {
      record.value_bits[first + index] = Value::from_bits(record.value_types[index], slots_[index]).bits();
    }
  } else if (!record.first_failure) {
    note_failure(record, number, verdict);
  }
  if (!verdict.repeatable) record.repeatable = false;
  record.fuel_used += candidate.guest.fuel_used();
  record.memory_peak_bytes =
      std::max(record.memory_peak_bytes, candidate.guest.memory_bytes() + context_.output.bytes_kept());
  if (plan_.options.scorer || context_.output.bytes_kept() > 0) note_output(number);
  if (!is_ok || plan_.spec.instances == Instances::per_case) candidate.guest.drop();
  candidate.path.add_burned(candidate.guest.fuel_used(), number + 1 < plan_.cases.size());
}

void CaseRunner::note_failure(Record& record, std::size_t number, const Verdict& verdict) {
  record.first_failure = number;
  record.outcome = verdict.kind;
  record.trap = verdict.trap;
  record.exit_code = verdict.exit_code;
}

void CaseRunner::note_output(std::size_t number) {
  const std::string& output = context_.output.text();
  if (plan_.options.scorer) outputs_.push_back(output);
  if (output.empty()) return;
  output_digests_.resize(number, digest_of_nothing());
  output_digests_.push_back(sha256({reinterpret_cast<const std::uint8_t*>(output.data()), output.size()}));
}

std::optional<Digest> CaseRunner::digest_outputs(std::size_t cases) const {
  if (output_digests_.empty()) return std::nullopt;
  std::vector<Digest> all = output_digests_;
  all.resize(cases, digest_of_nothing());
  return sha256({all.front().data(), all.size() * sizeof(Digest)});
}

Allowance CaseRunner::next_allowance() const {
  return {.fuel = plan_.spec.fuel_max,
          .deadline_ns = deadline_after(plan_.options.case_time_max),
          .call_depth = static_cast<std::uint32_t>(plan_.spec.call_depth_max)};
}

}  // namespace petri
