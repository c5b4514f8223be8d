#include "kill_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <map>
#include <optional>

#include "petri/host_functions.h"
#include "petri/testing/testing.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(30);
constexpr std::int32_t kStarted = 99;

// Remembers the last number it was sent.
constexpr std::string_view kWitness = R"((module
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (memory 1)
  (func (export "petri_handle") (result i32)
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 4))) (i32.const 0))
  (func (export "seen") (result i32) (i32.load (i32.const 0)))))";

// Calls the actor and answers with what it received.
constexpr std::string_view kCaller = R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "actor")
  (func (export "petri_handle") (result i32)
    (i32.store (i32.const 16) (call $call (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 0) (i32.const 0)))
    (drop (call $write (i32.const 16) (i32.const 4))) (i32.const 0))))";

// The one that meets the limit, in one place, and sends the witness what it was answered.
std::string actor(const KillRow& row, KillPlace place) {
  const bool minimum = row.limit == "memory_bytes_max" && row.ends && row.on_limit.empty();
  const std::string padding = row.limit == "module_bytes_max" ? std::string(4'000, 'x') : "";
  const auto here = [&](KillPlace wanted, std::string_view text) { return place == wanted ? text : ""; };
  return fmt::format(
      R"((module
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (memory {pages})
  (data (i32.const 16) "witness") (data (i32.const 32) "actor")
  (data (i32.const 64) "{{\"id\":\"kid\",\"module\":\"witness\"}}") (data (i32.const 256) "{padding}")
  (func $tell (param i32) (i32.store (i32.const 0) (local.get 0))
    (drop (call $send (i32.const 16) (i32.const 7) (i32.const 0) (i32.const 4))))
  (func $deep (call $deep))
  (func $act (export "act") (result i32) (call $tell (i32.const {begun})) {act})
  (func $act_and_tell (call $tell (call $act)))
  {start}
  (func (export "petri_init") (result i32) {init} (i32.const 0))
  (func (export "petri_handle") (result i32)
    (if (i32.eq (call $kind) (i32.const 1)) (then {handler})) (i32.const 0))
  (func (export "petri_terminate") (result i32) {terminate} (i32.const 0))))",
      fmt::arg("pages", minimum ? 8 : 1), fmt::arg("padding", padding), fmt::arg("begun", kStarted),
      fmt::arg("act", row.act), fmt::arg("start", here(KillPlace::start, "(start $act_and_tell)")),
      fmt::arg("init", here(KillPlace::init, "(call $act_and_tell)")),
      fmt::arg("handler", place == KillPlace::handler || place == KillPlace::nested ? "(call $act_and_tell)" : ""),
      fmt::arg("terminate", here(KillPlace::terminate, "(call $act_and_tell)")));
}

// The status that a guest got: an error by its name, except for −1, which memory.grow answers too.
std::string status_text(std::int32_t status) {
  return status < -1 ? std::string(name_of(static_cast<GuestError>(status))) : std::to_string(status);
}

class Scene {
 public:
  Scene(Runtime& runtime, const KillRow& row, KillPlace place, Tier tier)
      : runtime_(runtime), row_(row), place_(place), tier_(tier), id_(testing::unique_id("kill")) {}
  ~Scene() { static_cast<void>(runtime_.destroy(id_)); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  KillObservation play() {
    events_ = *runtime_.subscribe({.sandbox = id_,
                                   .kinds = {EventKind::killed_timeout, EventKind::killed_resource_limit,
                                             EventKind::limit_met, EventKind::process_exited, EventKind::run_start}});
    if (row_.limit == "stop" || row_.limit == "cancel") {
      interrupted();
    } else {
      limited();
    }
    read_events();
    if (row_.limit == "execution_time_max") seen_.latency -= 50ms;
    return std::move(seen_);
  }

 private:
  bool at(KillPlace place) const { return place_ == place; }
  bool starts() const { return at(KillPlace::start) || at(KillPlace::init); }
  // The process whose place it is comes later, or never, where starting is what ends it.
  SandboxSpec spec() const {
    SandboxSpec spec{.id = id_, .limits = row_.limits, .tier = tier_};
    spec.on_limit = row_.on_limit;
    spec.modules = {{"witness", Source::wat(std::string(kWitness))},
                    {"actor", Source::wat(actor(row_, place_))},
                    {"caller", Source::wat(std::string(kCaller))}};
    const Shutdown shutdown = row_.limit != "stop"
                                  ? Shutdown::after(20s)
                                  : (at(KillPlace::terminate) ? Shutdown::after(20ms) : Shutdown::brutal());
    spec.tree = SupervisorSpec{.intensity = 100, .children = {ChildSpec{.id = "witness", .module = "witness"}}};
    const ChildSpec actor_child{.id = "actor", .module = "actor", .shutdown = shutdown};
    if (!(row_.limit == "stop" && starts()) && !at(KillPlace::run)) spec.tree->children.emplace_back(actor_child);
    if (at(KillPlace::nested))
      spec.tree->children.emplace_back(ChildSpec{.id = "caller", .module = "caller", .shutdown = shutdown});
    if (at(KillPlace::nested) && spec.limits.processes_max) spec.limits.processes_max = 3;
    // Not what is to be met here.
    if (at(KillPlace::run) && row_.limit == "module_bytes_max") spec.modules.erase(spec.modules.begin() + 1);
    return spec;
  }
  void stamp(SteadyClock::time_point from) { seen_.latency = SteadyClock::now() - from; }

  // The status that the actor sent the witness; it is handled before the question.
  std::optional<std::int32_t> witnessed() {
    const auto seen = sandbox_->call("seen", {}, {.process = "witness"});
    if (!seen || seen->values.empty()) return std::nullopt;
    return seen->values[0].i32();
  }
  void note_answer(std::optional<std::int32_t> status) {
    if (status && *status != kStarted) seen_.verdict.verdict = status_text(*status);
  }
  void note(const Result<Outcome>& result) {
    if (!result) {
      seen_.verdict.verdict = name_of(result.error().code);
    } else if (result->kind != OutcomeKind::ok) {
      seen_.verdict.verdict = name_of(result->kind);
      const bool by_a_limit = row_.limit != "stop" && row_.limit != "cancel";
      if (by_a_limit && result->cause != row_.limit) seen_.verdict.verdict += " because of " + result->cause;
    } else {
      note_answer(at(KillPlace::run) ? std::optional(result->values.at(0).i32()) : witnessed());
    }
  }
  // The end of a nested call's caller: its own end, or the answer it was given.
  void note_caller(const Result<Outcome>& result) {
    std::string text = result ? std::string(name_of(result->kind)) : std::string(name_of(result.error().code));
    std::int32_t status = 0;
    if (result && result->kind == OutcomeKind::ok && result->output.size() == sizeof(status)) {
      std::memcpy(&status, result->output.data(), sizeof(status));
      if (status < 0) text = name_of(static_cast<GuestError>(status));
    }
    seen_.verdict.after = "its caller: " + text;
  }
  void note_after() {
    if (at(KillPlace::nested) || !sandbox_) return;
    const bool may_restart = at(KillPlace::handler) && row_.ends && sandbox_->status() == SandboxStatus::running;
    if (may_restart) {
      testing::eventually(runtime_, [&] { return sandbox_->info().supervisor_restarts > 0 ? "" : "not yet"; });
    }
    const auto children = sandbox_->children();
    const bool there = std::ranges::any_of(
        children, [](const ChildInfo& child) { return child.address == "actor" && child.status == "running"; });
    const bool all_well = at(KillPlace::run) ? witnessed().has_value() : there;
    const std::uint64_t restarts = sandbox_->info().supervisor_restarts;
    seen_.verdict.after = !all_well ? "gone" : (restarts > 0 ? "restarted" : "goes on");
  }

  Result<Outcome> act(const CallOptions& options = {}) {
    CallOptions to = options;
    to.process = at(KillPlace::nested) ? "caller" : "actor";
    return sandbox_->call("", {}, to);
  }
  Result<Outcome> run_it(const RunOptions& options = {}) {
    if (row_.limit == "module_bytes_max") return sandbox_->run(Source::wat(actor(row_, place_)), "act", {}, options);
    return sandbox_->run("actor", "act", {}, options);
  }

  // ---- limits -------------------------------------------------------------------------------------------------

  void limited() {
    const auto from = SteadyClock::now();
    auto created = runtime_.create_sandbox(spec());
    if (starts()) stamp(from);
    if (!created) {
      const auto outcome = created.error().detail("outcome");
      seen_.verdict = {.verdict = outcome.empty() ? std::string(name_of(created.error().code)) : std::string(outcome),
                       .after = "never started"};
      return;
    }
    sandbox_ = std::move(*created);
    meet(SteadyClock::now());
    note_after();
  }
  void meet(SteadyClock::time_point from) {
    switch (place_) {
      case KillPlace::start:
      case KillPlace::init: return note_answer(witnessed());
      case KillPlace::handler: {
        const auto result = act();
        stamp(from);
        return note(result);
      }
      case KillPlace::terminate:
        static_cast<void>(sandbox_->stop_child("actor"));
        stamp(from);
        return note_answer(witnessed());
      case KillPlace::run: {
        const auto result = run_it();
        stamp(from);
        return note(result);
      }
      case KillPlace::nested: {
        const auto result = act();
        stamp(from);
        note_caller(result);
        return note_answer(witnessed());
      }
    }
  }

  // ---- cancel and stop ----------------------------------------------------------------------------------------

  void interrupted() {
    sandbox_ = *runtime_.create_sandbox(spec());
    std::stop_source stop;
    std::future<Result<Outcome>> result = begin(stop.get_token());
    wait_until_it_loops();
    const auto from = SteadyClock::now();
    row_.limit == "cancel" ? static_cast<void>(stop.request_stop()) : static_cast<void>(sandbox_->stop());
    const Result<Outcome> outcome = result.get();
    stamp(from);
    if (at(KillPlace::nested)) return note_caller(outcome);
    if (!at(KillPlace::terminate)) note(outcome);
    if (starts()) {
      seen_.verdict.after = "never started";
    } else if (at(KillPlace::run)) {
      seen_.verdict.after = "goes on";
    } else {
      note_after();
    }
  }
  std::future<Result<Outcome>> begin(std::stop_token stop) {
    return std::async(std::launch::async, [this, stop]() -> Result<Outcome> {
      if (starts()) return start_child();
      if (at(KillPlace::run)) return run_it({.stop = stop});
      if (at(KillPlace::terminate)) {
        PETRI_TRY(sandbox_->stop_child("actor"));
        return Outcome{};
      }
      return act({.stop = stop});
    });
  }
  Result<Outcome> start_child() {
    auto started = sandbox_->start_child(ChildSpec{.id = "actor", .module = "actor", .shutdown = Shutdown::brutal()});
    if (started) return Outcome{};
    return fail(std::move(started.error()));
  }
  void wait_until_it_loops() {
    testing::eventually(
        runtime_,
        [&]() -> std::string {
          if (!at(KillPlace::run)) return witnessed() == kStarted ? "" : "not yet";
          const EventPtr event = events_.next();
          return event && event->kind == EventKind::run_start ? "" : "not yet";
        },
        kPatience);
  }

  // The trail has an entry for every event.
  void note_audit(const std::map<std::string, int>& events) {
    std::map<std::string, int> audited;
    for (const AuditEntry& entry : runtime_.audit({.sandbox = id_}).entries) {
      if (entry.cause != row_.limit) continue;
      if (entry.kind == AuditKind::limit_met) ++audited["limit.met"];
      if (entry.kind == AuditKind::killed) {
        ++audited[row_.limit == "execution_time_max" ? "killed.timeout" : "killed.resource_limit"];
      }
    }
    if (audited == events) return;
    seen_.verdict.events += " (but the audit has";
    for (const auto& [kind, times] : audited) seen_.verdict.events += fmt::format(" {} ×{}", kind, times);
    seen_.verdict.events += ")";
  }

  // ---- events -------------------------------------------------------------------------------------------------

  void read_events() {
    std::map<std::string, int> events;
    int count = 0;
    while (const EventPtr event = events_.next()) {
      if (event->kind == EventKind::process_exited && event->process == "actor" && at(KillPlace::nested))
        seen_.verdict.verdict = event->text("outcome");
      if (event->text("limit") != row_.limit) continue;
      ++events[std::string(name_of(event->kind))];
      ++count;
    }
    for (const auto& [kind, times] : events) {
      seen_.verdict.events += (seen_.verdict.events.empty() ? "" : ", ") + kind;
      if (times > 1) seen_.verdict.events += fmt::format(" ×{}", times);
    }
    note_audit(events);
    const auto info = runtime_.info(id_);
    const auto met = info ? info->limits_met.find(row_.limit) : decltype(info->limits_met.end()){};
    const auto counted = !info || met == info->limits_met.end() ? 0 : static_cast<int>(met->second);
    if (counted != count) seen_.verdict.events += fmt::format(" (info counts {})", counted);
  }

  Runtime& runtime_;
  const KillRow& row_;
  const KillPlace place_;
  const Tier tier_;
  const std::string id_;
  Subscription events_;
  std::optional<Sandbox> sandbox_;
  KillObservation seen_;
};

}  // namespace

KillObservation observe_kill(Runtime& runtime, const KillRow& row, KillPlace place, Tier tier) {
  return Scene(runtime, row, place, tier).play();
}

}  // namespace petri
