// The inside of a runtime: all parts, and how they are wired. The order of the members matters: a part may use those
// above it, and is destroyed before them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "batch/run_batch.h"
#include "evaluation/evaluation_threads.h"
#include "petri/runtime.h"
#include "process/account/memory_budget.h"
#include "process/history/retrace_budget.h"
#include "runtime/batch_report.h"
#include "runtime/collector.h"
#include "runtime/registry.h"
#include "runtime/runtime_compiler.h"
#include "runtime/shared_threads.h"
#include "runtime/watches.h"
#include "sandbox/sandbox_core.h"

namespace petri {

struct Runtime::Impl {
  explicit Impl(RuntimeOptions given);

  // Called once workers and timers exist.
  void make_services();
  // Creates the memory budget if the options set one.
  void make_budget();
  void report(const MemoryBudget::Pressure& pressure);
  // Publishes once that code cannot be compiled. On the promoter's thread.
  void report_unavailable(const Error& error);
  // Made for the first evaluation: most runtimes have none.
  Evaluator& evaluator() EXCLUDES(evaluator_mutex);
  void count(const Evaluation& evaluation);
  // Made for the first watch: it has a thread.
  Result<Watches*> watches() EXCLUDES(watches_mutex);
  Result<void> watch_from_the_start(const CorePtr& core);
  void forget_watches(SandboxCore& core) EXCLUDES(watches_mutex);
  std::size_t watched() EXCLUDES(watches_mutex);
  // Ends compiles, and waits for reloads that are under way.
  void end_watches() EXCLUDES(watches_mutex);
  // A sandbox that nobody knows yet.
  Result<CorePtr> make_core(SandboxSpec given);
  // Registers the sandbox and starts it; already_exists while a live one has the id. One that fails to start stays
  // registered, so that it can be restarted, unless it was to start from `origin`.
  Result<Sandbox> begin(CorePtr core, const SnapshotOrigin* origin);
  // A fork or a sandbox from a snapshot: like `like`, with the state of `origin`.
  Result<Sandbox> make_twin(const std::string& id, const SandboxCore::CloneSource& like, const SnapshotOrigin& origin,
                            const ForkOptions& fork);
  // Returns false if somebody else has destroyed it.
  bool destroy(SandboxCore& core);
  // Carries out the rows of a batch verb, and reports its start and its end.
  template <typename T>
  std::vector<Result<T>> carry_out(std::string_view verb, std::size_t rows, const BatchOptions& how, BatchWork<T> work);
  // Carries out rows that are about a sandbox each. `waits`: a row waits for the processes of its sandbox.
  template <typename T, typename Payload, typename Row>
  std::vector<Result<T>> carry_out_by_id(std::string_view verb, bool waits, std::vector<std::string> ids,
                                         PerRow<Payload> payload, const BatchOptions& how, Row row_of);
  // A batch of which no row is started.
  template <typename T>
  std::vector<Result<T>> refuse(std::string_view verb, std::size_t rows, const Error& error);
  // Collects each gc_interval, on a thread of the batches: a collection holds up no guest.
  void collect_later(Timers& on);
  // From now on no collection is started. The threads of the batches are about to end.
  void end_collections() EXCLUDES(ending_mutex);
  // Again and again, until the timers end. Their thread may be here while reset() has emptied `timers` already.
  void sample_later(Timers& on);
  // Once nothing has been destroyed for a while: what was freed by then is not wanted again so soon. By the timers'
  // thread, which hands on what takes time.
  void give_back_if_quiet();

  RuntimeOptions options;
  const Clock& clock;
  EventBus events;
  std::unique_ptr<AuditLog> audit;
  Quarantine quarantine;
  BlockList blocked;
  Metrics metrics;
  std::unique_ptr<MemoryBudget> budget;
  const std::shared_ptr<DescriptorPool> descriptors;
  FailedSources failed_sources;
  RetraceBudget retrace_budget;
  const std::shared_ptr<UnderWay> under_way = std::make_shared<UnderWay>();
  ArtifactStore artifacts;
  CompiledModules compiled{0};  // live processes keep what they run
  Promoter promoter;
  CodeStore code;
  const std::shared_ptr<Registry> shared_registry = std::make_shared<Registry>();  // with populations, which may stay
  Registry& registry = *shared_registry;
  RuntimeCompiler compiler;
  std::unique_ptr<Workers> workers;
  std::unique_ptr<GuestThreads> guest_threads;
  std::unique_ptr<Timers> timers;
  SharedTraits traits;
  SandboxServicesPtr services;                // once workers and timers are there
  std::unique_ptr<ThreadPool> batch_threads;  // rows that came too late use it while it ends
  Mutex ending_mutex;
  bool collections_ended GUARDED_BY(ending_mutex) = false;
  std::atomic<std::uint64_t> twins{0};  // forks that were made for evaluations
  Mutex watches_mutex;
  std::unique_ptr<Watches> watches_made GUARDED_BY(watches_mutex);
  Mutex evaluator_mutex;
  std::unique_ptr<SharedThreads> evaluation_threads GUARDED_BY(evaluator_mutex);
  std::unique_ptr<Evaluator> evaluator_made GUARDED_BY(evaluator_mutex);  // uses them
  std::atomic<std::uint64_t> destroyed{0};
  Collector collector{{.options = options,
                       .clock = clock,
                       .registry = registry,
                       .artifacts = artifacts,
                       .code = code,
                       .events = events,
                       .metrics = metrics,
                       .destroyed = destroyed,
                       .forget = [this](SandboxCore& core) { forget_watches(core); }}};
  std::uint64_t destroyed_before = 0, given_back_at = 0;  // by the timers' thread
};

template <typename T>
std::vector<Result<T>> Runtime::Impl::refuse(std::string_view verb, std::size_t rows, const Error& error) {
  BatchReport({.events = events, .metrics = metrics, .clock = clock}, verb, rows, 0).failed(error);
  return std::vector<Result<T>>(rows, Result<T>(fail(error)));
}

template <typename T>
std::vector<Result<T>> Runtime::Impl::carry_out(std::string_view verb, std::size_t rows, const BatchOptions& how,
                                                BatchWork<T> work) {
  const std::size_t concurrency = how.concurrency_max > 0 ? how.concurrency_max : std::size_t{4} * options.workers;
  BatchReport report({.events = events, .metrics = metrics, .clock = clock}, verb, rows, concurrency);
  const Workers::Pause pause(*workers);
  auto results = run_batch<T>(*batch_threads, rows, concurrency, how, std::move(work));
  if (!results) {
    report.failed(results.error());
    return std::vector<Result<T>>(rows, Result<T>(fail(results.error())));
  }
  BatchCounts counts;
  for (const Result<T>& row : *results) counts.add(row ? std::nullopt : std::optional(row.error().code));
  report.ended(counts);
  return std::move(*results);
}

}  // namespace petri
