// WASI: time in whole milliseconds, and waiting for it.
#include <algorithm>
#include <optional>

#include "host/functions/families.h"
#include "host/guest/guest_writer.h"
#include "host/wasi/memory.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

constexpr std::uint32_t kRealtime = 0;
constexpr std::uint32_t kMonotonic = 1;
constexpr std::uint64_t kGrainNs = 1'000'000;

bool is_clock(std::uint32_t clock) { return clock == kRealtime || clock == kMonotonic; }

std::uint64_t time_ms(HostCall& call, std::uint32_t clock) {
  call.context.note_time_seen();
  return clock == kRealtime ? call.context.wall_ms(call.fuel_used()) : call.context.elapsed_ms(call.fuel_used());
}

WasiErrno clock_res_get(HostCall& call, std::uint32_t clock, std::uint32_t result) {
  const auto slot = call.structure<8>(result);
  if (!slot) return refuse(call, WasiErrno::fault);
  if (!is_clock(clock)) return refuse(call, WasiErrno::inval);
  store(*slot, 0, kGrainNs);
  return WasiErrno::success;
}

WasiErrno clock_time_get(HostCall& call, std::uint32_t clock, std::uint64_t, std::uint32_t result) {
  const auto slot = call.structure<8>(result);
  if (!slot) return refuse(call, WasiErrno::fault);
  if (!is_clock(clock)) return refuse(call, WasiErrno::inval);
  store(*slot, 0, time_ms(call, clock) * kGrainNs);
  return WasiErrno::success;
}

// ---- poll_oneoff ----

constexpr std::uint32_t kSubscriptionBytes = 48;
constexpr std::uint32_t kEventBytes = 32;
constexpr std::uint32_t kSubscriptionsMax = 64;
enum EventType : std::uint8_t { clock_event = 0, read_event = 1, write_event = 2 };

struct Subscription {
  std::uint64_t userdata = 0;
  std::uint8_t type = clock_event;
  WasiErrno error = WasiErrno::success;
  std::uint64_t wait_ms = 0;  // 0: ready at once
};

std::uint64_t wait_ms(HostCall& call, std::span<const std::uint8_t> bytes) {
  const std::uint64_t timeout_ns = load<std::uint64_t>(bytes, 24);
  const std::uint64_t timeout_ms = timeout_ns / kGrainNs + (timeout_ns % kGrainNs != 0 ? 1 : 0);
  const bool absolute = (load<std::uint16_t>(bytes, 40) & 1) != 0;
  if (!absolute) return timeout_ms;
  const std::uint64_t now_ms = time_ms(call, load<std::uint32_t>(bytes, 16));
  return timeout_ms > now_ms ? timeout_ms - now_ms : 0;
}

// Streams and files are always ready: what they have they have.
Subscription read_subscription(HostCall& call, std::span<const std::uint8_t> bytes) {
  Subscription subscription{.userdata = load<std::uint64_t>(bytes, 0), .type = load<std::uint8_t>(bytes, 8)};
  const auto subject = load<std::uint32_t>(bytes, 16);
  if (subscription.type == clock_event && is_clock(subject)) subscription.wait_ms = wait_ms(call, bytes);
  if (subscription.type == clock_event && !is_clock(subject)) subscription.error = WasiErrno::inval;
  if (subscription.type > write_event) subscription.error = WasiErrno::inval;
  const bool stream = subscription.type == read_event || subscription.type == write_event;
  if (stream && call.context.wasi().find(subject) == nullptr) subscription.error = WasiErrno::badf;
  return subscription;
}

void write_event_of(std::span<std::uint8_t> bytes, const Subscription& subscription) {
  std::ranges::fill(bytes, std::uint8_t{0});
  store(bytes, 0, subscription.userdata);
  store(bytes, 8, static_cast<std::uint16_t>(subscription.error));
  store(bytes, 10, subscription.type);
}

WasiErrno poll_oneoff(HostCall& call, std::uint32_t list, std::uint32_t events, std::uint32_t count,
                      std::uint32_t events_count) {
  if (count == 0 || count > kSubscriptionsMax) return refuse(call, WasiErrno::inval);
  const auto out_count = call.structure<4>(events_count);
  auto out = GuestWriter::open(call, events, std::uint64_t{count} * kEventBytes);
  if (!out || !out_count) return refuse(call, WasiErrno::fault);
  const auto in = call.list(list, count, kSubscriptionBytes);
  if (!in) return refuse(call, WasiErrno::fault);

  std::vector<Subscription> subscriptions;
  for (std::size_t index = 0; index < count; ++index) {  // bounded: kSubscriptionsMax
    subscriptions.push_back(read_subscription(call, in->subspan(index * kSubscriptionBytes, kSubscriptionBytes)));
  }
  const std::uint64_t shortest_ms = std::ranges::min(subscriptions, {}, &Subscription::wait_ms).wait_ms;
  if (!call.wait(shortest_ms)) return WasiErrno::success;

  std::uint32_t written = 0;
  for (const Subscription& subscription : subscriptions) {
    if (subscription.wait_ms > shortest_ms) continue;
    const auto event = out->next(kEventBytes);
    if (event.empty()) return WasiErrno::success;
    write_event_of(event, subscription);
    ++written;
  }
  store(*out_count, 0, written);
  return WasiErrno::success;
}

}  // namespace

HostFamily wasi_clock_functions() {
  return {
      host_function<&clock_res_get>(
          {.module = kWasi, .name = "clock_res_get", .fuel = 16, .permission = Permission::clock}),
      host_function<&clock_time_get>(
          {.module = kWasi, .name = "clock_time_get", .fuel = 16, .permission = Permission::clock}),
      host_function<&poll_oneoff>({.module = kWasi,
                                   .name = "poll_oneoff",
                                   .fuel = 256,
                                   .charges_bytes = true,
                                   .also = "subscriptions",
                                   .permission = Permission::clock,
                                   .version = 2}),
  };
}

}  // namespace petri
