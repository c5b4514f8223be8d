#include "evaluation/candidate/case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/clock.h"
#include "base/text/byte_text.h"
#include "base/text/utf8.h"
#include "engine/sha256.h"
#include "evaluation/candidate/link_candidate.h"
#include "evaluation/candidate/score.h"
#include "evaluation/spec_check.h"

namespace petri {
namespace {

// Each candidate has a stream of its own for each seed. An artifact's id is a hash, so any part of it is as good as
// random.
std::uint64_t seed_for(std::uint64_t seed, const ArtifactId& artifact) {
  std::uint64_t part;
  std::memcpy(&part, artifact.bytes.data(), sizeof(part));
  std::uint64_t mixed = seed + 0x9e37'79b9'7f4a'7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11eb;
  return (mixed ^ (mixed >> 31)) ^ part;
}

// The exact clock is read for each case only where milliseconds matter.
constexpr auto kMillisecondsMatter = std::chrono::milliseconds(100);
// Reading it costs as much as a short case: elsewhere it is read after this much fuel, or this many cases.
constexpr std::uint64_t kBurnedMax = 100'000;
constexpr std::size_t kCasesBetweenLooks = 256;
// The most that all cases of a candidate may write for a scorer together, as a multiple of memory_bytes_max.
constexpr std::uint64_t kOutputsMemories = 16;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

std::uint64_t deadline_of_candidate(std::chrono::nanoseconds time_max) {
  if (time_max == std::chrono::nanoseconds::max()) return kNever;
  return kernel_ns(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(time_max.count());
}

HostSettings settings_of(const EvaluationPlan& plan) {
  return {.limits = limits_of(plan.spec, plan.options.case_time_max),
          .permissions = kCandidatePermissions,
          .deterministic = true,
          .ends_at_output_limit = true};
}

// A case that was not ok, or has the wrong answer where answers are compared: a program that exits with 0 is none.
bool has_failed(const Record& record, const EvaluationPlan& plan) {
  return plan.compares_answers ? !record.wrong.empty() : record.first_failure.has_value();
}

bool is_good_exit(const Verdict& verdict) { return verdict.kind == OutcomeKind::exited && verdict.exit_code == 0; }

// Up to this many bytes, and no part of a character; of what is no text, the first bytes.
std::string_view kept_prefix(std::string_view output, std::uint64_t bytes_max) {
  const std::string_view first = output.substr(0, bytes_max);
  const std::string_view whole = utf8_prefix(output, bytes_max);
  return is_utf8(whole) ? whole : first;
}

const Sha256& digest_of_nothing() {
  static const Sha256 digest = sha256({});
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
  // Nothing but its instance is the candidate's: its cases may be called one after the other without the host.
  bool in_series;
};

CaseRunner::CaseRunner(const EvaluationPlan& plan, const std::atomic<std::uint32_t>& interrupt, WorkerTurns* turns)
    : plan_(plan), interrupt_(interrupt), turns_(turns), context_(settings_of(plan), plan.spec.seed) {
  context_.turns = turns;
}

Result<void> CaseRunner::run(const Called& called, TierPath& path, Record& record) {
  const RunTarget& target = called.target;
  Candidate candidate{.guest = Guest(called.module, context_, &interrupt_),
                      .target = target,
                      .path = path,
                      .record = record,
                      .seed = seed_for(plan_.spec.seed, *record.artifact),
                      .initialize = initialize_for(plan_.spec.function),
                      .in_series = called.module.facts().imports == 0 && !plan_.fresh_each_case &&
                                   !plan_.compares_answers && plan_.options.case_time_max >= kMillisecondsMatter};
  const std::size_t cases = plan_.cases.size();
  burned_since_ = kNever;  // another candidate, another look at the clock
  candidate_deadline_ns_ = deadline_of_candidate(plan_.options.candidate_time_max);
  record.outcome = OutcomeKind::ok;
  record.value_types.assign(target.signature.results.begin(), target.signature.results.end());
  record.value_bits.resize(cases * record.values_per_case());
  record.kinds.reserve(cases);
  output_digests_.clear();
  outputs_.clear();
  outputs_bytes_ = 0;
  kept_bytes_left_ = std::min(plan_.spec.memory_bytes_max, kKeptOutputsBytesMax);
  PETRI_TRY(run_cases(candidate));
  record.value_bits.resize(record.kinds.size() * record.values_per_case());
  record.output = digest_outputs(record.kinds.size());
  if (!record.output) record.outputs.clear();
  return {};
}

Result<void> CaseRunner::run_cases(Candidate& candidate) {
  const Record& record = candidate.record;
  while (record.kinds.size() < plan_.cases.size()) {
    PETRI_TRY(run_next(candidate, record.kinds.size()));
    if (plan_.options.scorer) PETRI_TRY(check_kept_outputs());
    if (candidate_deadline_ns_ != kNever && is_late(record))
      return fail(ErrorCode::timeout, "the candidate took longer than candidate_time_max");
    if (plan_.spec.stop_at_first_failure && has_failed(record, plan_)) break;
  }
  return {};
}

Result<void> CaseRunner::run_next(Candidate& candidate, std::size_t number) {
  candidate.path.move_if_ready(candidate.guest);
  if (candidate.in_series && candidate.guest.alive()) return run_series(candidate, number);
  PETRI_TRY(const End end, run_case(candidate, number));
  return note_end(candidate, number, end);
}

// Up to the next look at the clock, or to the first case that does not return.
Result<void> CaseRunner::run_series(Candidate& candidate, std::size_t first) {
  const std::size_t calls = std::min(plan_.cases.size() - first, kCasesBetweenLooks - first % kCasesBetweenLooks);
  const std::size_t slots_each = candidate.target.slots();
  slots_.resize(calls * slots_each);
  for (std::size_t call = 0; call < calls; ++call) {
    std::ranges::copy(plan_.arguments_of(first + call),
                      slots_.begin() + static_cast<std::ptrdiff_t>(call * slots_each));
  }
  candidate.guest.begin(next_allowance(), {});
  PETRI_TRY(const CallSeries series,
            candidate.guest.call_series(candidate.target.export_number, slots_, calls, kBurnedMax));
  note_returned(candidate, first, series);
  if (series.end.kind == EndKind::returned) return {};
  return note_end(candidate, first + series.returned, series.end);
}

Result<End> CaseRunner::run_case(Candidate& candidate, std::size_t number) {
  Guest& guest = candidate.guest;
  burned_since_ = kNever;  // functions of the host, and making an instance, take time but no fuel
  guest.begin(next_allowance(), plan_.cases[number].input);
  if (!guest.alive()) {
    context_.reseed(candidate.seed);
    PETRI_TRY(const End end, guest.instantiate(candidate.path.code_for_instance(), candidate.initialize));
    if (end.kind != EndKind::returned) return end;
  }
  slots_.resize(candidate.target.slots());
  std::ranges::copy(plan_.arguments_of(number), slots_.begin());
  return guest.call(candidate.target.export_number, slots_);
}

void CaseRunner::note_returned(Candidate& candidate, std::size_t first, const CallSeries& series) {
  Record& record = candidate.record;
  record.fuel_used += series.fuel_used;
  record.memory_peak_bytes = std::max(record.memory_peak_bytes, candidate.guest.memory_bytes());
  burned_since_ += series.fuel_used;
  record.kinds.resize(first + series.returned, OutcomeKind::ok);
  const std::size_t slots_each = candidate.target.slots();
  for (std::size_t call = 0; call < series.returned; ++call) {
    note_values(record, first + call, std::span(slots_).subspan(call * slots_each));
  }
  if (plan_.options.scorer) outputs_.resize(first + series.returned);
  if (plan_.spec.keep_output_bytes > 0) record.outputs.resize(first + series.returned);
  candidate.path.add_burned(series.fuel_used, record.kinds.size() < plan_.cases.size());
}

Result<void> CaseRunner::note_end(Candidate& candidate, std::size_t number, const End& end) {
  if (end.kind == EndKind::cancelled)
    return fail(ErrorCode::cancelled, "the evaluation was stopped while this candidate ran");
  Record& record = candidate.record;
  const std::uint64_t fuel = candidate.guest.fuel_used();
  const std::uint64_t written = context_.output.bytes_kept();
  record.fuel_used += fuel;
  record.memory_peak_bytes = std::max(record.memory_peak_bytes, candidate.guest.memory_bytes() + written);
  burned_since_ += fuel;
  if (end.kind == EndKind::returned && context_.output.bytes_cut() == 0) [[likely]] {
    record.kinds.push_back(OutcomeKind::ok);
    note_values(record, number, slots_);
    if (plan_.compares_answers) note_answer(record, number, true);
    if (plan_.fresh_each_case) candidate.guest.drop();
  } else {
    const Verdict verdict = verdict_of({.end = end,
                                        .output_bytes_cut = context_.output.bytes_cut(),
                                        .output_cut_by_memory = context_.output_cut_by_memory});
    note_failure(record, number, verdict);
    if (plan_.compares_answers) note_answer(record, number, is_good_exit(verdict));
    candidate.guest.drop();
  }
  if (written > 0 || plan_.options.scorer) note_output(number);
  if (plan_.spec.keep_output_bytes > 0) keep_output(record);
  candidate.path.add_burned(fuel, number + 1 < plan_.cases.size());
  return {};
}

void CaseRunner::note_values(Record& record, std::size_t number, std::span<const std::uint64_t> slots) {
  const std::size_t count = record.values_per_case();
  for (std::size_t index = 0; index < count; ++index) {
    record.value_bits[number * count + index] = Value::from_bits(record.value_types[index], slots[index]).bits();
  }
}

void CaseRunner::note_failure(Record& record, std::size_t number, const Verdict& verdict) const {
  record.kinds.push_back(verdict.kind);
  if (!verdict.repeatable) record.repeatable = false;
  if (record.first_failure) return;
  record.first_failure = number;
  record.outcome = verdict.kind;
  record.trap = verdict.trap;
  record.exit_code = verdict.exit_code;
}

void CaseRunner::note_answer(Record& record, std::size_t number, bool ended_well) const {
  const EvaluationSpec& spec = plan_.spec;
  const auto target = spec.targets.empty() ? std::nullopt : std::optional(spec.targets[number]);
  const CaseAnswer answer{.ended_well = ended_well, .value = record.value(number), .output = context_.output.text()};
  if (!is_right(answer, plan_.cases[number], target, spec)) record.wrong.push_back(number);
}

void CaseRunner::keep_output(Record& record) {
  const std::string_view output = context_.output.text();
  const std::uint64_t room = std::min(plan_.spec.keep_output_bytes, kept_bytes_left_);
  const std::string_view kept = output.size() <= room ? output : kept_prefix(output, room);
  kept_bytes_left_ -= kept.size();
  record.outputs.push_back({.text = std::string(kept), .bytes = output.size()});
}

void CaseRunner::note_output(std::size_t number) {
  const std::string& output = context_.output.text();
  if (plan_.options.scorer) {
    outputs_.push_back(output);
    outputs_bytes_ += output.size();
  }
  if (output.empty()) return;
  output_digests_.resize(number, digest_of_nothing());
  output_digests_.push_back(sha256(as_bytes(output)));
}

// host_fault: a run without a scorer, as when the record is verified, has no such bound.
Result<void> CaseRunner::check_kept_outputs() const {
  const std::uint64_t bytes_max = kOutputsMemories * std::min(plan_.spec.memory_bytes_max, kNever / kOutputsMemories);
  if (outputs_bytes_ <= bytes_max) return {};
  return fail(ErrorCode::host_fault,
              fmt::format("the outputs of all cases take more than {} bytes, 16 times memory_bytes_max, which a scorer "
                          "is not given",
                          bytes_max));
}

std::optional<Sha256> CaseRunner::digest_outputs(std::size_t cases) const {
  if (output_digests_.empty()) return std::nullopt;
  std::vector<Sha256> all = output_digests_;
  all.resize(cases, digest_of_nothing());
  return sha256({all.front().bytes.data(), all.size() * sizeof(Sha256)});
}

bool CaseRunner::is_late(const Record& record) const {
  const bool looks = burned_since_ > kBurnedMax || record.kinds.size() % kCasesBetweenLooks == 0 || !record.repeatable;
  return looks && kernel_ns(CLOCK_MONOTONIC) >= candidate_deadline_ns_;
}

// Reading the exact clock costs as much as a short case. Elsewhere the coarse one is read, a few milliseconds behind,
// and only after some fuel; the deadline is so much later instead.
Allowance CaseRunner::next_allowance() {
  constexpr std::uint64_t kBehindMax = 10'000'000;
  const auto duration = static_cast<std::uint64_t>(plan_.options.case_time_max.count());
  if (plan_.options.case_time_max < kMillisecondsMatter) {
    deadline_ns_ = kernel_ns(CLOCK_MONOTONIC) + duration;
  } else if (burned_since_ > kBurnedMax) {
    deadline_ns_ = kernel_ns(CLOCK_MONOTONIC_COARSE) + kBehindMax + duration;
    burned_since_ = 0;
  }
  return {.fuel = plan_.spec.fuel_max,
          .deadline_ns = std::min(deadline_ns_, candidate_deadline_ns_),
          .call_depth = static_cast<std::uint32_t>(plan_.spec.call_depth_max),
          .turn_ns = turns_ == nullptr ? Budget::kNever : turns_->turn_ns()};
}

}  // namespace petri
