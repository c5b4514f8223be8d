#include "bench/registry.h"

#include "bench/audit.h"
#include "bench/batches.h"
#include "bench/builder.h"
#include "bench/burners.h"
#include "bench/calls.h"
#include "bench/compile_worker.h"
#include "bench/containment.h"
#include "bench/crowd.h"
#include "bench/deadline.h"
#include "bench/distinct_cycle.h"
#include "bench/evaluate.h"
#include "bench/evaluate_growth.h"
#include "bench/evaluate_hostile.h"
#include "bench/evaluate_hot.h"
#include "bench/events.h"
#include "bench/gate_cost.h"
#include "bench/host_costs/host_look.h"
#include "bench/host_strings.h"
#include "bench/hostile_crowd.h"
#include "bench/instance_churn.h"
#include "bench/load.h"
#include "bench/memory_growth.h"
#include "bench/meter_ratio.h"
#include "bench/module_calls.h"
#include "bench/module_chain.h"
#include "bench/populations.h"
#include "bench/prepare.h"
#include "bench/process_calls.h"
#include "bench/program_size.h"
#include "bench/real_programs.h"
#include "bench/reload.h"
#include "bench/reload_crowd.h"
#include "bench/sandbox_churn.h"
#include "bench/sandbox_cycle.h"
#include "bench/snapshots.h"
#include "bench/sorting_network.h"
#include "bench/source_compile.h"
#include "bench/watch.h"

namespace petri::bench {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      million_modules_growth_mib(),
      prepare_us(),
      distinct_cycle_us(),
      distinct_cycle_straight_us(),
      distinct_cycles_per_second(),
      call_compiled_ns(),
      call_interpreted_ns(),
      host_string_ns(),
      meter_ratio_compiled(),
      meter_ratio_interpreted(),
      meter_ratio_recursion_compiled(),
      meter_ratio_recursion_interpreted(),
      deadline_overshoot_compiled_ms(),
      deadline_overshoot_interpreted_ms(),
      load_interpreted_ms_per_mib(),
      load_compiled_ms_per_mib(),
      worker_load_us(),
      worker_start_ms(),
      compile_c_cold_ms(),
      compile_c_warm_ms(),
      compile_cached_ms(),
      compile_cpp_warm_ms(),
      compile_wat_us(),
      load_program_interpreted_ms(),
      start_program_cached_ms(),
      corpus_accepted_percent(),
      compile_c_per_second(),
      watch_c_ms(),
      watch_wat_ms(),
      watch_idle_percent(),
      five_line_program_mib(),
      gate_cost_ratio_interpreted(),
      gate_cost_ratio_compiled(),
      builder_us(),
      sorting_network_seconds(),
      event_unheard_ns(),
      observer_off_percent(),
      batch_create_thousand_ms(),
      batch_reload_thousand_ms(),
      gc_cycle_ms(),
      audit_append_us(),
      audit_query_ms(),
      permission_check_ns(),
      refuse_again_us(),
      evaluate_per_second(),
      evaluate_json_per_second(),
      evaluate_straight_per_second(),
      evaluate_ratio(),
      evaluate_straight_ratio(),
      evaluate_wat_per_second(),
      evaluate_scaling(),
      receipt_overhead_percent(),
      evaluate_hot_ratio(),
      evaluate_hostile_percent(),
      ten_million_candidates_growth_mib(),
      sandbox_cycle_us(),
      hundred_creates_ms(),
      sandbox_restart_us(),
      sandbox_destroy_us(),
      process_call_ns(),
      message_us(),
      process_restart_us(),
      module_call_compiled_ns(),
      module_call_interpreted_ns(),
      chain_reload_growth(),
      burner_neighbour_p99_ms(),
      sleeper_neighbour_p99_ms(),
      compile_bomb_neighbour_p99_ms(),
      host_call_look_ms(),
      hostile_honest_percent(),
      churn_per_second(),
      churn_scaling(),
      live_instance_kib(),
      live_sandbox_kib(),
      info_us(),
      list_page_ms(),
      swap_us(),
      rollback_us(),
      swap_load_interpreted_us(),
      swap_load_compiled_ms(),
      swap_pause_p99_ms(),
      swap_ten_thousand_ms(),
      reload_thousand_ms(),
      reload_throughput_loss_percent(),
      snapshot_us(),
      restore_us(),
      fork_us(),
      fork_1mib_us(),
      population_query_ms(),
      population_record_us(),
      million_sandboxes_growth_mib(),
      million_live_sandboxes_gib(),
  };
  return all;
}

}  // namespace petri::bench
