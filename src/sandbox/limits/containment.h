// Breaker and quarantine of a sandbox whose guests meet one ending limit after another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "petri/outcome.h"
#include "petri/result.h"
#include "sandbox/journal/journal.h"
#include "sandbox/versions/module_table.h"
#include "security/breaker.h"
#include "security/quarantine.h"

namespace petri {

// Its breaker refuses calls and messages from outside for a while; the quarantine that it counts for refuses the code.
// Any thread, with no lock of the sandbox held: what changes is reported at once.
class Containment {
 public:
  // All of it outlives the containment.
  struct Parts {
    const std::string& sandbox;
    const Clock& clock;
    const ModuleTable& modules;
    Quarantine& quarantine;
    Journal& journal;
  };
  // The options outlive it, too.
  Containment(const Parts& parts, const BreakerOptions& options) : parts_(parts), breaker_(options) {}

  // True if enter() would admit without looking further: asked by every call.
  bool is_closed() const { return breaker_.state() == BreakerState::closed; }
  // How a call or a message was admitted. After a trial leave() follows: its end decides about all others.
  enum class Entry : std::uint8_t { normal, trial };
  // `busy` while the breaker is open, or while another is the trial.
  Result<Entry> enter();
  void leave(Entry entry, const Result<Outcome>& how) {
    if (entry == Entry::trial) end_trial(how);
  }
  // Closes the breaker and forgets what was counted: the sandbox starts again.
  void reset() { report(breaker_.reset()); }

  // Reports that a limit has ended a guest, if one has, and counts it. No process: it was a run, which counts for its
  // artifact alone.
  void report_killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits);

  const Breaker& breaker() const { return breaker_; }

 private:
  void end_trial(const Result<Outcome>& how);
  void report(const std::optional<Breaker::Change>& change);
  void count(std::string_view process, const Outcome& outcome);
  std::string_view where_it_counts(std::string_view process) const;

  const Parts parts_;
  Breaker breaker_;
};

}  // namespace petri
