// One structural change of a sandbox at a time, and how whoever ends the sandbox gets its turn.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/mutex.h"
#include "petri/tier.h"
#include "process/turns/workers.h"

namespace petri {

// Create, stop, restart, destroy, a reload and a recovery each have a turn, from the first step to the last; guests may
// run meanwhile, and questions and calls wait for none of it. A turn is taken before every lock of the sandbox.
//
// Whoever has the turn may need a worker's permit to finish, so a thread that waits for it gives its own permit back
// meanwhile: completions and host functions call verbs on workers' threads.
//
// Whoever ends the sandbox does not wait for what guests or a compiler do: it asks them to stop, and until it has its
// turn nothing is started. Any thread; the lock of the stop sources is the innermost, and held for moments.
class StructuralControl {
 public:
  // Held by whoever carries out a change; functions that need it take it as an argument.
  class Turn {
   public:
    explicit Turn(std::unique_lock<Mutex> held) : held_(std::move(held)) {}

   private:
    std::unique_lock<Mutex> held_;
  };

  // Only compiled code is compiled while somebody waits for it, and has a compilation to stop.
  StructuralControl(Workers& workers, Workers::Client& client, Tier tier)
      : workers_(workers), client_(client), compiles_(tier == Tier::compiled) {}

  Turn take();
  // Nothing if somebody else has the turn.
  std::optional<Turn> try_take();
  // To end what runs. Another that has the turn gives up what it does: its compilation is stopped, and `begin_end` is
  // called, which asks what runs, starts or waits to end and returns at once. Until then nothing new is started.
  Turn take_to_end(const std::function<void()>& begin_end) EXCLUDES(mutex_);

  // Somebody waits for a turn to end the sandbox.
  bool is_to_end() const EXCLUDES(mutex_);

  // Runs that start from now on are asked to stop by the next who ends the sandbox. Returns false, and nothing may be
  // started, if somebody waits to end it. Atomic with take_to_end(): an end sees what was started before it came.
  bool begin_runs(const Turn& turn) EXCLUDES(mutex_);
  // Everything that runs is asked to end.
  void end_runs() EXCLUDES(mutex_);
  // Asked to stop when that happens.
  std::stop_token ending() const EXCLUDES(mutex_);

  void stop_loading() EXCLUDES(mutex_);
  // Asked to stop when what is being compiled is not wanted any more.
  std::stop_token loading() const EXCLUDES(mutex_);

 private:
  std::stop_source new_loading() const { return compiles_ ? std::stop_source() : std::stop_source(std::nostopstate); }

  Workers& workers_;
  Workers::Client& client_;
  Mutex turns_;
  mutable Mutex mutex_;
  const bool compiles_;
  std::uint32_t ends_wanted_ GUARDED_BY(mutex_) = 0;  // by those who wait for their turn
  std::stop_source runs_ GUARDED_BY(mutex_);
  // Ending does not wait for a compilation, whoever has the turn. Anew once nobody waits to end it any more.
  std::stop_source loading_ GUARDED_BY(mutex_) = new_loading();
};

}  // namespace petri
