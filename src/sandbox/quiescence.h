// The processes of some modules, none of which is at work.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <vector>

#include "sandbox/reload_host.h"

namespace petri {

// Once reached, this thread has entered all of them, and none starts, until this is gone. One thread at a time.
//
// A gate closes to what comes from outside; calls whose chain began before still enter, so nobody who waits for an
// answer keeps the others from becoming quiescent. All processes are taken at once or none: one that was taken early
// could be what another waits for.
class Quiescence {
 public:
  struct Taken {
    ProcessPtr process;
    std::size_t change = 0;  // the place of its module among the changes
  };
  // What a process needs that has come since the changes were prepared.
  using Prepare = std::function<Result<void>(ModuleChange& change, Process& process)>;

  Quiescence(const ReloadParts& parts, Clock::TimePoint deadline, std::stop_token stop)
      : parts_(parts), deadline_(deadline), stop_(std::move(stop)) {}
  ~Quiescence();
  Quiescence(const Quiescence&) = delete;
  Quiescence& operator=(const Quiescence&) = delete;

  // busy when a process is still at work at the deadline; cancelled.
  Result<void> reach(ModuleChanges& changes, const Prepare& prepare = {});
  const std::vector<Taken>& taken() const { return taken_; }
  // Since when it has answered nobody.
  Clock::TimePoint since(const Process& process) const { return since_.at(&process); }

 private:
  void close_gates(const ModuleChanges& changes);
  Result<void> wait(ModuleChanges& changes, const Prepare& prepare);
  bool try_take_all(const ModuleChanges& changes);
  void give_back();
  std::vector<ProcessPtr> processes_of(const ModuleChange& change) const;

  const ReloadParts parts_;
  const Clock::TimePoint deadline_;
  const std::stop_token stop_;
  std::map<const Process*, ProcessPtr> gated_;
  std::map<const Process*, Clock::TimePoint> since_;
  std::vector<Taken> taken_;
  bool holds_starts_ = false;
};

}  // namespace petri
