#include "telemetry/metrics/metrics.h"

#include <array>

namespace petri {
namespace {

using enum MetricType;
using Numbers = std::vector<NamedCount>;

// A metric and where its numbers come from. One without a label has one number, of no name.
struct MetricSource {
  MetricRule rule;
  Numbers (*read)(const Metrics& metrics, const MetricsNow& now);
};

template <Metrics::Counter counter>
Numbers counted(const Metrics& metrics, const MetricsNow& /*now*/) {
  return {{.name = {}, .count = metrics.count(counter)}};
}

template <Numbers (Metrics::*member)() const>
Numbers labelled(const Metrics& metrics, const MetricsNow& /*now*/) {
  return (metrics.*member)();
}

template <std::uint64_t MetricsNow::* member>
Numbers current(const Metrics& /*metrics*/, const MetricsNow& now) {
  return {{.name = {}, .count = now.*member}};
}

template <std::uint64_t EventCounts::* member>
Numbers of_events(const Metrics& /*metrics*/, const MetricsNow& now) {
  return {{.name = {}, .count = now.events.*member}};
}

Numbers sandboxes(const Metrics& /*metrics*/, const MetricsNow& now) { return now.sandboxes; }

const std::array kSources{
    MetricSource{{"petri_runs_total", counter, "outcome", "Runs that entered the guest, by how it ended."},
                 labelled<&Metrics::runs>},
    MetricSource{{"petri_run_errors_total", counter, "error", "Runs that did not enter the guest, by the error."},
                 labelled<&Metrics::run_errors>},
    MetricSource{{"petri_calls_total", counter, "outcome", "Calls of live processes, by how the guest ended."},
                 labelled<&Metrics::calls>},
    MetricSource{{"petri_evaluations_total", counter, "", "Evaluations that gave records."},
                 counted<Metrics::evaluations_total>},
    MetricSource{{"petri_evaluation_errors_total", counter, "", "Evaluations in which nothing was evaluated."},
                 counted<Metrics::evaluation_errors_total>},
    MetricSource{{"petri_candidates_total", counter, "outcome", "Candidates of evaluations, by how they ended."},
                 labelled<&Metrics::candidates>},
    MetricSource{{"petri_candidate_errors_total", counter, "error", "Candidates that were not entered, by the error."},
                 labelled<&Metrics::candidate_errors>},
    MetricSource{{"petri_batches_total", counter, "", "Batches whose rows have results."},
                 counted<Metrics::batches_total>},
    MetricSource{{"petri_batch_errors_total", counter, "", "Batches of which no row was started."},
                 counted<Metrics::batch_errors_total>},
    MetricSource{{"petri_batch_rows_total", counter, "result", "Rows of batches, by result."},
                 labelled<&Metrics::batch_rows>},
    MetricSource{{"petri_collections_total", counter, "", "Collections that have ended."},
                 counted<Metrics::collections_total>},
    MetricSource{{"petri_collected_sandboxes_total", counter, "cause", "Sandboxes that were collected, by why."},
                 labelled<&Metrics::collected_sandboxes>},
    MetricSource{{"petri_compiles_total", counter, "", "Sources that compilers turned into code."},
                 counted<Metrics::compiles_total>},
    MetricSource{{"petri_compile_errors_total", counter, "", "Sources that did not compile."},
                 counted<Metrics::compile_errors_total>},
    MetricSource{{"petri_processes_started_total", counter, "", "Processes started for the first time."},
                 counted<Metrics::processes_started_total>},
    MetricSource{{"petri_processes_restarted_total", counter, "", "Processes their supervisors started again."},
                 counted<Metrics::processes_restarted_total>},
    MetricSource{{"petri_processes_exited_total", counter, "", "Processes that ended, however they did."},
                 counted<Metrics::processes_exited_total>},
    MetricSource{{"petri_limits_met_total", counter, "limit", "Times a limit refused or cut something."},
                 labelled<&Metrics::limits_met>},
    MetricSource{{"petri_kills_total", counter, "limit", "Guests that a limit ended."}, labelled<&Metrics::kills>},
    MetricSource{{"petri_denials_total", counter, "permission", "Times a guest lacked a permission."},
                 labelled<&Metrics::denials>},
    MetricSource{{"petri_modules_loaded_total", counter, "", "Modules that passed the gate."},
                 counted<Metrics::modules_loaded_total>},
    MetricSource{{"petri_modules_rejected_total", counter, "", "Modules that were refused."},
                 counted<Metrics::modules_rejected_total>},
    MetricSource{{"petri_breaker_openings_total", counter, "", "Times a circuit breaker opened."},
                 counted<Metrics::breaker_openings_total>},
    MetricSource{{"petri_quarantines_total", counter, "", "Artifacts that were put into quarantine."},
                 counted<Metrics::quarantines_total>},
    MetricSource{{"petri_host_pressure_total", counter, "", "Times the host's memory budget ran short."},
                 counted<Metrics::host_pressure_total>},
    MetricSource{{"petri_compiling_unavailable_total", counter, "", "1 once there was no compile worker to be found."},
                 counted<Metrics::compiling_unavailable_total>},
    MetricSource{{"petri_sandboxes", gauge, "status", "Sandboxes, by status."}, sandboxes},
    MetricSource{{"petri_processes", gauge, "", "Processes that are alive."}, current<&MetricsNow::processes>},
    MetricSource{{"petri_memory_bytes", gauge, "", "Memory that guests have, and that the host holds for them."},
                 current<&MetricsNow::memory_bytes>},
    MetricSource{{"petri_artifacts", gauge, "", "Artifacts that are kept."}, current<&MetricsNow::artifacts>},
    MetricSource{{"petri_threads", gauge, "", "Threads of the runtime."}, current<&MetricsNow::threads>},
    MetricSource{{"petri_workers", gauge, "", "Guests that may run at a time."}, current<&MetricsNow::workers>},
    MetricSource{{"petri_audit_entries_total", counter, "", "Entries of the audit trail."},
                 current<&MetricsNow::audit_entries>},
    MetricSource{{"petri_audit_lost_total", counter, "", "Entries that were not made for want of memory."},
                 current<&MetricsNow::audit_lost>},
    MetricSource{{"petri_audit_file_lost_total", counter, "", "Entries that did not come into the audit file."},
                 current<&MetricsNow::audit_file_lost>},
    MetricSource{{"petri_events_published_total", counter, "", "Events that somebody subscribed to."},
                 of_events<&EventCounts::published>},
    MetricSource{{"petri_events_lost_total", counter, "", "Events that a subscription had no room for."},
                 of_events<&EventCounts::lost>},
    MetricSource{{"petri_event_subscriptions", gauge, "", "Subscriptions to events."},
                 of_events<&EventCounts::subscriptions>},
};

}  // namespace

Metrics::Metrics(MetricLabels labels)
    : limits_met_(labels.limits), kills_(std::move(labels.limits)), denials_(std::move(labels.permissions)) {}

std::vector<NamedCount> Metrics::by_kind(std::size_t first) const {
  Numbers counts;
  for (std::size_t i = 0; i < kOutcomeKinds; ++i) {
    counts.push_back({.name = name_of(static_cast<OutcomeKind>(i)), .count = counters_.sum(first + i)});
  }
  return counts;
}

std::vector<NamedCount> Metrics::by_code(std::size_t first) const {
  Numbers counts;
  for (const ErrorCode code : all_error_codes()) {
    counts.push_back({.name = name_of(code), .count = counters_.sum(first + static_cast<std::size_t>(code))});
  }
  return counts;
}

std::vector<NamedCount> Metrics::batch_rows() const {
  return {{.name = "ok", .count = count(batch_rows_ok)},
          {.name = "error", .count = count(batch_rows_failed)},
          {.name = "cancelled", .count = count(batch_rows_cancelled)}};
}

std::vector<NamedCount> Metrics::collected_sandboxes() const {
  return {{.name = "dead", .count = count(collected_dead)},
          {.name = "abandoned", .count = count(collected_abandoned)},
          {.name = "generation", .count = count(collected_generation)}};
}

std::vector<MetricRule> metric_rules() {
  std::vector<MetricRule> rules;
  for (const MetricSource& source : kSources) rules.push_back(source.rule);
  return rules;
}

std::string to_prometheus(const Metrics& metrics, const MetricsNow& now) {
  PrometheusText text;
  for (const auto& [rule, read] : kSources) {
    text.begin(rule.name, rule.type, rule.help);
    for (const NamedCount& number : read(metrics, now)) {
      rule.label.empty() ? text.add(number.count) : text.add(rule.label, number.name, number.count);
    }
  }
  return text.text();
}

}  // namespace petri
