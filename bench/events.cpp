#include "bench/events.h"

#include "bench/stopwatch.h"
#include "telemetry/event_bus.h"

namespace petri::bench {
namespace {

constexpr int kEvents = 1'000;

void publish(EventBus& bus, int number) {
  bus.publish(EventKind::run_stop, {.sandbox = "bench", .process = "worker"},
              [number](Event& event) { event.add("outcome", "ok").add("fuel_used", number); });
}

// Somebody listens to another kind: the bus is in use, and this event is not.
Result<Measurement> measure_events() {
  const SystemClock clock;
  EventBus bus(clock);
  PETRI_TRY(const Subscription subscription, bus.subscribe({.kinds = {EventKind::sandbox_created}}));
  const Sampled seconds = seconds_per_call([&bus] {
    for (int i = 0; i < kEvents; ++i) publish(bus, i);
  });
  return Measurement{.value = seconds / kEvents * 1e9, .reference = std::nullopt};
}

}  // namespace

Benchmark event_unheard_ns() {
  return {.name = "event_unheard_ns",
          .unit = "ns",
          .what = "publish an event of a kind that nobody listens to",
          .bar = "<= 3",
          .measure = measure_events};
}

}  // namespace petri::bench
