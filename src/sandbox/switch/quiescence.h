// The processes of some modules, none of which is at work.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "sandbox/reload/reload_host.h"

namespace petri {

// Once reached, this thread has entered all of them, and none starts, until this is gone. One thread at a time.
//
// A gate closes to what comes from outside; calls whose chain started before still enter, so nobody who waits for an
// answer keeps the others from becoming quiescent. All processes are taken at once or none: one that was taken early
// could be what another waits for.
class Quiescence {
 public:
  // The processes that become quiescent: all of a module, or one of them.
  struct Target {
    std::string module;
    ProcessPtr only = nullptr;
  };
  struct Taken {
    ProcessPtr process;
    std::size_t target = 0;  // the place of its module among the targets
  };
  // A process that is taken must have been prepared; one that came late is prepared while the others are waited for.
  struct Preparation {
    std::function<bool(std::size_t target, const Process& process)> is_done;
    std::function<Result<void>(std::size_t target, Process& process)> carry_out;
  };
  // All processes of these modules; they need no preparation.
  static std::vector<Target> all_of(std::vector<std::string> modules);

  Quiescence(const ReloadParts& parts, Clock::TimePoint deadline, std::stop_token stop)
      : parts_(parts), deadline_(deadline), stop_(std::move(stop)) {}
  ~Quiescence();
  Quiescence(const Quiescence&) = delete;
  Quiescence& operator=(const Quiescence&) = delete;

  // busy when a process is still at work at the deadline; cancelled. Without a preparation none is needed.
  Result<void> reach(const std::vector<Target>& targets, const Preparation* preparation = nullptr);
  const std::vector<Taken>& taken() const { return taken_; }
  // Since when it has answered nobody.
  Clock::TimePoint since(const Process& process) const { return since_.at(&process); }

 private:
  void close_gates(const std::vector<Target>& targets);
  Result<void> wait(const std::vector<Target>& targets, const Preparation* preparation);
  bool try_take_all(const std::vector<Target>& targets, const Preparation* preparation);
  void give_back();
  std::vector<ProcessPtr> processes_of(const Target& target) const;

  const ReloadParts parts_;
  const Clock::TimePoint deadline_;
  const std::stop_token stop_;
  std::map<const Process*, ProcessPtr> gated_;
  std::map<const Process*, Clock::TimePoint> since_;
  std::vector<Taken> taken_;
  bool holds_starts_ = false;
};

}  // namespace petri
