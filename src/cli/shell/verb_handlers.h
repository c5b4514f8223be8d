// The functions that carry out the verbs; verb.cpp has the table that names them.
#pragma once

#include "cli/shell/answer.h"
#include "cli/shell/bound_arguments.h"
#include "cli/shell/session.h"

namespace petri::cli {

// lifecycle_verbs.cpp
Result<Answer> create_sandbox(ShellSession& session, const BoundArguments& arguments);
Result<Answer> stop_sandbox(ShellSession& session, const BoundArguments& arguments);
Result<Answer> restart_sandbox(ShellSession& session, const BoundArguments& arguments);
Result<Answer> destroy_sandbox(ShellSession& session, const BoundArguments& arguments);
Result<Answer> label_sandbox(ShellSession& session, const BoundArguments& arguments);
Result<Answer> unlabel_sandbox(ShellSession& session, const BoundArguments& arguments);

// looking_verbs.cpp
Result<Answer> show_info(ShellSession& session, const BoundArguments& arguments);
Result<Answer> list_sandboxes(ShellSession& session, const BoundArguments& arguments);
Result<Answer> find_sandboxes(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_usage(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_events(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_metrics(ShellSession& session, const BoundArguments& arguments);

// batch_verbs.cpp
Result<Answer> create_all(ShellSession& session, const BoundArguments& arguments);
Result<Answer> destroy_all(ShellSession& session, const BoundArguments& arguments);
Result<Answer> call_all(ShellSession& session, const BoundArguments& arguments);
Result<Answer> run_all(ShellSession& session, const BoundArguments& arguments);
Result<Answer> reload_all_of(ShellSession& session, const BoundArguments& arguments);
Result<Answer> collect(ShellSession& session, const BoundArguments& arguments);
// batch_verb_table.cpp
std::vector<Verb> batch_verbs();

// tree_verbs.cpp
Result<Answer> show_children(ShellSession& session, const BoundArguments& arguments);
Result<Answer> start_child(ShellSession& session, const BoundArguments& arguments);
Result<Answer> start_instance(ShellSession& session, const BoundArguments& arguments);
Result<Answer> stop_child(ShellSession& session, const BoundArguments& arguments);
Result<Answer> restart_child(ShellSession& session, const BoundArguments& arguments);
Result<Answer> remove_child(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_or_change_tree(ShellSession& session, const BoundArguments& arguments);

// running_verbs.cpp
Result<Answer> call_process(ShellSession& session, const BoundArguments& arguments);
Result<Answer> send_message(ShellSession& session, const BoundArguments& arguments);
Result<Answer> run_function(ShellSession& session, const BoundArguments& arguments);
Result<Answer> cancel_call(ShellSession& session, const BoundArguments& arguments);
Result<Answer> wait_for_calls(ShellSession& session, const BoundArguments& arguments);

// version_verbs.cpp
Result<Answer> load_module(ShellSession& session, const BoundArguments& arguments);
Result<Answer> stage_version(ShellSession& session, const BoundArguments& arguments);
Result<Answer> activate_version(ShellSession& session, const BoundArguments& arguments);
Result<Answer> reload_module(ShellSession& session, const BoundArguments& arguments);
Result<Answer> rollback_module(ShellSession& session, const BoundArguments& arguments);
Result<Answer> plan_reload(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_modules(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_versions(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_history(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_or_write_state(ShellSession& session, const BoundArguments& arguments);

// watch_verbs.cpp
Result<Answer> watch_sources(ShellSession& session, const BoundArguments& arguments);
Result<Answer> unwatch_sources(ShellSession& session, const BoundArguments& arguments);
Result<Answer> switch_auto_reload(ShellSession& session, const BoundArguments& arguments);

// snapshot_verbs.cpp
Result<Answer> take_snapshot(ShellSession& session, const BoundArguments& arguments);
Result<Answer> restore_snapshot(ShellSession& session, const BoundArguments& arguments);
Result<Answer> fork_sandbox(ShellSession& session, const BoundArguments& arguments);

// population_verbs.cpp
Result<Answer> record_fitness(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_population(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_lineage(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_common_ancestor(ShellSession& session, const BoundArguments& arguments);
Result<Answer> keep_sandboxes(ShellSession& session, const BoundArguments& arguments);
Result<Answer> release_sandboxes(ShellSession& session, const BoundArguments& arguments);

// policy_verbs.cpp
Result<Answer> show_or_change_limits(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_or_change_permissions(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_or_lift_quarantine(ShellSession& session, const BoundArguments& arguments);
Result<Answer> show_audit(ShellSession& session, const BoundArguments& arguments);

// verb.cpp
Result<Answer> show_help(ShellSession& session, const BoundArguments& arguments);
Result<Answer> quit(ShellSession& session, const BoundArguments& arguments);

}  // namespace petri::cli
