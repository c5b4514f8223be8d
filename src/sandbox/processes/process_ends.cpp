#include "sandbox/processes/process_ends.h"

#include "sandbox/recovery/recovery_actions.h"
#include "sandbox/trees/trees.h"
#include "supervisor/exit_reason.h"

namespace petri {

void ProcessEnds::ended(const Process& process, std::uint64_t incarnation, const Result<Outcome>& how) {
  report(process, how);
  pass_to_tree(process, incarnation, how);
}

void ProcessEnds::report(const Process& process, const Result<Outcome>& how) {
  if (how) report_killed(process, *how);
  parts_.journal.process_exited(process.name(), how);
}

// Recovery and the parent know why before the tree acts: it may give up, or start it again.
void ProcessEnds::pass_to_tree(const Process& process, std::uint64_t incarnation, const Result<Outcome>& how) {
  parts_.recovery.note_end(process, how);
  parts_.processes.note_exit(process.name(), how);
  parts_.trees.exited(process, incarnation, how ? exit_reason_of(*how) : ExitReason::abnormal);
}

void ProcessEnds::not_started(const Process& process, const Result<Outcome>& how) {
  parts_.recovery.note_end(process, how);
  if (how) report_killed(process, *how);
}

void ProcessEnds::terminate_ended(const Process& process, const Outcome& how) { report_killed(process, how); }

void ProcessEnds::report_killed(const Process& process, const Outcome& how) {
  parts_.containment.report_killed(process.name(), how, *parts_.account.limits());
}

}  // namespace petri
