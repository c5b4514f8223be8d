#include "telemetry/usage/usage_history.h"

namespace petri {

void add_usage(Event& event, const Usage& usage) {
  event.add("memory_bytes", usage.memory_bytes)
      .add("host_bytes", usage.host_bytes)
      .add("processes", usage.processes)
      .add("messages", usage.messages)
      .add("descriptors", usage.descriptors)
      .add("threads", usage.threads)
      .add("fuel_used", usage.fuel_used)
      .add("cpu_time_ns", usage.cpu_time)
      .add("cpu_percent", usage.cpu_percent)
      .add("uptime_ns", usage.uptime);
}

}  // namespace petri
