#include "developer/reference_pages.h"

#include <fmt/format.h>

#include <array>

#include "audit/audit_kinds.h"
#include "base/text/units.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/limit_options.h"
#include "developer/meanings.h"
#include "developer/monitoring.h"
#include "developer/spec_page.h"
#include "developer/state_tables.h"
#include "developer/verb_tables.h"
#include "engine/engine_tables.h"
#include "host/host_table.h"
#include "petri/limits.h"
#include "petri/policy.h"
#include "security/finding_rules.h"
#include "telemetry/event_rules.h"
#include "telemetry/metrics/metrics.h"

namespace petri::developer {
namespace {

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string page(std::string_view title, std::string_view introduction) {
  return fmt::format("<!-- Made by tools/docs from the code. Edit the code, then run tools/docs. -->\n# {}\n\n{}\n\n",
                     title, introduction);
}

std::string options_of(const LimitRule& rule) {
  const std::string names = cli::option_names(rule);
  return code(names.substr(0, names.find(',')));
}

std::string sandbox_limits() {
  Rows rows;
  for (const LimitRule& rule : sandbox_limit_rules()) {
    const auto of = [&rule](Profile profile) {
      return format_limit(rule, limit_value(SandboxLimits::of(profile), rule));
    };
    const bool all_cores = rule.name == "cpu_percent_max";
    rows.push_back({code(rule.name), of(Profile::strict), of(Profile::standard),
                    all_cores ? "none" : of(Profile::trusted),
                    fmt::format("{} – {}", format_limit(rule, rule.min),
                                all_cores ? "100 % × cores" : format_limit(rule, rule.max)),
                    rule.refuses_guest ? "yes" : "", std::string(rule.when_met), std::string(rule.when_lowered)});
  }
  return "\n## Of a sandbox\n\nA sandbox has these by its profile, in place of the above; `memory_bytes_max` holds for "
         "its whole tree, and calls of live\nprocesses have fuel without end unless `fuel_max` was set. Where the "
         "column "
         "`on_limit` says yes, the spec may have the limit\nend the guest instead of refusing.\n\nWhat the host holds "
         "because of a sandbox counts for `memory_bytes_max` too, beyond the first 64 KiB: messages with\ntheir "
         "headers, "
         "timers, processes, what an engine keeps for each instance (by what its module declares, and of every module "
         "that "
         "it is linked with),\nthe specs of spawned children (four times their bytes while one is parsed),\nlistings "
         "of "
         "folders, open files, replies, stack "
         "beyond 1 MiB, and 1 MiB for each thread beyond two, of which there are no more than fit into\nhalf of "
         "`memory_bytes_max`. `usage` shows it as `host_bytes`.\n\n" +
         markdown_table({"limit", "strict", "standard", "trusted", "range", "on_limit", "when met",
                         "when lowered on a live sandbox"},
                        rows);
}

std::string limits_page() {
  Rows rows;
  for (const LimitRule& rule : limit_rules()) {
    rows.push_back({code(rule.name), options_of(rule), format_limit(rule, limit_value(Limits{}, rule)),
                    fmt::format("{} – {}", format_limit(rule, rule.min), format_limit(rule, rule.max)),
                    std::string(rule.when_met)});
  }
  return page("Limits",
              "Every guest runs under all of these, in both tiers. Each is also an option of `petri run` by its full "
              "name; the\n"
              "second column has the short one where there is one. Sizes are written `64KiB`, times `50ms`.") +
         markdown_table({"limit", "option", "default", "range", "when met"}, rows) + sandbox_limits();
}

std::string errors_page() {
  Rows rows;
  for (const ErrorCode error : all_error_codes()) {
    const int exit_code = static_cast<int>(cli::exit_code_for(Error{.code = error}));
    rows.push_back({code(name_of(error)), std::string(name_of(category_of(error))), fmt::format("{}", exit_code),
                    std::string(meaning_of(error))});
  }
  return page(
             "Errors",
             "An error means that no guest code was entered, or that petri itself failed. The list is closed; the "
             "spelling is the\n"
             "same in C++ (`ErrorCode`), JSON and on the command line. The exit code is that of the command `petri`.") +
         markdown_table({"code", "category", "exit code", "meaning"}, rows);
}

std::string fuel_page() {
  Rows rows;
  for (const FuelRule& rule : fuel_rules()) rows.push_back({std::string(rule.what), std::string(rule.cost)});
  return page(
             fmt::format("Fuel table {}", fuel_table_version()),
             "What guest code pays, the same in both tiers and on every machine. A guest that returns, traps, exits or "
             "calls the host has paid exactly for the basic blocks it has entered.\n"
             "What host functions charge stands in [host_functions](host_functions.md).") +
         markdown_table({"what", "cost"}, rows);
}

std::string bounds_page() {
  Rows rows;
  for (const EngineBound& bound : engine_bounds()) {
    rows.push_back(
        {std::string(bound.name), format_count(bound.candidate), format_count(bound.program), std::string(bound.what)});
  }
  return page("Bounds of the gate",
              "Checked before any engine sees a module. One that is exceeded makes the module `rejected`, with the "
              "bound's name in\n"
              "the message. The set `candidate` is for evolved code by the hundred thousand: `petri evaluate`, and "
              "sandboxes of the\n"
              "profiles `strict` and `standard`. The set `program` is wide enough for what ordinary compilers produce: "
              "`petri run`,\n"
              "`inspect` and `scan`, sandboxes of the profile `trusted`, and those whose spec says "
              "`\"bounds\": \"program\"`.") +
         markdown_table({"bound", "`candidate`", "`program`", "what it counts"}, rows);
}

constexpr std::array kOutcomeKinds{OutcomeKind::ok,        OutcomeKind::trapped,      OutcomeKind::out_of_fuel,
                                   OutcomeKind::deadline,  OutcomeKind::memory_limit, OutcomeKind::stack_overflow,
                                   OutcomeKind::cpu_limit, OutcomeKind::output_limit, OutcomeKind::exited,
                                   OutcomeKind::cancelled};
constexpr std::array kTrapCodes{TrapCode::unreachable,           TrapCode::integer_divide_by_zero,
                                TrapCode::integer_overflow,      TrapCode::bad_conversion_to_integer,
                                TrapCode::memory_out_of_bounds,  TrapCode::table_out_of_bounds,
                                TrapCode::indirect_call_to_null, TrapCode::bad_signature};

constexpr std::string_view kPrecedence = R"(
## Which kind, when several things are true

1. What ended the guest gives the kind: its trap, its exit, or the limit that was met at that moment. Nothing that happened earlier
   hides it: a guest whose answer was cut and that burns all its fuel later is `out_of_fuel`.
2. Of limits that are met at one look, fuel comes first, then a stop from outside, then time, then the share of the processor: fuel
   does not depend on the machine.
3. A run or a case of an evaluation that writes more than `output_bytes_max` ends at that write as `output_limit`. A live process
   goes on, unless its spec says `on_limit: kill`, and so does a run whose sandbox says `refuse` (in C++:
   `RunSpec::ends_at_output_limit = false`).
4. Where a guest goes on after its answer was cut, a return or an exit of its own becomes `output_limit`: `returned` and `exit_code`
   say which it was. Every other end keeps its kind. `output_bytes_cut` says in each case how much was cut.

`repeatable` is false where the same again may give something else: time ended it, somebody stopped it, or it saw the real clock,
waited, used files, or called a function of the embedder's that is not deterministic.
)";

std::string outcomes_page() {
  Rows kinds;
  for (const OutcomeKind kind : kOutcomeKinds) kinds.push_back({code(name_of(kind)), std::string(meaning_of(kind))});
  Rows traps;
  for (const TrapCode trap : kTrapCodes) traps.push_back({code(name_of(trap)), std::string(meaning_of(trap))});
  return page("Outcomes",
              "An outcome means that the guest was entered and has ended; instantiating counts as entering. It always "
              "carries fuel\n"
              "used, memory peak, times, artifact, version and tier, and a deterministic one its seed.") +
         markdown_table({"kind", "meaning"}, kinds) + std::string(kPrecedence) + "\n## Traps\n\n" +
         markdown_table({"trap", "meaning"}, traps);
}

std::string permissions_page() {
  Rows rows;
  for (const Permission permission : all_permissions()) {
    std::vector<std::string> row{code(name_of(permission)), cli::RunOptions{}.permissions.has(permission) ? "yes" : ""};
    for (const ProfileRule& rule : profile_rules()) row.emplace_back(rule.permissions.has(permission) ? "yes" : "");
    row.emplace_back(meaning_of(permission));
    rows.push_back(std::move(row));
  }
  std::vector<std::string> audit{"audit level", ""};
  for (const ProfileRule& rule : profile_rules()) audit.emplace_back(name_of(rule.audit));
  audit.emplace_back("what of a sandbox its audit trail keeps");
  rows.push_back(std::move(audit));
  return page("Permissions",
              "What a guest may ask of the host. An import whose permission is missing is a `link_error` that names "
              "it. A run\n"
              "stands alone, so that `petri run` grants only what makes sense without a sandbox around it.") +
         markdown_table({"permission", "`petri run`", "profile `strict`", "`standard`", "`trusted`", "allows"}, rows);
}

std::string exit_codes_page() {
  Rows rows;
  for (const cli::ExitCodeRule& rule : cli::exit_code_rules()) {
    rows.push_back({fmt::format("{}", static_cast<int>(rule.code)), code(rule.name), std::string(rule.meaning)});
  }
  return page("Exit codes",
              "What the command `petri` ends with. A guest's own exit code is not passed on, because it could not be "
              "told from these;\n"
              "it is in the message and, with `--json`, in `outcome.exit_code`.") +
         markdown_table({"code", "name", "meaning"}, rows);
}

std::string fuel_of(const HostFunction& function) {
  std::string cost = fmt::format("{}{}", function.import.fuel, function.charges_bytes ? " + bytes / 64" : "");
  if (!function.also.empty()) cost += fmt::format(" + {}", function.also);
  if (function.version > 1) cost += fmt::format(" (version {})", function.version);
  return cost;
}

std::string host_functions_page() {
  Rows rows;
  for (const HostFunction& function : builtin_functions()) {
    rows.push_back({code(function.module), code(function.name), code(to_text(function.signature)),
                    function.permission ? code(name_of(*function.permission)) : "", fuel_of(function)});
  }
  return page(
             "Host functions",
             "Everything a module can import. The fuel is charged for each call, before it; functions that move bytes "
             "charge a 64th\n"
             "of them on top, and some by a count. A function that is charged or answers otherwise than at first has "
             "another version,\n"
             "which receipts bind. An embedder adds functions of its own with `HostFunctions::define`. What each takes "
             "the host at\n"
             "worst stands in [host-function-costs](../host-function-costs.md).") +
         markdown_table({"module", "name", "type", "permission", "fuel"}, rows);
}

std::string events_page() {
  std::string text =
      page("Events",
           "What `Subscription` delivers and a line of JSON shows. Every event has a time, a sandbox, a "
           "sequence number and the\n"
           "correlation of its operation; those about a process name it. Details marked *sometimes* are "
           "there where there is\n"
           "something to tell. Times are in nanoseconds, sizes in bytes. The level is that of a line in a log.");
  for (const EventRule& rule : event_rules()) {
    Rows rows;
    for (const DetailRule& detail : rule.details) {
      rows.push_back({code(detail.key), std::string(name_of(detail.type)), detail.always ? "" : "*sometimes*",
                      std::string(detail.meaning)});
    }
    text += fmt::format("## `{}`\n\n{} Level `{}`.\n\n{}\n", name_of(rule.kind), rule.meaning, name_of(rule.level),
                        markdown_table({"detail", "type", "", "meaning"}, rows));
  }
  text.pop_back();
  return text;
}

std::string metrics_page() {
  Rows rows;
  for (const MetricRule& rule : metric_rules()) {
    rows.push_back({code(rule.name), std::string(name_of(rule.type)), rule.label.empty() ? "" : code(rule.label),
                    std::string(rule.help)});
  }
  return page("Metrics",
              "What a runtime tells [Prometheus](../guides/observation.md#metrics), in this order. Every known value "
              "of a label "
              "is "
              "there from the start;\n"
              "a limit or permission that is none of petri's counts as `other`.") +
         markdown_table({"metric", "type", "label", "meaning"}, rows);
}

std::string audit_page() {
  Rows rows;
  for (const AuditKindRule& rule : audit_kind_rules()) {
    rows.push_back({code(name_of(rule.kind)), std::string(name_of(rule.kept_from)), std::string(rule.meaning),
                    std::string(rule.cause)});
  }
  return page("Audit entries",
              "What the [audit trail](../guides/audit.md) tells. An entry is kept from the level in the second column "
              "on: "
              "`none` keeps nothing,\n"
              "`basic` what was refused, ended or changed, `full` also what was granted. The names are those of "
              "`AuditKind` and of `kind`\n"
              "in a file.") +
         markdown_table({"kind", "kept from", "meaning", "cause"}, rows);
}

std::string findings_page() {
  Rows rows;
  for (const FindingRule& rule : finding_rules())
    rows.push_back({code(rule.name), std::string(rule.severities), std::string(rule.meaning)});
  return page("Findings of the scan",
              "What [`petri scan`](../guides/scan.md) and `petri::scan` tell of a module. Severities: `info`, ordinary "
              "code "
              "has "
              "it too; `low`, worth a\n"
              "look; `medium`, ordinary code rarely has it; `high`, no code has use for it. A gate may refuse from one "
              "of them on.") +
         markdown_table({"kind", "severity", "meaning"}, rows);
}

std::string state_plan_page() {
  return page("How state changes with its code",
              "What becomes of each field when a module is reloaded, decided by the names and types of the old and the "
              "new version.\n"
              "The same rules run backwards for a rollback. Where a value has to fit, one that would not survive "
              "exactly makes the\n"
              "whole change `state_incompatible`, by the field's name: nothing is rounded or cut. What is refused for "
              "want of\n"
              "permission to drop is shown again with it. *Lossless* means that there and back again gives equal "
              "state, what was added\n"
              "being dropped on the way back.") +
         state_change_table() +
         "\n## The state table\n\n"
         "The exported immutable global `petri_state` holds the address of a table in memory. All its numbers are u32, "
         "little-endian:\n"
         "a header of magic (the bytes `PSTA`), version (1), count and entry size (24 or more), then the entries of "
         "name "
         "(an address),\n"
         "name length, type, address, count and stride. The stride is the distance between elements, at least their "
         "size. Of `bytes`\n"
         "and `text` the count is the room in bytes and the stride 1; text ends at the first zero byte or at the end "
         "of "
         "its room.\n"
         "A `boolean` is 0 or 1. Mutable globals called `state.NAME` are fields too, of their own types.\n\n" +
         state_type_table();
}

std::string cli_page() {
  std::string text = page("The command `petri`",
                          "Every word of `--help`. [Exit codes](exit_codes.md) tell the guest's failure from bad input "
                          "and from a failure of the\n"
                          "host; [limits](limits.md) are options of `run` by their names.");
  for (const cli::HelpPage& help : cli::help_pages()) {
    text += fmt::format("## `{}`\n\n```text\n{}```\n\n", help.command, help.text);
  }
  text.pop_back();
  return text;
}

std::string shell_page() {
  return page("The verbs of petri shell",
              "What can be said to [`petri shell`](../guides/shell.md); its `help` has the same words. `ID` names a "
              "sandbox, "
              "`ID/PROCESS` a process\n"
              "of it. Sizes are written `16MiB`, times `50ms`.") +
         verb_tables();
}

// "|" would end a cell, a line end the row.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& one : cells) text += fmt::format(" {} |", cell(one));
  return text + "\n";
}

}  // namespace

std::string markdown_table(const std::vector<std::string>& header, const Rows& rows) {
  std::string text = table_row(header) + "|";
  for (std::size_t i = 0; i < header.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : rows) text += table_row(row);
  return text;
}

const std::vector<ReferencePage>& reference_pages() {
  static const std::vector<ReferencePage> pages{
      {"cli", "every command with its options", cli_page},
      {"shell", "every verb of petri shell", shell_page},
      {"limits", "what a guest runs under, with defaults and ranges", limits_page},
      {"spec", "the spec of a sandbox and the options of a runtime as JSON", spec_page},
      {"outcomes", "the ways a guest can end, and the traps", outcomes_page},
      {"errors", "why a guest was not entered", errors_page},
      {"exit_codes", "what petri ends with", exit_codes_page},
      {"permissions", "what a guest may ask of the host", permissions_page},
      {"host_functions", "what a module can import", host_functions_page},
      {"events", "what happens in a runtime, as subscribers are told", events_page},
      {"metrics", "what a runtime tells Prometheus", metrics_page},
      {"audit", "what the audit trail tells, and from which level on", audit_page},
      {"state-plan", "what becomes of state when its code changes", state_plan_page},
      {"fuel", "what guest code pays", fuel_page},
      {"findings", "what the scan tells of a module, and how severe it is", findings_page},
      {"bounds", "what the gate refuses by size and count", bounds_page},
      {"alerts.yml", "alert rules for Prometheus", alert_rules},
      {"grafana.json", "a dashboard for Grafana", grafana_dashboard},
  };
  return pages;
}

}  // namespace petri::developer
