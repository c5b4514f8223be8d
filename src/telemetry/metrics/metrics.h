// Counts of what a runtime has done so far, for Prometheus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "petri/outcome.h"
#include "petri/result.h"
#include "telemetry/metrics/named_counters.h"
#include "telemetry/metrics/sharded_counters.h"
#include "telemetry/sinks/prometheus_text.h"
#include "telemetry/subscriber_list.h"

namespace petri {

// Names of limits and permissions; these outlive the metrics.
struct MetricLabels {
  std::vector<std::string_view> limits;
  std::vector<std::string_view> permissions;
};

// The counters of one runtime. All members may be called from any thread; those that count take a few nanoseconds and
// never allocate. Counts only grow; a reader may miss what is being counted at that moment.
class Metrics {
 public:
  explicit Metrics(MetricLabels labels);

  // Called exactly once for each run: the guest was entered and ended, or there was an error.
  void run_ended(OutcomeKind kind) noexcept { counters_.add(first_run + index(kind)); }
  void run_failed(ErrorCode code) noexcept { counters_.add(kRunErrors + static_cast<std::size_t>(code)); }
  // A call of a live process was entered and ended.
  void call_ended(OutcomeKind kind) noexcept { counters_.add(kCalls + index(kind)); }
  // Called exactly once for each evaluation, and for each of its rows that was not cancelled.
  void evaluation_ended() noexcept { counters_.add(evaluations_total); }
  void evaluation_failed() noexcept { counters_.add(evaluation_errors_total); }
  void candidate_ended(OutcomeKind kind) noexcept { counters_.add(kCandidates + index(kind)); }
  void candidate_failed(ErrorCode code) noexcept { counters_.add(kCandidateErrors + static_cast<std::size_t>(code)); }
  // Called exactly once for each batch, and for its rows by how they ended.
  void batch_ended(std::uint64_t ok, std::uint64_t errors, std::uint64_t cancelled) noexcept {
    counters_.add(batches_total);
    counters_.add(batch_rows_ok, ok);
    counters_.add(batch_rows_failed, errors);
    counters_.add(batch_rows_cancelled, cancelled);
  }
  void batch_failed() noexcept { counters_.add(batch_errors_total); }
  void collection_ended() noexcept { counters_.add(collections_total); }
  void compile_ended() noexcept { counters_.add(compiles_total); }
  void compile_failed() noexcept { counters_.add(compile_errors_total); }

  void process_started() noexcept { counters_.add(processes_started_total); }
  void process_restarted() noexcept { counters_.add(processes_restarted_total); }
  void process_exited() noexcept { counters_.add(processes_exited_total); }
  void module_loaded() noexcept { counters_.add(modules_loaded_total); }
  void module_rejected() noexcept { counters_.add(modules_rejected_total); }
  void breaker_opened() noexcept { counters_.add(breaker_openings_total); }
  void quarantined() noexcept { counters_.add(quarantines_total); }
  void host_pressure() noexcept { counters_.add(host_pressure_total); }
  void compiling_unavailable() noexcept { counters_.add(compiling_unavailable_total); }

  // A limit refused or cut something, this many times; a limit ended a guest; a permission was missing. Names that are
  // not among the labels count as "other".
  void limit_met(std::string_view limit, std::uint64_t count = 1) noexcept { limits_met_.add(limit, count); }
  void killed(std::string_view limit) noexcept { kills_.add(limit); }
  void denied(std::string_view permission, std::uint64_t count = 1) noexcept { denials_.add(permission, count); }

  // The counters without a label, then the first of those by outcome kind or error code.
  enum Counter : std::size_t {
    processes_started_total,
    processes_restarted_total,
    processes_exited_total,
    modules_loaded_total,
    modules_rejected_total,
    breaker_openings_total,
    quarantines_total,
    host_pressure_total,
    compiling_unavailable_total,
    evaluations_total,
    evaluation_errors_total,
    batches_total,
    batch_errors_total,
    batch_rows_ok,
    batch_rows_failed,
    batch_rows_cancelled,
    compiles_total,
    compile_errors_total,
    collections_total,
    collected_dead,
    collected_abandoned,
    collected_generation,
    first_run,  // one for each kind of outcome from here on, and so on
  };
  // A collection removed a sandbox; the counter says why.
  void collected(Counter why) noexcept { counters_.add(why); }
  std::uint64_t count(Counter counter) const noexcept { return counters_.sum(counter); }
  // Every known label value in a fixed order, also those that are zero.
  std::vector<NamedCount> runs() const { return by_kind(first_run); }
  std::vector<NamedCount> run_errors() const { return by_code(kRunErrors); }
  std::vector<NamedCount> candidates() const { return by_kind(kCandidates); }
  std::vector<NamedCount> candidate_errors() const { return by_code(kCandidateErrors); }
  std::vector<NamedCount> calls() const { return by_kind(kCalls); }
  std::vector<NamedCount> batch_rows() const;
  std::vector<NamedCount> collected_sandboxes() const;
  std::vector<NamedCount> limits_met() const { return limits_met_.counts(); }
  std::vector<NamedCount> kills() const { return kills_.counts(); }
  std::vector<NamedCount> denials() const { return denials_.counts(); }

 private:
  static constexpr std::size_t kOutcomeKinds = static_cast<std::size_t>(OutcomeKind::cancelled) + 1;
  static constexpr std::size_t kErrorCodes = static_cast<std::size_t>(ErrorCode::start_failed) + 1;
  static constexpr std::size_t kCalls = first_run + kOutcomeKinds;
  static constexpr std::size_t kRunErrors = kCalls + kOutcomeKinds;
  static constexpr std::size_t kCandidates = kRunErrors + kErrorCodes;
  static constexpr std::size_t kCandidateErrors = kCandidates + kOutcomeKinds;
  static constexpr std::size_t kCounters = kCandidateErrors + kErrorCodes;

  static constexpr std::size_t index(OutcomeKind kind) { return static_cast<std::size_t>(kind); }
  std::vector<NamedCount> by_kind(std::size_t first) const;
  std::vector<NamedCount> by_code(std::size_t first) const;

  ShardedCounters<kCounters> counters_;
  NamedCounters limits_met_;
  NamedCounters kills_;
  NamedCounters denials_;
};

// Values that others know at the moment the metrics are read.
struct MetricsNow {
  std::vector<NamedCount> sandboxes;  // by status, each status once
  std::uint64_t processes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t artifacts = 0;
  std::uint64_t threads = 0;
  std::uint64_t workers = 0;
  std::uint64_t audit_entries = 0;
  std::uint64_t audit_lost = 0;
  std::uint64_t audit_file_lost = 0;
  EventCounts events;
};

// A metric as the reference page describes it.
struct MetricRule {
  std::string_view name;
  MetricType type;
  std::string_view label;  // empty: a single number
  std::string_view help;
};
std::vector<MetricRule> metric_rules();

// Text of version 0.0.4: the metrics in the order of the rules, every known label value there from the start, and none
// that a guest can choose.
std::string to_prometheus(const Metrics& metrics, const MetricsNow& now);

}  // namespace petri
