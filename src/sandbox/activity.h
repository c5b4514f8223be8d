// Everything that runs in a sandbox, started as one and ended as one.
#pragma once

#include <string>

#include "sandbox/calls/run_table.h"
#include "sandbox/journal/journal.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/standing.h"
#include "sandbox/structural_control.h"
#include "sandbox/trees/trees.h"

namespace petri {

// The status follows what runs. All but start_to_end() is structural work: its caller has the turn, and guests start
// and end meanwhile, without another lock.
class Activity {
 public:
  // All of it outlives this.
  struct Parts {
    Standing& standing;
    StructuralControl& control;
    Trees& trees;
    ProcessTable& processes;
    RunTable& runs;
    Journal& journal;
  };
  using Turn = StructuralControl::Turn;
  Activity(const Parts& parts, const std::string& sandbox) : parts_(parts), sandbox_(sandbox) {}

  // To `running`. When the tree does not start everything has ended again; the status is the caller's to decide.
  Result<void> start(const Turn& turn);
  void end(const Turn& turn);
  // Ends what runs, with the status `stopping` meanwhile; what follows is the caller's to decide.
  void stop(const Turn& turn);
  // Trees and runs are on their way to their end, whoever has the turn. Returns at once.
  void start_to_end();
  // Keeps what lives as it is: no message is taken, and everybody who waits for an answer gets one.
  void freeze(const Turn& turn);
  // The turn of whoever ends the sandbox: all of it is on its way to its end meanwhile.
  Turn take_turn_to_end();
  // Ends what was to start before it has started.
  Result<void> give_up_start();

 private:
  void end_runs();

  const Parts parts_;
  const std::string& sandbox_;
};

}  // namespace petri
