#include "evaluation/candidate/candidate_evaluator.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/module_size.h"
#include "base/text/escape.h"
#include "evaluation/candidate/link_candidate.h"
#include "evaluation/candidate/receipt.h"
#include "evaluation/candidate/score.h"
#include "evaluation/spec_check.h"

namespace petri {
namespace {

constexpr std::size_t kMessageBytesMax = 200;

}  // namespace

bool is_about_candidate(ErrorCode code) {
  return code != ErrorCode::host_fault && code != ErrorCode::engine_fault && code != ErrorCode::cancelled &&
         code != ErrorCode::busy && code != ErrorCode::timeout;
}

void set_error(Record& record, Error error) {
  Record failed{.row = record.row, .artifact = record.artifact};
  failed.error = error.code;
  failed.message = std::move(error.message);
  failed.repeatable = is_about_candidate(error.code);
  record = std::move(failed);
}

CandidateEvaluator::CandidateEvaluator(const EvaluationPlan& plan, const EvaluationServices& services,
                                       const std::atomic<std::uint32_t>& interrupt, WorkerTurns* turns)
    : plan_(plan), services_(services), runner_(plan, interrupt, turns) {}

void CandidateEvaluator::expect(const Sha256& key) const {
  if (plan_.options.use_cache) services_.cache.expect({.candidate = key, .spec = plan_.digest});
}

CandidateEvaluator::Answer CandidateEvaluator::evaluate(const Candidate& candidate, const Sha256& key,
                                                        ArtifactPtr prepared, Record& record, Timing& timing) {
  Answer answer;
  try {
    answer = evaluate_now(candidate, key, std::move(prepared), record, timing);
    score(record);
    if (plan_.options.receipts && can_have_receipt(record)) record.receipt = receipt_of(record, plan_.digest, buffer_);
  } catch (const std::exception& thrown) {
    set_error(record, {.code = ErrorCode::host_fault,
                       .message = fmt::format("the candidate could not be evaluated: {}",
                                              escape_text(thrown.what(), kMessageBytesMax))});
  }
  return answer;
}

CandidateEvaluator::Answer CandidateEvaluator::evaluate_now(const Candidate& candidate, const Sha256& key,
                                                            ArtifactPtr prepared, Record& record, Timing& timing) {
  if (record.error) return {};
  if (plan_.options.use_cache && take_from_cache(key, record)) {
    timing.cache_hit = true;
    return {};
  }
  auto answer = run(candidate, key, std::move(prepared), record, timing);
  if (!answer) set_error(record, std::move(answer.error()));
  if (plan_.options.use_cache && record.repeatable) {
    services_.cache.insert({.candidate = key, .spec = plan_.digest}, pack_result(record, buffer_));
  }
  return answer.value_or(Answer{});
}

bool CandidateEvaluator::take_from_cache(const Sha256& key, Record& record) {
  const auto packed = services_.cache.find({.candidate = key, .spec = plan_.digest});
  if (!packed) return false;
  Record known = unpack_result(*packed);
  // A scorer reads the outputs themselves, and only their digest is kept.
  if (plan_.options.scorer && known.output) return false;
  known.row = record.row;
  record = std::move(known);
  return true;
}

Result<CandidateEvaluator::Answer> CandidateEvaluator::run(const Candidate& candidate, const Sha256& key,
                                                           ArtifactPtr prepared, Record& record, Timing& timing) {
  std::optional<CompiledModule> compiled;
  if (plan_.options.tier != Tier::interpreted) compiled = services_.modules.find(key);
  if (compiled) prepared = std::move(compiled->artifact);
  PETRI_TRY(const ArtifactPtr artifact, artifact_of(candidate, key, std::move(prepared)));
  record.artifact = artifact->id();
  PETRI_TRY(check_module_size(artifact->bytes().size(), plan_.spec.module_bytes_max));
  PETRI_TRY(const Called called, called_for(loadable(*artifact)));
  PETRI_TRY(check_row_values(plan_.spec, plan_.cases.size(), called.target.signature.results.size()));
  TierPath path(plan_, services_, artifact, compiled ? std::move(compiled->code) : nullptr);
  PETRI_TRY(path.begin());
  auto done = runner_.run(called, path, record);
  if (!done && done.error().code == ErrorCode::engine_fault && path.tier() == Tier::interpreted) {
    // The other engine gives the same answer.
    record = {.row = record.row, .artifact = record.artifact};
    PETRI_TRY(path.begin_compiled());
    done = runner_.run(called, path, record);
  }
  path.finish();
  timing.tier = path.tier();
  if (!done) return fail(std::move(done.error()));
  return Answer{.promoted = path.was_promoted()};
}

Result<Called> CandidateEvaluator::called_for(const LoadableArtifact& candidate) const {
  if (plan_.harness) return Called{.module = plan_.harness->loaded->module(), .target = plan_.harness->target};
  PETRI_TRY(const RunTarget target, find_run_target(candidate, plan_.first_run, ArgumentTypes::exact));
  return Called{.module = candidate, .target = target};
}

// A candidate that is not prepared yet is bytes, and their hash is its key.
Result<ArtifactPtr> CandidateEvaluator::artifact_of(const Candidate& candidate, const Sha256& key,
                                                    ArtifactPtr prepared) const {
  if (prepared != nullptr) return prepared;
  return services_.engine.prepare_hashed(std::get<std::span<const std::uint8_t>>(candidate.form()), key,
                                         plan_.spec.module_bytes_max);
}

void CandidateEvaluator::score(Record& record) {
  if (record.error) return;
  if (plan_.spec.scorer == Scorer::metrics) record.metrics = metrics_of(record, plan_.cases.size());
  if (!plan_.options.scorer) {
    record.score = score_of(record, plan_.cases, plan_.spec);
    return;
  }
  try {
    record.score = with_one_nan(ask_scorer(record));
  } catch (const std::exception& thrown) {
    set_error(record, {.code = ErrorCode::host_fault,
                       .message = fmt::format("the scorer failed: {}", escape_text(thrown.what(), kMessageBytesMax))});
  } catch (...) {
    set_error(record, {.code = ErrorCode::host_fault, .message = "the scorer failed"});
  }
}

double CandidateEvaluator::ask_scorer(const Record& record) {
  views_.clear();
  const std::size_t values = record.values_per_case();
  const std::vector<std::string>& outputs = runner_.outputs();
  for (std::size_t index = 0; index < record.kinds.size(); ++index) {
    views_.push_back({.kind = record.kinds[index],
                      .value_bits = std::span(record.value_bits).subspan(index * values, values),
                      .output = record.output ? std::string_view(outputs[index]) : std::string_view()});
  }
  return plan_.options.scorer(record.row, views_);
}

}  // namespace petri
