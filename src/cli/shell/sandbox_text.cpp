#include "cli/shell/sandbox_text.h"

#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/outcome_text.h"
#include "cli/population/individual_text.h"
#include "cli/shell/limit_words.h"
#include "cli/shell/text_table.h"
#include "cli/shell/watch_text.h"

namespace petri::cli {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
constexpr std::size_t kOutputBytesShown = 4'096;

std::string joined(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) line.append(line.empty() ? "" : " ").append(escape_text(text));
  return line;
}

// As the shell's own lines have them: what is no single plain word is in quotes.
std::string joined_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\"'") == std::string::npos;
    line.append(line.empty() ? "" : " ").append(plain ? escape_text(word) : "\"" + escape_text(word) + "\"");
  }
  return line;
}

std::string share(const std::string& used, const std::string& allowed) { return used + " of " + allowed; }

std::string cpu_text(const Usage& usage, const SandboxLimits& limits) {
  return fmt::format("{:.0f} % of {} %, {} in all", usage.cpu_percent, limits.cpu_percent_max,
                     format_duration(usage.cpu_time));
}

std::string modules_text(const SandboxInfo& info) {
  std::string text;
  for (const ModuleSummary& module : info.modules) {
    text.append(text.empty() ? "" : ", ").append(module.name).append(" ");
    text.append(module.artifact.hex(), 0, kHashDigitsShown);
    if (module.version > 1) text += fmt::format(" version {}", module.version);
    if (!module.path.empty()) text += fmt::format(" from {}", escape_text(module.path));
  }
  return text;
}

std::string times_text(const std::map<std::string, std::uint64_t, std::less<>>& counts) {
  std::string text;
  for (const auto& [name, times] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, counted(times, "time", "times"));
  }
  return text;
}

std::string restarts_text(const SandboxInfo& info) {
  if (info.restarts + info.supervisor_restarts == 0) return "";
  return fmt::format("{} asked for, {} by a supervisor", format_count(info.restarts),
                     format_count(info.supervisor_restarts));
}

std::string breaker_text(const SandboxInfo& info) {
  const BreakerOptions& breaker = info.breaker_options;
  if (breaker.limits_max == 0) return "off";
  const std::string rule = fmt::format("opens for {} after {} in {}", format_duration(breaker.pause),
                                       counted(breaker.limits_max, "limit", "limits"), format_duration(breaker.window));
  const std::string opened =
      info.breaker_opened == 0 ? "" : ", opened " + counted(info.breaker_opened, "time", "times");
  return fmt::format("{}{}; {}", name_of(info.breaker), opened, rule);
}

std::string recovery_text(const Recovery& recovery) {
  std::string text;
  for (const ErrorCategory failure : kFailureClasses) {
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(failure), name_of(recovery_action(recovery, failure)));
  }
  return text;
}

std::string actions_text(const LimitActions& actions) {
  std::string text;
  for (const auto& [limit, action] : actions) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", limit, name_of(action));
  }
  return text;
}

std::string environment_text(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> all;
  for (const auto& [name, value] : environment) all.push_back(name + "=" + value);
  return joined_words(all);
}

std::string count_or_nothing(std::uint64_t count) { return count == 0 ? "" : format_count(count); }

std::string place_text(const std::string& sandbox, const std::string& process) {
  return escape_text(sandbox) + (process.empty() ? "" : "/" + escape_text(process));
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

std::string to_text(const SandboxInfo& info) {
  const Usage& usage = info.usage;
  const Fields fields{
      {"why", escape_text(info.cause)},
      {"failure", info.failure ? std::string(name_of(*info.failure)) : ""},
      {"profile", escape_text(info.profile.title())},
      {"tier", std::string(name_of(info.tier)) + (info.deterministic ? ", deterministic" : "")},
      {"modules", modules_text(info)},
      {"last compile", last_compile_text(info)},
      {"watched", watched_text(info)},
      {"processes", share(format_count(usage.processes), format_count(info.limits.processes_max))},
      {"memory", share(format_bytes(usage.memory_bytes), format_bytes(info.limits.memory_bytes_max))},
      {"host memory", format_bytes(usage.host_bytes)},
      {"processor", cpu_text(usage, info.limits)},
      {"fuel", format_count(usage.fuel_used)},
      {"messages", count_or_nothing(usage.messages)},
      {"permissions", info.permissions.empty() ? "none" : info.permissions.to_text()},
      {"imports allowed", joined(info.imports.allow)},
      {"imports blocked", joined(info.imports.block)},
      {"audit", std::string(name_of(info.audit))},
      {"on limit", actions_text(info.on_limit)},
      {"recovery", recovery_text(info.recovery)},
      {"folder", escape_text(info.folder)},
      {"arguments", joined_words(info.arguments)},
      {"environment", environment_text(info.environment)},
      {"labels", joined(info.labels)},
      {"idle keep", info.idle_keep ? format_duration(*info.idle_keep) : ""},
      {"generation", info.generation ? fmt::format("{}", *info.generation) : ""},
      {"parents", joined_words(info.parents)},
      {"mutation", escape_text(info.mutation)},
      {"depth", count_or_nothing(info.depth)},
      {"fitness", fitness_text(info.fitness)},
      {"kept", info.kept ? "yes" : ""},
      {"seed", fmt::format("{}", info.seed)},
      {"restarts", restarts_text(info)},
      {"limits met", times_text(info.limits_met)},
      {"denied", times_text(info.denied)},
      {"breaker", breaker_text(info)},
      {"late answers", count_or_nothing(info.late_answers)},
      {"up", format_duration(usage.uptime)},
  };
  return fmt::format("{}: {}\n", info.id, name_of(info.status)) + text_fields(fields);
}

std::string to_text(const SandboxPage& page, std::size_t offset) {
  if (page.sandboxes.empty()) return page.total == 0 ? "no sandboxes\n" : "no more sandboxes\n";
  Rows rows{{"sandbox", "status", "processes", "memory", "labels"}};
  for (const SandboxInfo& info : page.sandboxes) {
    rows.push_back({info.id, std::string(name_of(info.status)), format_count(info.usage.processes),
                    format_bytes(info.usage.memory_bytes), joined(info.labels)});
  }
  const std::size_t shown = page.sandboxes.size();
  std::string text = text_table(rows);
  if (shown < page.total) {
    text += fmt::format("{} to {} of {}\n", format_count(offset + 1), format_count(offset + shown),
                        format_count(page.total));
  }
  return text;
}

std::string to_text(const std::vector<ChildInfo>& children) {
  if (children.empty()) return "no children\n";
  Rows rows{{"child", "module", "status", "tier", "messages"}};
  for (const ChildInfo& child : children) {
    const bool supervisor = child.module.empty();
    rows.push_back({escape_text(child.address), supervisor ? "(supervisor)" : child.module, child.status,
                    supervisor ? "" : std::string(name_of(child.tier)),
                    supervisor ? "" : format_count(child.messages)});
  }
  return text_table(rows);
}

std::string to_text(const Usage& usage, const SandboxLimits& limits) {
  return text_fields({{"memory", share(format_bytes(usage.memory_bytes), format_bytes(limits.memory_bytes_max))},
                      {"host memory", format_bytes(usage.host_bytes)},
                      {"processes", share(format_count(usage.processes), format_count(limits.processes_max))},
                      {"messages", format_count(usage.messages)},
                      {"open files", share(format_count(usage.descriptors), format_count(limits.descriptors_max))},
                      {"threads", share(format_count(usage.threads), format_count(limits.threads_max))},
                      {"processor", cpu_text(usage, limits)},
                      {"fuel", format_count(usage.fuel_used)},
                      {"up", format_duration(usage.uptime)}});
}

std::string to_text(std::span<const UsageSample> history) {
  if (history.empty()) return "no samples yet\n";
  Rows rows{{"up", "memory", "processes", "messages", "processor", "fuel"}};
  for (const UsageSample& sample : history) {
    rows.push_back({format_duration(sample.usage.uptime), format_bytes(sample.usage.memory_bytes),
                    format_count(sample.usage.processes), format_count(sample.usage.messages),
                    fmt::format("{:.0f} %", sample.usage.cpu_percent), format_count(sample.usage.fuel_used)});
  }
  return text_table(rows);
}

std::string to_text(const SandboxLimits& limits) {
  Rows rows{{"limit", "value", "when met"}};
  for (const LimitRule& rule : sandbox_limit_rules()) {
    rows.push_back({std::string(rule.name), limit_text(rule, limits), std::string(rule.when_met)});
  }
  return text_table(rows);
}

std::string to_text(const RuntimeInfo& info) {
  return text_fields({{"workers", format_count(info.workers)},
                      {"threads", format_count(info.threads)},
                      {"sandboxes", format_count(info.sandboxes)},
                      {"artifacts", format_count(info.artifacts)},
                      {"quarantined", count_or_nothing(info.quarantined)},
                      {"memory", info.memory_budget_bytes == 0 ? format_bytes(info.memory_bytes)
                                                               : share(format_bytes(info.memory_bytes),
                                                                       format_bytes(info.memory_budget_bytes))}});
}

std::string answer_text(const Outcome& outcome) {
  std::string text;
  for (const Value& value : outcome.values) text.append(text.empty() ? "" : " ").append(petri::to_text(value));
  if (!text.empty()) text += "\n";
  if (!outcome.output.empty()) text += fmt::format("output \"{}\"\n", escape_text(outcome.output, kOutputBytesShown));
  return text;
}

std::string notes_text(const Outcome& outcome, const Limits& limits) {
  const std::string reason = reason_text(outcome, limits);
  return (reason.empty() ? "" : reason + "\n" + backtrace_text(outcome)) + summary_text(outcome) + "\n";
}

std::string to_text(const LogNews& log) {
  return fmt::format("log {} {}: {}\n", place_text(log.sandbox, log.process), name_of(log.level),
                     escape_text(log.text));
}

}  // namespace petri::cli
