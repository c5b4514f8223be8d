#include "telemetry/event_bus.h"

#include <fmt/format.h>

#include <new>

#include "base/ids.h"

namespace petri {
namespace {

Result<void> check(const SubscriptionOptions& options) {
  std::string problems;
  const auto add = [&](std::string_view problem) { problems.append(problems.empty() ? "" : " ").append(problem); };
  if (!options.sandbox.empty()) {
    if (const auto id = check_sandbox_id(options.sandbox); !id) add(id.error().message);
  }
  if (options.kinds.empty()) add("a subscription names at least one kind of event, or none would ever arrive");
  if (options.queue_max == 0 || options.queue_max > kEventQueueMax) {
    add(fmt::format("queue_max is {} but goes from 1 to {}", options.queue_max, kEventQueueMax));
  }
  if (problems.empty()) return {};
  return fail(ErrorCode::validation_failed, std::move(problems));
}

}  // namespace

Result<Subscription> EventBus::subscribe(SubscriptionOptions options) {
  PETRI_TRY(check(options));
  auto channel = std::make_shared<EventChannel>(std::move(options), list_);
  list_->add(channel);
  return Subscription(std::move(channel));
}

void EventBus::publish_to_subscribers(EventKind kind, const EventSubject& subject,
                                      const std::function<void(Event&)>& fill) {
  if (!list_->has_subscriber(kind, subject)) return;
  try {
    Event event{.kind = kind,
                .time = clock_.wall_now(),
                .sandbox = std::string(subject.sandbox),
                .process = std::string(subject.process),
                .correlation = subject.correlation};
    fill(event);
    list_->hand_on(std::move(event));
  } catch (const std::bad_alloc&) {
    list_->count_lost();
  }
}

}  // namespace petri
