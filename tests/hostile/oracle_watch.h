// Reads what a runtime reports of hostile sandboxes while a case runs, and compares it with the audit trail afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "hostile/hostile_facts.h"
#include "petri/event_sinks.h"
#include "petri/runtime.h"
#include "petri/testing/testing.h"

namespace petri {

class OracleWatch {
 public:
  using Leaks = std::string (*)(const std::string& text);

  OracleWatch(Runtime& runtime, Leaks leaks) : runtime_(runtime), leaks_(leaks) {
    auto subscription = runtime.subscribe({.kinds = kWatched, .queue_max = kEventQueueMax});
    auto listener = EventListener::start(std::move(*subscription), [this](const Event& event) { read(event); });
    if (listener) listener_ = std::move(*listener);
  }

  // Once nothing hostile is left: what is wrong, or nothing.
  std::string end() {
    // The last end of a guest may still be on its way to the trail or to the listener, and a guest that was killed
    // while its sandbox was destroyed may come to both after this: what is compared is both at one moment.
    Reports differences;
    static_cast<void>(testing::eventually(runtime_, [&] {
      const std::lock_guard lock(mutex_);
      if (listener_.lost() > 0) return "";  // they never agree
      differences = audit_differences();
      return std::ranges::all_of(differences, [](const auto& of) { return of.second == 0; }) ? "" : "not yet";
    }));
    listener_.finish();
    const std::lock_guard lock(mutex_);
    const bool complete = listener_.lost() == 0;
    if (complete) check_verdicts();
    if (complete) check_audit(differences);
    HostileFacts::instance().note_signature({signature_.begin(), signature_.end()});
    return wrong_;
  }

 private:
  // Kind of enforcement, sandbox, process, cause.
  using Reports = std::map<std::vector<std::string>, std::int64_t>;
  static constexpr EventKinds kWatched{
      EventKind::run_start,       EventKind::run_stop,        EventKind::run_exception,
      EventKind::killed_timeout,  EventKind::limit_met,       EventKind::killed_resource_limit,
      EventKind::module_rejected, EventKind::security_denied, EventKind::security_quarantined,
      EventKind::process_exited};
  // The kinds that the trail keeps.
  static constexpr std::array kAudited{AuditKind::limit_met, AuditKind::killed, AuditKind::module_rejected,
                                       AuditKind::permission_denied, AuditKind::quarantined};

  static bool is_hostile(const std::string& sandbox) { return sandbox.starts_with("hostile"); }
  static bool by_time(std::string_view outcome) {
    return outcome == "deadline" || outcome == "cancelled" || outcome == "cpu_limit";
  }
  // A fault of petri's own.
  static bool is_ours(std::string_view error) { return error == "host_fault" || error == "engine_fault"; }
  void check(Oracle line, bool holds, const std::string& what) {
    HostileFacts::instance().check(line, holds, what);
    if (!holds && wrong_.empty()) wrong_ = std::string(name_of(line)) + ": " + what;
  }

  void read(const Event& event) {
    if (!is_hostile(event.sandbox)) return;
    const std::lock_guard lock(mutex_);
    const std::string text = to_text(event);
    check(Oracle::leak, leaks_(text).empty(), text);
    count(event);
    const std::string outcome(event.text("outcome"));
    if (outcome.empty() || by_time(outcome)) return;
    std::string end = std::string(name_of(event.kind)) + " " + outcome + " " + std::string(event.text("trap"));
    if (event.kind == EventKind::run_stop) end += " fuel " + std::to_string(event.count("fuel_used"));
    signature_.insert(std::move(end));
  }
  void count(const Event& event) {
    const std::string cause(event.text("limit"));
    switch (event.kind) {
      case EventKind::run_start: ++runs_[event.correlation.id]; return;
      case EventKind::run_exception:
        check(Oracle::verdict, !is_ours(event.text("error")), to_text(event));
        [[fallthrough]];
      case EventKind::run_stop: --runs_[event.correlation.id]; return;
      case EventKind::limit_met: tell(AuditKind::limit_met, event, cause); break;
      case EventKind::killed_resource_limit:
      case EventKind::killed_timeout: tell(AuditKind::killed, event, cause); break;
      case EventKind::module_rejected: tell(AuditKind::module_rejected, event, event.text("error")); return;
      case EventKind::security_quarantined: tell(AuditKind::quarantined, event, cause); return;
      case EventKind::security_denied:
        // A denied import is reported with its module's refusal.
        if (event.text("module").empty()) tell(AuditKind::permission_denied, event, event.text("permission"));
        return;
      default: return;
    }
    if (event.kind != EventKind::killed_timeout && cause != "cpu_percent_max")
      signature_.insert(std::string(name_of(event.kind)) + " " + cause);
  }

  void tell(AuditKind kind, const Event& event, std::string_view cause) {
    ++reports_[{std::string(name_of(kind)), event.sandbox, event.process, std::string(cause)}];
  }

  void check_verdicts() {
    for (const auto& [run, open] : runs_)
      check(Oracle::verdict, open == 0, "a run has " + std::to_string(1 - open) + " verdicts");
  }
  // Compares the entries that the trail kept of each enforcement with the published events.
  void check_audit(const Reports& differences) {
    for (const auto& [what, difference] : differences) {
      std::string words;
      for (const std::string& word : what) words += word + " ";
      check(Oracle::reported, difference == 0,
            words + "is in the audit trail " + std::to_string(difference) + " more times");
    }
  }
  Reports audit_differences() {
    Reports kept;
    if (runtime_.audit_status().dropped > 0) return kept;
    together_.clear();
    for (const AuditKind kind : kAudited) count_audit(kind, kept);
    for (const auto& [what, times] : reports_) kept[what] -= times;
    return merged(kept);
  }
  // An entry that counts those of many processes stands for them all.
  Reports merged(const Reports& kept) const {
    Reports sums;
    for (const auto& [what, times] : kept) {
      auto key = what;
      if (together_.contains({key[0], key[1], key[3]})) key[2].clear();
      sums[key] += times;
    }
    return sums;
  }
  // One that was not counted stands for itself.
  static std::int64_t entries_of(const AuditEntry& entry) {
    const AuditValue* entries = entry.detail("entries");
    return entries == nullptr ? 1 : std::get<std::int64_t>(*entries);
  }
  void count_audit(AuditKind kind, Reports& kept) {
    AuditQuery query{.kind = kind, .entries_max = 1'000};
    for (bool more = true; more;) {
      const AuditPage page = runtime_.audit(query);
      for (const AuditEntry& entry : page.entries) {
        if (!is_hostile(entry.sandbox)) continue;
        const std::string name(name_of(kind));
        kept[{name, entry.sandbox, entry.process, entry.cause}] += entries_of(entry);
        if (entry.process.empty() && entry.detail("entries") != nullptr)
          together_.insert({name, entry.sandbox, entry.cause});
      }
      more = page.next.has_value();
      query.after = page.next.value_or(0);
    }
  }

  Runtime& runtime_;
  const Leaks leaks_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::int64_t> runs_;
  Reports reports_;
  std::set<std::vector<std::string>> together_;  // kind, sandbox, cause
  std::set<std::string> signature_;
  std::string wrong_;
  EventListener listener_;
};

}  // namespace petri
