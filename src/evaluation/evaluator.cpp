#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "base/clock.h"
#include "base/threads/thread_pool.h"
#include "compiling/compile_workers.h"
#include "evaluation/cache/record_claims.h"
#include "evaluation/evaluation_plan.h"
#include "evaluation/evaluation_threads.h"
#include "evaluation/evaluation_worker.h"
#include "evaluation/records/writer.h"
#include "evaluation/spec_check.h"
#include "evaluation/spec_digest.h"
#include "petri/evaluate.h"
#include "petri/records.h"

namespace petri {
namespace {

ScoredBy scored_by(std::span<const Case> cases, const EvaluationSpec& spec, const EvaluationOptions& options) {
  if (options.scorer) return ScoredBy::host;
  return scored_by_of(cases, spec);
}

RecordsHeader header_of(const EvaluationPlan& plan) {
  Rules rules = rules_here(plan.host);
  return {.spec = plan.spec,
          .cases = {plan.cases.begin(), plan.cases.end()},
          .scored_by = scored_by(plan.cases, plan.spec, plan.options),
          .receipts = plan.options.receipts,
          .fuel_table = rules.fuel_table,
          .abi = rules.abi,
          .host_functions = std::move(rules.host_functions),
          .digest = plan.digest};
}

PromoterOptions promoter_options(const EvaluatorOptions& options) {
  return {.fuel = options.promote_fuel,
          .fuel_per_byte = options.promote_fuel_per_byte,
          .time_max = options.promotion_time_max,
          .compile = options.compile,
          .on_unavailable = nullptr};
}

unsigned workers_for(unsigned asked, std::size_t rows, const EvaluationThreads& threads) {
  const unsigned workers = asked != 0 ? asked : threads.workers();
  return static_cast<unsigned>(std::min<std::size_t>(workers, std::max<std::size_t>(rows, 1)));
}

Result<void> check_rows(std::size_t rows) {
  if (rows < std::numeric_limits<std::uint32_t>::max()) return {};
  return fail(ErrorCode::too_large, fmt::format("{} candidates are too many for one evaluation; split them up", rows));
}

// How many rows at the end of the evaluation are cancelled.
std::size_t cancelled_at_end(const std::vector<Record>& records) {
  const auto last_done = std::find_if(records.rbegin(), records.rend(),
                                      [](const Record& record) { return record.error != ErrorCode::cancelled; });
  return static_cast<std::size_t>(last_done - records.rbegin());
}

void count_rows(const std::vector<Record>& records, EvaluationCounts& counts) {
  counts.rows = records.size();
  for (const Record& record : records) {
    if (record.error == ErrorCode::cancelled) ++counts.cancelled;
    if (record.repeats_row) ++counts.repeated;
  }
}

// The threads of one evaluator, which shares them with nobody: each part has one, and they are kept for the next
// evaluation.
class OwnThreads final : public EvaluationThreads {
 public:
  Result<void> run(unsigned count, const Body& body) override {
    return threads_.run(count, [&body](unsigned part) { body(part, nullptr); });
  }
  unsigned workers() const override { return std::max(1U, std::thread::hardware_concurrency()); }

 private:
  ThreadPool threads_{{.name = "petri-eval"}};
};

}  // namespace

struct Evaluator::Impl {
  // Threads that others use too outlive it; none: it has its own.
  Impl(HostFunctions functions, const EvaluatorOptions& options, EvaluationThreads* shared)
      : host(std::move(functions)),
        modules(options.compiled_modules_max),
        promoter(promoter_options(options), clock, modules),
        harness_promoter(promoter_options(options), clock, no_modules),
        harnesses(host, harness_promoter, options.compile),
        cache(options.cache_records_max),
        compile(options.compile),
        threads(shared == nullptr ? own : *shared) {}

  Result<EvaluationPlan> make_plan(std::span<const Case> cases, const EvaluationSpec& spec,
                                   const EvaluationOptions& options);
  Result<void> run_workers(const EvaluationRun& run, unsigned workers, EvaluationCounts& counts);

  const HostFunctions host;
  const SystemClock clock;
  CompiledModules modules;
  Promoter promoter;
  CompiledModules no_modules{0};  // harnesses keep their code themselves
  Promoter harness_promoter;
  Harnesses harnesses;
  RecordCache cache;
  const MachineCodeOptions compile;
  const EvaluationServices services{
      .engine = wasm_engine(), .modules = modules, .promoter = promoter, .cache = cache, .compile = compile};
  OwnThreads own;  // after what its threads use
  EvaluationThreads& threads;
};

Result<EvaluationPlan> Evaluator::Impl::make_plan(std::span<const Case> cases, const EvaluationSpec& spec,
                                                  const EvaluationOptions& options) {
  if (options.tier == Tier::compiled) PETRI_TRY(check_compiles(compile));
  EvaluationPlan plan(cases, spec, options, host);
  if (!spec.harness) return plan;
  PETRI_TRY(LoadedHarnessPtr loaded, harnesses.of(spec));
  PETRI_TRY(const RunTarget target, find_harness_target(loaded->module(), plan.first_run));
  PETRI_TRY(check_metrics(spec, target));
  plan.fresh_each_case = plan.fresh_each_case || loaded->calls_command();
  plan.harness = PlannedHarness{.loaded = std::move(loaded), .target = target};
  return plan;
}

Result<void> Evaluator::Impl::run_workers(const EvaluationRun& run, unsigned workers, EvaluationCounts& counts) {
  std::vector<WorkDone> done(workers);
  PETRI_TRY(threads.run(workers, [&](unsigned number, WorkerTurns* turns) {
    done[number] = EvaluationWorker(run, number, turns).work();
  }));
  for (const WorkDone& one : done) {
    counts.evaluated += one.evaluated;
    counts.cache_hits += one.cache_hits;
    counts.promoted += one.promoted;
  }
  return {};
}

Evaluator::Evaluator(HostFunctions host, EvaluatorOptions options)
    : impl_(std::make_unique<Impl>(std::move(host), options, nullptr)) {}
Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Evaluator::~Evaluator() = default;

std::unique_ptr<Evaluator> EvaluatorAccess::create(HostFunctions host, const EvaluatorOptions& options,
                                                   EvaluationThreads& threads) {
  auto impl = std::make_unique<Evaluator::Impl>(std::move(host), options, &threads);
  return std::unique_ptr<Evaluator>(new Evaluator(std::move(impl)));
}

Result<Evaluation> Evaluator::evaluate(std::span<const Candidate> candidates, std::span<const Case> cases,
                                       const EvaluationSpec& spec, const EvaluationOptions& options) {
  PETRI_TRY(check_evaluation(cases, spec, options));
  PETRI_TRY(check_rows(candidates.size()));
  const Clock::TimePoint start = impl_->clock.now();
  PETRI_TRY(const EvaluationPlan plan, impl_->make_plan(cases, spec, options));
  if (options.records != nullptr) PETRI_TRY(RecordsWriterAccess::begin(*options.records, header_of(plan)));

  std::atomic<std::uint32_t> stop{0};
  const std::stop_callback on_stop(options.stop, [&stop] { stop.store(1); });
  const unsigned workers = workers_for(options.workers, candidates.size(), impl_->threads);
  CandidateRows rows(candidates, impl_->services.engine, spec.module_bytes_max, options.records != nullptr);
  RowChunks chunks(candidates.size(), workers);
  ProgressBoard board(candidates.size(), workers, options);
  Delivery delivery(rows, chunks, board, options, stop);
  const EvaluationRun run{.plan = plan,
                          .services = impl_->services,
                          .clock = impl_->clock,
                          .rows = rows,
                          .chunks = chunks,
                          .board = board,
                          .delivery = delivery,
                          .stop = stop};
  Evaluation evaluation;
  const Result<void> ran = impl_->run_workers(run, workers, evaluation.counts);
  delivery.finish();
  evaluation.records = rows.take_records();
  evaluation.timings = rows.take_timings();
  evaluation.write_error = delivery.error();
  if (options.records != nullptr)
    RecordsWriterAccess::end(*options.records, candidates.size(), cancelled_at_end(evaluation.records));
  if (options.timings != nullptr) RecordsWriterAccess::end(*options.timings, candidates.size());
  PETRI_TRY(ran);
  count_rows(evaluation.records, evaluation.counts);
  board.finish(evaluation.records);
  evaluation.wall_time = impl_->clock.now() - start;
  return evaluation;
}

EvaluatorStatistics Evaluator::statistics() const {
  const RecordCache::Counts cache = impl_->cache.counts();
  return {.cache_hits = cache.hits,
          .cache_misses = cache.misses,
          .cache_records = cache.records,
          .compiled_modules = impl_->modules.size(),
          .promotions = impl_->promoter.promotions(),
          .promotions_given_up = impl_->promoter.given_up(),
          .compiling_unavailable = impl_->promoter.is_unavailable() || impl_->harness_promoter.is_unavailable()};
}

}  // namespace petri
