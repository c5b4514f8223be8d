#include "sandbox/journal/operation.h"

#include <utility>

namespace petri {
namespace {

// The operation of this thread; one sandbox at a time.
thread_local const CurrentOperation* carried_out = nullptr;
thread_local std::uint64_t carried_out_id = 0;

}  // namespace

Correlation CurrentOperation::correlation() const {
  return {.id = carried_out == this ? carried_out_id : last_.load(std::memory_order_relaxed)};
}

Operation::Operation(CurrentOperation& current, Reach reach) : before_(carried_out), id_before_(carried_out_id) {
  if (carried_out != &current || reach == Reach::run) {
    carried_out = &current;
    carried_out_id = current.numbers_->next().id;
  }
  if (reach == Reach::sandbox) current.last_.store(carried_out_id, std::memory_order_relaxed);
}

Operation::~Operation() {
  carried_out = before_;
  carried_out_id = id_before_;
}

}  // namespace petri
