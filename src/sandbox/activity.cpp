#include "sandbox/activity.h"

#include <fmt/format.h>

namespace petri {

// In a deterministic sandbox the whole start is done before the next message.
Result<void> Activity::start(const Turn& turn) {
  parts_.standing.advance(LifecycleEvent::start);
  const DeterministicQueue::Hold hold(parts_.trees.services().deterministic_queue());
  if (auto started = parts_.trees.start(turn); !started) {
    end(turn);
    return started;
  }
  parts_.standing.advance(LifecycleEvent::started);
  return {};
}

void Activity::end_runs() {
  parts_.control.end_runs();
  parts_.runs.cancel_waiting();
}

// Where recovery starts it again it continues, and with it the count of what its guests have done.
void Activity::end(const Turn& turn) {
  end_runs();
  parts_.trees.end(turn);
  if (!parts_.standing.is_recovering()) parts_.journal.flush();
}

void Activity::stop(const Turn& turn) {
  parts_.standing.advance(LifecycleEvent::end);
  end(turn);
}

void Activity::start_to_end() {
  end_runs();
  parts_.trees.start_to_end();
}

Activity::Turn Activity::take_turn_to_end() {
  return parts_.control.take_to_end([this] { start_to_end(); });
}

void Activity::freeze(const Turn&) {
  end_runs();
  for (const ProcessPtr& process : parts_.processes.all()) process->freeze();
}

Result<void> Activity::give_up_start() {
  parts_.standing.advance(LifecycleEvent::ended);
  return fail(ErrorCode::cancelled, fmt::format("the sandbox {} was stopped before it had started", sandbox_));
}

}  // namespace petri
