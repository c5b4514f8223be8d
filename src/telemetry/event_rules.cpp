#include "telemetry/event_rules.h"

#include "base/name_table.h"

namespace petri {
namespace {

using enum EventKind;
using enum DetailType;
using enum EventLevel;

constexpr bool kSometimes = false;

constexpr DetailRule kModule{"module", text, "name of the module"};
constexpr DetailRule kFunction{"function", text, "name of the export that is called"};
constexpr DetailRule kMessage{"message", text, "a sentence for a person"};
constexpr DetailRule kErrorCode{"error", text, "code of the error"};
constexpr DetailRule kDuration{"duration_ns", integer, "how long it took"};
constexpr DetailRule kVersion{"version", integer, "number of the module's version"};
constexpr DetailRule kLimit{"limit", text, "name of the limit"};
constexpr DetailRule kAllowed{"allowed", integer, "its value, in the limit's own unit"};
constexpr DetailRule kSeen{"seen", integer, "what was used or asked for, in the same unit"};
constexpr DetailRule kPlace{"place", text,
                            "where in its life, as in the outcome: instantiate, start, initialize or call", kSometimes};
constexpr DetailRule kOutcome{"outcome", text, "kind of the outcome"};
constexpr DetailRule kTrap{"trap", text, "which trap, when trapped", kSometimes};
constexpr DetailRule kExitCode{"exit_code", integer, "the guest's own code, when it exited", kSometimes};
constexpr DetailRule kFuelUsed{"fuel_used", integer, "units of fuel"};

DetailRule sometimes(DetailRule rule) {
  rule.always = false;
  return rule;
}

std::vector<EventRule> sandbox_rules() {
  return {
      {sandbox_created,
       "A sandbox is there and runs.",
       {{"modules", integer, "how many modules it has"}, {"processes", integer, "how many were started"}, kDuration}},
      {sandbox_status,
       "The status changed.",
       {{"from", text, "the status before"},
        {"to", text, "the status now"},
        {"cause", text, "why, where it is not the caller's wish", kSometimes}}},
      {sandbox_destroyed,
       "The sandbox and all it had are gone.",
       {{"cause", text, "`destroy`, or why it was collected: dead, abandoned or generation"},
        {"uptime_ns", integer, "how long it lived"}}},
      {sandbox_failed,
       "The sandbox ended in the status `failed`.",
       {{"cause", text, "what ended it: an error's code, an outcome's kind or a limit"},
        {"class", text, "compilation, runtime, resource, security or system"},
        kMessage},
       error},
  };
}

std::vector<EventRule> process_rules() {
  return {
      {process_started, "A process answers messages.", {kModule, sometimes(kVersion)}, debug},
      {process_exited,
       "A process has ended, however it did.",
       {{"reason", text, "the reason its supervisor acts on"},
        sometimes(kOutcome),
        kTrap,
        {"backtrace", text, "where it trapped, when that is known", kSometimes},
        kExitCode,
        sometimes(kMessage)}},
      {process_restarted,
       "Its supervisor started it again.",
       {{"restarts", integer, "how often this child was started again so far"}, sometimes(kDuration)},
       warning},
      {process_gave_up,
       "A supervisor has spent its restarts and ends.",
       {{"supervisor", text, "its name; empty for the root"}, {"reason", text, "of the last exit"}},
       error},
  };
}

std::vector<EventRule> module_rules() {
  return {
      {module_loaded,
       "A module passed the gate and can be run.",
       {kModule,
        sometimes(kVersion),
        {"artifact", text, "SHA-256 of its bytes"},
        {"bytes", integer, "its size"},
        sometimes(kDuration)}},
      {module_rejected,
       "A module was refused and nothing of it was run.",
       {kModule, kErrorCode, kMessage, {"artifact", text, "SHA-256 of its bytes, if it came so far", kSometimes}},
       warning},
  };
}

std::vector<EventRule> version_rules() {
  const DetailRule from{"from", integer, "number of the version before"};
  const DetailRule processes{"processes", integer, "how many went on with it"};
  const DetailRule cause{"cause", text, "reload, activate, rollback, trial, recovery or restore"};
  const DetailRule state{"state", text, "how their state crossed", kSometimes};
  const DetailRule plan{"plan", text, "what became of each field of described state, as JSON", kSometimes};
  const DetailRule pause{"pause_ns", integer, "the longest for which one of them answered nobody", kSometimes};
  return {
      {module_staged, "Another version of a module can be activated.", {kModule, kVersion}},
      {module_reloaded,
       "All processes of a module go on with another version.",
       {kModule, kVersion, from, cause, processes, state, plan, pause}},
      {module_rolled_back,
       "All processes of a module went back to a version they had before.",
       {kModule,
        kVersion,
        from,
        cause,
        processes,
        state,
        plan,
        pause,
        {"reason", text, "how the process ended that made petri do so", kSometimes},
        kTrap},
       warning},
      {module_no_change, "The version that was asked for was the active one.", {kModule, kVersion}, debug},
      {compiling_unavailable,
       "There is no compile worker: hot code stays interpreted. Of no sandbox, and told once.",
       {kMessage},
       warning},
  };
}

std::vector<EventRule> run_rules() {
  return {
      {run_start, "A run begins. Exactly one of `run.stop` and `run.exception` follows.", {kModule, kFunction}, debug},
      {run_stop,
       "The guest was entered and has ended, however it did.",
       {kModule,
        kFunction,
        kOutcome,
        kTrap,
        kExitCode,
        kFuelUsed,
        kDuration,
        {"memory_peak_bytes", integer, "the most it had at a time", kSometimes},
        {"tier", text, "what ran it", kSometimes}},
       debug},
      {run_exception, "The guest was not entered.", {kModule, kFunction, kErrorCode, kMessage, kDuration}, warning},
  };
}

std::vector<EventRule> evaluate_rules() {
  const DetailRule rows{"rows", integer, "how many candidates it has"};
  const DetailRule cases{"cases", integer, "how many cases each is called with"};
  return {
      {evaluate_start,
       "An evaluation begins. Exactly one of `evaluate.stop` and `evaluate.exception` follows. Of no sandbox.",
       {kFunction, rows, cases},
       debug},
      {evaluate_stop,
       "Every candidate has its record. Of no sandbox.",
       {kFunction,
        rows,
        cases,
        {"evaluated", integer, "candidates that were looked at now"},
        {"repeated", integer, "rows that repeat an earlier one"},
        {"cache_hits", integer, "rows whose record was known before"},
        {"cancelled", integer, "rows that were left out"},
        {"promoted", integer, "candidates that were compiled on the way"},
        kFuelUsed,
        kDuration},
       debug},
      {evaluate_exception,
       "Nothing was evaluated. Of no sandbox.",
       {kFunction, rows, cases, kErrorCode, kMessage, kDuration},
       warning},
  };
}

std::vector<EventRule> batch_rules() {
  const DetailRule verb{"verb", text, "create_all, destroy_all, call_all, run_all, reload_all_of or evaluate_forks"};
  const DetailRule rows{"rows", integer, "how many it has"};
  return {
      {batch_start,
       "A batch begins. Exactly one of `batch.stop` and `batch.exception` follows. Of no sandbox.",
       {verb, rows, {"concurrency_max", integer, "rows under way at a time"}},
       debug},
      {batch_stop,
       "Every row has its result. Of no sandbox.",
       {verb,
        rows,
        {"ok", integer, "rows that were carried out"},
        {"errors", integer, "rows that were refused or failed"},
        {"cancelled", integer, "rows that were not done when the batch was over"},
        kDuration},
       debug},
      {batch_exception, "No row was started. Of no sandbox.", {verb, rows, kErrorCode, kMessage, kDuration}, warning},
  };
}

std::vector<EventRule> compile_rules() {
  const DetailRule language{"language", text, "of the source, where it is a text in one", kSometimes};
  const DetailRule path{"path", text, "where the source was read, as the caller wrote it", kSometimes};
  return {
      {compile_start,
       "A compiler begins. Exactly one of `compile.stop` and `compile.exception` follows. Of no sandbox where the "
       "source "
       "is watched, as it may be for several.",
       {language, path},
       debug},
      {compile_stop,
       "The source is code.",
       {language,
        path,
        {"modules", integer, "how many the source has"},
        {"artifact", text, "SHA-256 of its bytes, where it is one module", kSometimes},
        {"bytes", integer, "its size, where it is one module", kSometimes},
        kDuration}},
      {compile_exception, "The source did not compile.", {language, path, kErrorCode, kMessage, kDuration}, warning},
  };
}

std::vector<EventRule> collection_rules() {
  return {
      {gc_collected,
       "A collection has ended. Of no sandbox.",
       {{"cause", text, "`interval`, or `collect` where a caller asked"},
        {"dead", integer, "stopped and failed sandboxes that were removed"},
        {"abandoned", integer, "live ones that nobody used"},
        {"generations", integer, "live ones of old generations"},
        {"artifacts", integer, "artifacts that nobody used any more"},
        {"code", integer, "loaded modules that nobody used any more"},
        {"folders", integer, "folders that compilers without a jail have left behind"},
        {"rows", integer, "rows of the registry that were put right"},
        kDuration}},
  };
}

std::vector<EventRule> watch_rules() {
  const DetailRule path{"path", text, "the folder or file that is watched"};
  return {
      {watch_reloaded,
       "Watched sources have changed, and the sandbox runs what they are now.",
       {path,
        {"modules", text, "those with a new version, by name; empty: the code came out as it was"},
        {"reloaded", integer, "how many these are"},
        {"unchanged", integer, "modules whose code came out as it was"},
        {"compile_ns", integer, "how long compiling took"},
        kDuration}},
      {watch_failed,
       "Watched sources have changed and are not used; what ran continues.",
       {path,
        kErrorCode,
        kMessage,
        {"errors", integer, "that the compiler found"},
        {"file", text, "of the first of them", kSometimes},
        {"line", integer, "of the first of them", kSometimes},
        {"column", integer, "of the first of them", kSometimes}},
       warning},
      {watch_problem, "A part of what is to be watched cannot be.", {path, kMessage}, warning},
  };
}

std::vector<EventRule> resource_rules() {
  return {
      {killed_resource_limit, "A limit other than time ended a guest.", {kLimit, kAllowed, kSeen, kPlace}, warning},
      {killed_timeout, "A guest ran out of time: the outcome `deadline`.", {kLimit, kAllowed, kSeen, kPlace}, warning},
      {usage_sampled,
       "What the sandbox consumes, each sampling interval.",
       {{"memory_bytes", integer, "of the whole tree: memories, tables, answers"},
        {"host_bytes", integer, "that the host holds for it: messages, timers, children, listings, replies"},
        {"processes", integer, "that are alive"},
        {"messages", integer, "that wait in mailboxes"},
        {"descriptors", integer, "of the host that it has open"},
        {"threads", integer, "of the host that handle something for it, or wait to"},
        kFuelUsed,
        {"cpu_time_ns", integer, "processor time since it was created"},
        {"cpu_percent", number, "of one core, over the last second"},
        {"uptime_ns", integer, "since it was created"}},
       debug},
      {limit_warning,
       "Use has reached 80 % of a limit. Told again only after it has been below.",
       {kLimit, kAllowed, kSeen},
       warning},
      {limit_met,
       "A limit refused or cut something, and the guest goes on.",
       {kLimit, kAllowed, kSeen, {"count", integer, "how many times, where they are told together", kSometimes}}},
  };
}

std::vector<EventRule> containment_rules() {
  const DetailRule opened{"opened", integer, "how often it has opened so far"};
  const DetailRule permission{"permission", text, "what it asked for"};
  const DetailRule count{"count", integer, "how many times, where they are told together", kSometimes};
  return {
      {breaker_opened,
       "The breaker of a sandbox has opened: calls and messages from outside are `busy`.",
       {opened, {"limits", integer, "how many ending limits it takes"}, {"pause_ns", integer, "until one is let in"}},
       warning},
      {breaker_half_open, "One call or message is let in, to see how it goes.", {opened}},
      {breaker_closed, "All are let in again.", {opened}},
      {host_pressure,
       "The runtime's memory budget is spent, or is so no longer. Of no sandbox.",
       {{"state", text, "`spent` or `relieved`"}, kAllowed, kSeen},
       warning},
      {security_denied,
       "A guest asked for what it may not do, or a module imports it.",
       {permission, count, sometimes(kModule), sometimes(kMessage)},
       warning},
      {security_quarantined,
       "An artifact met ending limits again and again, and is refused for a while.",
       {{"artifact", text, "SHA-256 of its bytes"}, kLimit, {"period_ns", integer, "for how long"}},
       warning},
      {sandbox_recovery,
       "Supervision has given up, and the recovery table acts.",
       {{"class", text, "compilation, runtime, resource, security or system"},
        {"action", text, "keep, retry, rollback, restart, isolate or terminate"},
        {"attempt", integer, "of a retry or a restart, from 1", kSometimes},
        {"pause_ns", integer, "before a retry", kSometimes},
        {"cause", text, "what ended last"}},
       warning},
  };
}

std::vector<EventRule> make_rules() {
  std::vector<EventRule> rules;
  for (const auto make : {sandbox_rules, process_rules, module_rules, run_rules, resource_rules, containment_rules,
                          version_rules, evaluate_rules, batch_rules, compile_rules, collection_rules, watch_rules}) {
    for (EventRule& rule : make()) rules.push_back(std::move(rule));
  }
  return rules;
}

constexpr NameTable<3> kDetailTypes{"text", "integer", "number"};

}  // namespace

std::string_view name_of(DetailType type) { return name_in(kDetailTypes, type); }

const std::vector<EventRule>& event_rules() {
  static const std::vector<EventRule> rules = make_rules();
  return rules;
}

const EventRule& rule_of(EventKind kind) { return event_rules()[static_cast<std::size_t>(kind)]; }

}  // namespace petri
