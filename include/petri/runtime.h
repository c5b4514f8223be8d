// A runtime: worker threads, the artifacts they share, and sandboxes by name. Several may live in one process.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "petri/audit.h"
#include "petri/batch.h"
#include "petri/evaluate.h"
#include "petri/events.h"
#include "petri/host_functions.h"
#include "petri/policy.h"
#include "petri/population.h"
#include "petri/result.h"
#include "petri/sandbox.h"
#include "petri/snapshot.h"
#include "petri/tier.h"
#include "petri/watch.h"

namespace petri {

class Clock;
namespace detail {
struct Access;
}

// The resources of a runtime, and what its sandboxes have by default.
struct RuntimeOptions {
  unsigned workers = 0;  // guests that run at a time; 0: one a core
  // Threads that run guests, wait for them or are put aside. The reserve is not for guests of sandboxes that have one
  // already; half of it is not for guests at all.
  std::size_t threads_max = 4'096;
  std::size_t threads_reserve = 64;
  // Files and folders that all sandboxes together may have open; 0: what the process may (RLIMIT_NOFILE), less the
  // reserve, which no guest can take.
  std::uint64_t descriptors_max = 0;
  std::uint64_t descriptors_reserve = 128;
  HostFunctions host;
  std::chrono::nanoseconds sampling_interval = std::chrono::seconds(1);  // of usage; 0: never
  std::size_t samples_max = 300;
  std::uint64_t promote_fuel = 500'000;  // burned by an artifact before it is compiled, and
  std::uint64_t promote_fuel_per_byte = 2'000;
  std::size_t promote_instances = 64;  // alive, or with this many of it
  std::chrono::nanoseconds promotion_time_max = std::chrono::seconds(10);
  MachineCodeOptions compile;  // of sandboxes that are compiled from the start; promotions have a time of their own
  // The parts that a sandbox's spec leaves out; its id and its modules have no default. A spec that names a profile has
  // the permissions, the audit level and the findings of that profile and not those of here.
  SandboxSpec defaults;
  LimitChanges limits;  // more of defaults.limits
  AuditOptions audit;
  QuarantineOptions quarantine;
  BreakerOptions breaker;  // defaults.breaker, unless that is set
  // The memory that all sandboxes together may use, as they are charged for it, before new ones and new processes are
  // `busy`; 0: no such bound.
  std::uint64_t memory_budget_bytes = 0;
  // A collection runs this often by itself, and removes what docs/guides/batches.md says; 0: only Runtime::collect()
  // does.
  std::chrono::nanoseconds gc_interval = std::chrono::seconds(60);
  // So many of the newest generations of each label stay; 0: all.
  std::uint64_t gc_retain_generations = 3;
  std::chrono::nanoseconds dead_keep = std::chrono::minutes(10);  // defaults.dead_keep, unless that is set
  const Clock* clock = nullptr;  // for tests: that of testing::ManualTime; outlives the runtime

  // {"workers": 2, "sampling_interval": "1s", "quarantine": {"limits_max": 5}, "defaults": {"profile": "strict"}, ...}:
  // the names above but `host` and `clock`; times are written as in a spec. One validation_failed has everything that
  // is wrong, with its place.
  static Result<RuntimeOptions> from_json(std::string_view text);
};

// The present state, and the options as they are in effect.
struct RuntimeInfo {
  unsigned workers = 0;
  std::size_t threads = 0;
  std::size_t sandboxes = 0;
  std::size_t artifacts = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_budget_bytes = 0;
  std::uint64_t descriptors = 0;  // that sandboxes have open,
  std::uint64_t descriptors_max = 0;
  std::size_t quarantined = 0;  // artifacts
  std::size_t blocked = 0;      // artifacts
  std::size_t watched = 0;      // folders and files that sandboxes watch
  std::size_t threads_max = 0;
  std::size_t threads_reserve = 0;
  std::uint64_t descriptors_reserve = 0;
  std::chrono::nanoseconds sampling_interval{};
  std::size_t samples_max = 0;
  std::uint64_t promote_fuel = 0;
  std::uint64_t promote_fuel_per_byte = 0;
  std::size_t promote_instances = 0;
  std::chrono::nanoseconds promotion_time_max{};
  MachineCodeOptions compile;
  AuditOptions audit;
  QuarantineOptions quarantine;
  std::chrono::nanoseconds gc_interval{};
  std::uint64_t gc_retain_generations = 0;
  SandboxSpec defaults;  // with the limits, the breaker and dead_keep
};

// Counts of what a collection removed.
struct CollectionReport {
  std::size_t dead = 0;         // stopped and failed sandboxes whose dead_keep was over
  std::size_t abandoned = 0;    // live ones that nobody used for their idle_keep
  std::size_t generations = 0;  // those of generations beyond gc_retain_generations
  std::size_t artifacts = 0;    // entries of artifacts that nobody used any more
  std::size_t code = 0;         // those of versions' code that is loaded for none of them
  std::size_t folders = 0;      // of compilers whose process was killed
  std::size_t rows = 0;         // of the registry that were put right
  bool operator==(const CollectionReport&) const = default;
};

// Code that is refused for a while, because it met ending limits again and again.
struct QuarantinedArtifact {
  ArtifactId artifact;
  std::string sandbox;  // where it is refused; empty: everywhere
  std::string cause;    // the limit that it met last
  std::chrono::nanoseconds time_left{};
};

// A query; a sandbox answers it if all conditions that are set hold.
struct SandboxQuery {
  std::optional<SandboxStatus> status;
  std::string label;
  std::optional<std::uint64_t> generation;
  std::size_t offset = 0;
  std::size_t limit = 100;
};

// Sandboxes that answer a query, as many as it asks for.
struct SandboxPage {
  std::vector<SandboxInfo> sandboxes;  // by creation, oldest first
  std::size_t total = 0;               // that match
};

// All members may be called from any thread.
class Runtime {
 public:
  // Starts a runtime; options out of range are one validation_failed.
  static Result<std::unique_ptr<Runtime>> create(RuntimeOptions options = {});
  // Until this release create() also created sandboxes; a call that is left says what to write instead.
  template <std::same_as<SandboxSpec> Spec>
  static void create(const Spec& /*use create_sandbox*/) {
    static_assert(!std::same_as<Spec, SandboxSpec>, "a sandbox is created by create_sandbox(spec)");
  }
  static void create(const SandboxSpec& /*use create_sandbox*/, const Snapshot&) = delete;
  // Destroys every sandbox.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // validation_failed lists everything that is wrong, and nothing was touched. Another error leaves a failed record.
  Result<Sandbox> create_sandbox(SandboxSpec spec);
  // Creates a sandbox from a snapshot: with its modules and versions in place of the spec's, and its tree unless the
  // spec has one. Processes continue from where they stood; petri_init does not run.
  Result<Sandbox> create_sandbox(SandboxSpec spec, const Snapshot& snapshot);
  // A twin of a live sandbox: code, versions, tree, limits, permissions, and what its processes know.
  Result<Sandbox> fork(std::string_view id, std::string_view twin, const ForkOptions& options = {});
  // Many of one moment: a result for each.
  std::vector<Result<Sandbox>> fork(std::string_view id, const std::vector<std::string>& twins,
                                    const ForkOptions& options = {});
  Result<Sandbox> find(std::string_view id) const;
  // The sandboxes that match, a page at a time.
  SandboxPage list(const SandboxQuery& query = {}) const;

  // The sandboxes as a population, each from create to destroy: fitness, rank, lineage, labels and keep of many at
  // once. add(), remove() and import are validation_failed, and `kept` protects from collection. Of a parent that is
  // gone lineage() knows the id. What is to outlive a sandbox is recorded in a population of one's own, from find().
  Population population() const;

  // The verbs of Sandbox by id; not_found if there is no such sandbox.
  Result<SandboxInfo> info(std::string_view id) const;
  Result<void> stop(std::string_view id);
  Result<void> restart(std::string_view id, const RestartOptions& options = {});
  // Stops it and leaves nothing behind.
  Result<void> destroy(std::string_view id);

  // Watches a folder or files: once changes have settled they are compiled, once for all sandboxes that watch the same,
  // and the modules of the sandbox that came of them are reloaded together. A broken edit changes nothing; it is
  // reported as `watch.failed` and by info(), and the last change is always the last to be compiled. What is watched
  // already gets the new spec. A sandbox that failed because its code did not compile is started once it does.
  // validation_failed, io_error (it is not there), limit_exceeded (kWatchesMax, kWatchedFoldersMax, the kernel's
  // bound).
  Result<std::vector<WatchInfo>> watch(std::string_view id, const WatchSpec& spec);
  // No reload comes of this folder or file after it has returned; an empty path: of none of them.
  Result<void> unwatch(std::string_view id, std::string_view path = {});
  // Watches the files and folders that the active versions of its modules were read from. `folder` and `files` of the
  // spec must be empty. validation_failed if no module was read from one.
  Result<std::vector<WatchInfo>> enable_auto_reload(std::string_view id, const WatchSpec& spec = {});
  Result<void> disable_auto_reload(std::string_view id);

  // Refuses an artifact by its hash from now on: in every sandbox, by every verb that would make it active or run it.
  // Live instances continue; evaluations do not ask. limit_exceeded with kBlockedArtifactsMax.
  Result<void> block_artifact(const ArtifactId& artifact, std::string reason = {});
  // not_found if it is not blocked.
  Result<void> unblock_artifact(const ArtifactId& artifact);
  std::vector<BlockedArtifact> blocked_artifacts() const;

  // Evaluates as Evaluator::evaluate, with this runtime's host functions, on the workers that run its sandboxes:
  // candidates and guests take turns. Reported as evaluate.start and one of evaluate.stop and evaluate.exception.
  // Compiled code and cached records are kept for as long as the runtime lives.
  Result<Evaluation> evaluate(std::span<const Candidate> candidates, std::span<const Case> cases,
                              const EvaluationSpec& spec, const EvaluationOptions& options = {});

  // Batches: one verb for many, with a result for each row in the order of the input, whatever becomes of the others.
  // Payloads that are neither one nor as many as the rows make every row validation_failed.
  //
  // Of rows with one id the first alone is carried out by create_all and destroy_all; the others are already_exists
  // and not_found.
  std::vector<Result<Sandbox>> create_all(std::vector<SandboxSpec> specs, const BatchOptions& options = {});
  std::vector<Result<void>> destroy_all(std::vector<std::string> ids, const BatchOptions& options = {});
  std::vector<Result<Outcome>> call_all(std::vector<std::string> ids, PerRow<CallPayload> payload,
                                        const BatchOptions& options = {});
  std::vector<Result<Outcome>> run_all(std::vector<std::string> ids, PerRow<RunPayload> payload,
                                       const BatchOptions& options = {});
  std::vector<Result<ReloadReport>> reload_all_of(std::vector<std::string> ids, PerRow<ReloadPayload> payload,
                                                  const BatchOptions& options = {});
  // Candidates in place of a module of a live sandbox, each in a fork of its own, which is called with every case and
  // destroyed: all forks are of one moment, and the sandbox itself is not touched.
  std::vector<Result<ForkRecord>> evaluate_forks(std::string_view id, std::vector<Source> candidates,
                                                 std::vector<Case> cases, ForkEvaluation how,
                                                 const BatchOptions& options = {});

  // Collects now, as every gc_interval: dead, abandoned and old sandboxes, and what they leave. What lives and is used
  // stays.
  CollectionReport collect();

  // Events from now on; docs/guides/observation.md.
  Result<Subscription> subscribe(SubscriptionOptions options = {});
  RuntimeInfo info() const;

  // The artifacts in quarantine now. lift_quarantine() ends it for one, in all sandboxes: not_found if it is not in it.
  std::vector<QuarantinedArtifact> quarantined() const;
  Result<void> lift_quarantine(const ArtifactId& artifact);

  // Counters and gauges as Prometheus reads them, text of version 0.0.4.
  std::string metrics() const;

  // Entries about what was refused, ended and changed, of sandboxes that are gone too.
  AuditPage audit(const AuditQuery& query = {}) const;
  AuditStatus audit_status() const;
  // Follows the chain of what memory keeps of it.
  AuditVerification verify_audit() const;
  // Brings the audit file, if there is one, to the disk.
  Result<void> flush_audit();

 private:
  friend struct detail::Access;
  struct Impl;
  explicit Runtime(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace petri
