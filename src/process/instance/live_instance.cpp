#include "process/instance/live_instance.h"

#include <algorithm>
#include <utility>

namespace petri {

LiveInstance::LiveInstance(ModuleCodePtr module, HostSettings settings, std::uint64_t seed,
                           const std::atomic<std::uint32_t>* interrupt)
    : code(std::move(module)),
      context(std::make_unique<HostContext>(std::move(settings), seed)),
      guest(std::make_unique<Guest>(code->module(), *context, interrupt)),
      entered_(code->best()),
      may_move_(code->hot != nullptr && entered_->tier() == Tier::interpreted && movable()) {
  client_ = context->settings().account;
  if (code->hot != nullptr) code->add_instance(client_);
}

// The instance that was here is moved out first, and ends once all members are replaced: its guest refers to its code
// and its context.
LiveInstance& LiveInstance::operator=(LiveInstance&& other) noexcept {
  LiveInstance before = std::move(*this);
  code = std::move(other.code);
  version = other.version;
  context = std::move(other.context);
  guest = std::move(other.guest);
  saw_outside = other.saw_outside;
  client_ = other.client_;
  entered_ = std::move(other.entered_);
  may_move_ = other.may_move_;
  burned_ = other.burned_;
  return *this;
}

LiveInstance::~LiveInstance() {
  if (code != nullptr && code->hot != nullptr) code->remove_instance();
}

void LiveInstance::set_limits(const SandboxLimits& limits) {
  Limits own = static_cast<const Limits&>(limits);
  own.memory_bytes_max = std::min(limits.memory_bytes_max, limits.process_memory_bytes_max);
  context->set_limits(own);
  // The name of the smaller of both bounds, which is the one that a refusal reports.
  context->memory_limit =
      own.memory_bytes_max < limits.memory_bytes_max ? "process_memory_bytes_max" : "memory_bytes_max";
}

// A move that fails leaves the guest where it was, for good, unless it was the guest that was to end.
bool LiveInstance::move_if_hot() {
  CodePtr compiled = code->compiled();
  if (compiled == nullptr) return false;
  const auto moved = guest->move_to(*compiled);
  may_move_ = !moved && moved.error().code == ErrorCode::cancelled;
  if (!moved) return false;
  entered_ = std::move(compiled);
  return true;
}

void LiveInstance::add_burned(std::uint64_t fuel) {
  burned_ += fuel;
  if (burned_ < code->hot->worth_reporting()) return;
  code->add_burned(std::exchange(burned_, 0), client_);
}

}  // namespace petri
