#include "runtime/shared_threads.h"

#include "base/clock.h"
#include "base/threads/countdown.h"
#include "host/guest/kill_flag.h"

namespace petri {
namespace {

// The turns of the task on this thread. A guest may run on another thread, which uses this one's place.
class PermitTurns final : public WorkerTurns {
 public:
  explicit PermitTurns(Workers& workers)
      : workers_(workers), seat_(Workers::seat_of_this_thread()), turn_ns_(now() + turn()) {}

  std::uint64_t turn_ns() const override { return turn_ns_; }
  void between_rows(std::uint64_t now_ns) override {
    if (now_ns >= turn_ns_) take_turn();
  }
  std::uint64_t next_turn(HostContext&, std::uint64_t) override {
    take_turn();
    return turn_ns_;
  }
  // Candidates have virtual time, and wait for nothing.
  void wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) override {
    const Workers::Pause pause(workers_, seat_);
    wait_for_kill(kill, until_ns);
  }

 private:
  static std::uint64_t now() { return kernel_ns(CLOCK_MONOTONIC); }
  std::uint64_t turn() const { return static_cast<std::uint64_t>(workers_.turn().count()); }
  void take_turn() { turn_ns_ = workers_.take_turn(now(), seat_); }

  Workers& workers_;
  Workers::Seat& seat_;
  std::uint64_t turn_ns_;
};

}  // namespace

// Called from a thread of the workers, it gives its permit to the parts.
Result<void> SharedThreads::run(unsigned count, const Body& body) {
  Countdown parts(count);
  for (unsigned part = 0; part < count; ++part) {
    const auto work = [this, part, &body, &parts] {
      {
        PermitTurns turns(workers_);
        body(part, &turns);
      }
      parts.end_one();
    };
    workers_.submit(work, &client_);
  }
  const Workers::Pause pause(workers_);
  parts.wait();
  return {};
}

}  // namespace petri
