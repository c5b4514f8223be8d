#include "hostile/hostile_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace petri {
namespace {

constexpr std::string_view kHead = R"(<!-- Made by `make hostile`; edit tests/hostile/. -->
# Hostile guests

Guests that mean harm, contained: every case of the list that concerns what exists, in the tiers `interpreted`, `compiled`
and `automatic`, each alone, beside 1,000 well-behaved sandboxes, and a hundred times at once. Made by

```
make hostile            # SEEDS=3 for fewer than the 20 seeds of a whole run
```

A case passes when its guest ended, or was refused, as its line says, and everything in
[tests/hostile](../tests/hostile/README.md) held for everyone else. `make test` runs each of them once, in two tiers, alone
and beside 20. The figures are those of the day the page was made, on a machine that others used as well
({processor}, {cores} cores): they are figures, not promises.

**{runs} runs of {cases} cases with {seeds} seeds in {minutes:.0f} minutes: {deaths} deaths of the process, {missed} missed canaries,
{failures} failed cases. The oracle was looked at {checked} times, and {broken} times a line of it did not hold{lines}.**
)";

constexpr std::string_view kAreas[][2] = {{"A", "processor time and control flow"},
                                          {"B", "memory, tables, data"},
                                          {"C", "modules made to be expensive"},
                                          {"D", "malformed and refused code"},
                                          {"E", "imports and the boundary"},
                                          {"F", "messages, processes, logs"},
                                          {"J", "between sandboxes"}};

struct LatencyRow {
  std::string_view name;
  std::string_view what;
};
constexpr LatencyRow kKills[] = {
    {"trap", "a guest that traps at once: until its caller knows"},
    {"deadline", "`execution_time_max` of 5 ms: how late it ended"},
    {"cancel", "a busy or waiting guest is cancelled: until it has ended"},
    {"destroy", "a sandbox is destroyed, whatever its guests do: beyond its `shutdown_max`"},
    {"refusal", "code is refused"},
};

// 12345678 as 12,345,678.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string milliseconds(std::chrono::nanoseconds time) {
  return fmt::format("{:.2f}", static_cast<double>(time.count()) / 1e6);
}

std::string mebibytes(std::int64_t bytes) { return fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20)); }

std::string settings_head() {
  std::string text;
  for (const HostileSetting& setting : hostile_settings()) text += " " + setting.name + " |";
  return text;
}

std::string runs_in_settings(const std::map<std::string, std::uint64_t>& runs) {
  std::string text;
  for (const HostileSetting& setting : hostile_settings()) {
    const auto found = runs.find(setting.name);
    text += fmt::format(" {} |", found == runs.end() ? "–" : grouped(found->second));
  }
  return text;
}

// A page of some settings only says so.
std::string settings_left_out(const HostileTotals& totals) {
  std::string names;
  for (const HostileSetting& setting : hostile_settings()) {
    const bool ran =
        std::ranges::any_of(totals.processes, [&](const auto& one) { return one.setting == setting.name; });
    if (!ran) names += (names.empty() ? "" : ", ") + setting.name;
  }
  return names.empty() ? "" : "\n**Not run for this page: " + names + ".**\n";
}

std::string areas(const HostileTotals& totals) {
  std::string text =
      "\n## Runs\n\nA run is one case with one seed in one tier; a test that covers several cases counts for "
      "each.\n\n| area | cases |" +
      settings_head() + " failed | oracle not held |\n|---|---|---|---|---|---|---|\n";
  for (const auto& [area, name] : kAreas) {
    CaseTotals sum;
    std::size_t cases = 0;
    for (const auto& [id, one] : totals.cases) {
      if (!id.starts_with(area)) continue;
      ++cases;
      sum.failures += one.failures;
      sum.not_held += one.not_held;
      for (const auto& [setting, runs] : one.runs) sum.runs[setting] += runs;
    }
    if (cases > 0)
      text += fmt::format("| {}: {} | {} |{} {} | {} |\n", area, name, cases, runs_in_settings(sum.runs), sum.failures,
                          grouped(sum.not_held));
  }
  return text;
}

// Shows for each line how often it was looked at and did not hold, and what the first of these was.
std::string oracle(const HostileTotals& totals) {
  const auto counts = totals.whole_oracle();
  std::string text =
      "\n## The oracle, line by line\n\nWhat holds for every case, whatever the guest is. Each cell says how often the "
      "line did not hold, of how often it was looked at; a\nbound of time that a busy machine missed counts like any "
      "other.\n\n| line | what |" +
      settings_head() + " the first that did not |\n|---|---|---|---|---|---|\n";
  for (const OracleLine& line : kOracle) {
    std::string cells, first;
    for (const HostileSetting& setting : hostile_settings()) {
      const auto in_setting = counts.find(setting.name);
      const OracleCount count = in_setting == counts.end() || !in_setting->second.contains(line.name)
                                    ? OracleCount()
                                    : in_setting->second.find(line.name)->second;
      cells += count.checked == 0 ? " – |" : fmt::format(" {} of {} |", grouped(count.failed), grouped(count.checked));
      if (first.empty()) first = count.first;
    }
    std::ranges::replace(first, '\n', ' ');
    std::ranges::replace(first, '|', ' ');
    text += fmt::format("| {} | {} |{} {} |\n", line.name, line.what, cells, first);
  }
  return text;
}

std::string kill_latencies(const HostileTotals& totals) {
  std::string text =
      "\n## How fast\n\nMilliseconds, all tiers together. The bound is what a case has for it; with a hundred at once "
      "on "
      "few cores\nthe guests wait for a processor as well, and sandboxes that are destroyed while their guests are "
      "busy "
      "are counted with those\nthat are idle.\n\n"
      "| what | setting | times | median | p99 | longest | bound | above it |\n|---|---|---|---|---|---|---|---|\n";
  for (const LatencyRow& row : kKills) {
    std::string_view what = row.what;
    for (const HostileSetting& setting : hostile_settings()) {
      const auto in_setting = totals.latencies.find(setting.name);
      if (in_setting == totals.latencies.end()) continue;
      const auto found = in_setting->second.find(std::string(row.name));
      if (found == in_setting->second.end()) continue;
      const LatencyHistogram& seen = found->second;
      const auto bound = bound_of(bound_named(row.name), setting.copies > 1);
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", what, setting.name, grouped(seen.count()),
                          milliseconds(seen.percentile(0.5)), milliseconds(seen.percentile(0.99)),
                          milliseconds(seen.max()), milliseconds(bound), grouped(seen.count_above(bound)));
      what = "";
    }
  }
  return text;
}

std::string neighbour_impact(const HostileTotals& totals) {
  std::string text =
      "\n## What neighbours notice\n\nThree canaries are asked all the while: an echo, a counter, a computation, and "
      "`info`. *Idle* is what the three answers took\nwhen nobody was hostile. A canary is missed when an answer is "
      "wrong, or takes longer than a second. Milliseconds.\n\n"
      "| setting | asked | idle median | idle p99 | median | p99 | longest | `info` p99 | `info` longest | missed |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const HostileSetting& setting : hostile_settings()) {
    const auto found = totals.latencies.find(setting.name);
    if (found == totals.latencies.end()) continue;
    auto latencies = found->second;
    const LatencyHistogram &idle = latencies["idle_canary"], &seen = latencies["canary"], &info = latencies["info"];
    const auto missed = totals.missed_canaries.find(setting.name);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", setting.name, grouped(seen.count()),
                        milliseconds(idle.percentile(0.5)), milliseconds(idle.percentile(0.99)),
                        milliseconds(seen.percentile(0.5)), milliseconds(seen.percentile(0.99)),
                        milliseconds(seen.max()), milliseconds(info.percentile(0.99)), milliseconds(info.max()),
                        missed == totals.missed_canaries.end() ? 0 : missed->second);
  }
  return text;
}

std::string memory_left(const HostileTotals& totals) {
  std::string text =
      "\n## What is left in memory\n\nResident memory of the process that runs all cases, seed after seed, in MiB, "
      "without pages of files: before the\nfirst case and after the last; and the most that was there more after one "
      "case than before it.\n\n"
      "| setting | tier | runs in one process | before the first | after the last | growth | most in one case |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const ProcessTotals& process : totals.processes) {
    const auto start = static_cast<std::int64_t>(process.resident_start);
    const auto end = static_cast<std::int64_t>(process.resident_end);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", process.setting, name_of(process.tier),
                        grouped(process.runs), mebibytes(start), mebibytes(end), mebibytes(end - start),
                        mebibytes(process.growth_max));
  }
  return text;
}

std::string case_list(const HostileTotals& totals) {
  std::string text =
      "\n## Case by case\n\nA case failed when its guest ended otherwise than it should, or what no busy machine "
      "explains "
      "was not as it should be; the\nlast column counts every look at the oracle in its runs that did not hold, bounds "
      "of time included.\n\n| case |" +
      settings_head() + " failed | oracle not held |\n|---|---|---|---|---|---|\n";
  for (const auto& [id, one] : totals.cases)
    text += fmt::format("| {} |{} {} | {} |\n", id, runs_in_settings(one.runs), one.failures, grouped(one.not_held));
  return text;
}

std::string failure_lists(const HostileTotals& totals) {
  std::string text;
  const auto list = [&text](std::string_view title, const std::vector<std::string>& all) {
    if (all.empty()) return;
    text += fmt::format("\n## {}\n\n", title);
    for (std::string one : all) {
      std::ranges::replace(one, '\n', ' ');
      text += "- " + one + "\n";
    }
  };
  list("Deaths of the process", totals.deaths);
  list("Failed cases", totals.failures);
  return text;
}

// " (V2 12, V4 1)": those lines that did not always hold.
std::string lines_not_held(const HostileTotals& totals) {
  std::string text;
  for (const auto& [line, count] : totals.oracle_lines()) {
    if (count.failed > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", line, grouped(count.failed));
  }
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

std::string hostile_page(const HostileTotals& totals, const HostileMachine& machine) {
  const OracleCount sum = totals.oracle_sum();
  return fmt::format(fmt::runtime(kHead), fmt::arg("processor", machine.processor), fmt::arg("cores", machine.cores),
                     fmt::arg("runs", grouped(totals.runs)), fmt::arg("cases", totals.cases.size()),
                     fmt::arg("seeds", totals.seeds), fmt::arg("minutes", totals.seconds / 60),
                     fmt::arg("deaths", totals.deaths.size()), fmt::arg("missed", totals.missed()),
                     fmt::arg("failures", totals.failures.size()), fmt::arg("checked", grouped(sum.checked)),
                     fmt::arg("broken", grouped(sum.failed)), fmt::arg("lines", lines_not_held(totals))) +
         settings_left_out(totals) + failure_lists(totals) + oracle(totals) + areas(totals) + kill_latencies(totals) +
         neighbour_impact(totals) + memory_left(totals) + case_list(totals);
}

std::string closing_line(const HostileTotals& totals) {
  const OracleCount sum = totals.oracle_sum();
  return fmt::format(
      "hostile: {} runs of {} cases with {} seeds: {} deaths of the process, {} missed canaries, {} failed cases; {} "
      "of {} "
      "looks at the oracle failed{}",
      grouped(totals.runs), totals.cases.size(), totals.seeds, totals.deaths.size(), totals.missed(),
      totals.failures.size(), grouped(sum.failed), grouped(sum.checked), lines_not_held(totals));
}

}  // namespace petri
