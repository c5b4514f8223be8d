#include "hostile/hostile_totals.h"

#include <fmt/format.h>

#include <algorithm>

namespace petri {
namespace {

void add_signature(HostileTotals& totals, const HostileSetting& setting, Tier tier, const nlohmann::json& fact) {
  const std::string what =
      fmt::format("{} (seed {})", fact.at("test").get<std::string>(), fact.at("seed").get<std::uint64_t>());
  ComparedTiers& one = totals.compared[setting.name + " " + what];
  one.what = what;
  one.setting = setting.name;
  one.signatures[tier] = fact.at("signature").get<std::vector<std::string>>();
}

void add_end(HostileTotals& totals, const HostileSetting& setting, Tier tier, const nlohmann::json& fact) {
  const std::uint64_t runs = setting.copies;
  const bool failed = !fact.at("passed").get<bool>() && !fact.at("skipped").get<bool>();
  totals.missed_canaries[setting.name] += fact.at("missed_canaries").get<std::uint64_t>();
  if (fact.contains("latencies")) {
    for (const auto& [name, histogram] : fact.at("latencies").items())
      totals.latencies[setting.name][name].merge(LatencyHistogram::from_json(histogram));
  }
  if (fact.at("skipped").get<bool>()) return;
  totals.runs += runs;
  if (fact.contains("oracle")) add(totals.oracle[setting.name], fact.at("oracle"));
  if (fact.contains("signature")) add_signature(totals, setting, tier, fact);
  OracleCounts counts;
  if (fact.contains("oracle")) add(counts, fact.at("oracle"));
  std::uint64_t not_held = 0;
  for (const auto& [line, count] : counts) not_held += count.failed;
  for (const auto& id : fact.at("ids")) {
    CaseTotals& one = totals.cases[id.get<std::string>()];
    one.runs[setting.name] += runs;
    one.not_held += not_held;
    if (failed) ++one.failures;
  }
  if (!failed) return;
  totals.failures.push_back(fmt::format("{} ({}, {}, seed {}): {}", fact.at("test").get<std::string>(), setting.name,
                                        name_of(tier), fact.at("seed").get<std::uint64_t>(),
                                        fact.at("failure").get<std::string>()));
}

void add_memory(ProcessTotals& process, const nlohmann::json& fact) {
  const auto before = fact.at("resident_before").get<std::int64_t>(),
             after = fact.at("resident_after").get<std::int64_t>();
  if (process.resident_end == 0) process.resident_start = static_cast<std::uint64_t>(before);
  process.resident_end = static_cast<std::uint64_t>(after);
  process.growth_max = std::max(process.growth_max, after - before);
}

}  // namespace

const std::vector<HostileSetting>& hostile_settings() {
  static const std::vector<HostileSetting> all{{"alone", 0, 1}, {"beside 1,000", 1'000, 1}, {"100 at once", 0, 100}};
  return all;
}

std::uint64_t HostileTotals::missed() const {
  std::uint64_t sum = 0;
  for (const auto& [setting, count] : missed_canaries) sum += count;
  return sum;
}

std::map<std::string, OracleCounts> HostileTotals::whole_oracle() const {
  auto counts = oracle;
  const auto check = [&counts](const std::string& setting, Oracle line, bool holds, const std::string& what) {
    OracleCount& count = counts[setting][std::string(name_of(line))];
    ++count.checked;
    if (!holds && count.failed++ == 0 && count.first.empty()) count.first = what;
  };
  for (const auto& [key, one] : compared) {
    if (one.signatures.size() < 2) continue;
    const auto& first = one.signatures.begin()->second;
    const bool same = std::ranges::all_of(one.signatures, [&](const auto& tier) { return tier.second == first; });
    check(one.setting, Oracle::same, same, one.what);
  }
  for (const auto& [setting, seen] : latencies) {
    const auto canary = seen.find("canary"), idle = seen.find("idle_canary");
    if (canary == seen.end() || idle == seen.end()) continue;
    const auto p99 = canary->second.percentile(0.99), idle_p99 = idle->second.percentile(0.99);
    check(setting, Oracle::neighbours, p99 <= 2 * idle_p99, "p99 of the canaries is more than twice the idle one");
  }
  for (const ProcessTotals& process : processes) {
    if (process.resident_end == 0) continue;
    const auto growth =
        static_cast<std::int64_t>(process.resident_end) - static_cast<std::int64_t>(process.resident_start);
    check(process.setting, Oracle::left, growth <= kResidentGrowthMax,
          fmt::format("{} MiB more are resident at the end ({})", growth >> 20, name_of(process.tier)));
  }
  return counts;
}

OracleCounts HostileTotals::oracle_lines() const {
  OracleCounts sums;
  for (const auto& [setting, lines] : whole_oracle()) {
    for (const auto& [line, count] : lines) {
      sums[line].checked += count.checked;
      sums[line].failed += count.failed;
    }
  }
  return sums;
}

OracleCount HostileTotals::oracle_sum() const {
  OracleCount sum;
  for (const auto& [line, count] : oracle_lines()) {
    sum.checked += count.checked;
    sum.failed += count.failed;
  }
  return sum;
}

std::optional<std::uint64_t> add_facts(HostileTotals& totals, const HostileSetting& setting, Tier tier,
                                       const std::vector<nlohmann::json>& facts) {
  ProcessTotals process{.setting = setting.name, .tier = tier};
  const nlohmann::json* open = nullptr;
  for (const nlohmann::json& fact : facts) {
    const bool ends = fact.at("fact") == "end";
    open = ends ? nullptr : &fact;
    if (!ends) continue;
    add_end(totals, setting, tier, fact);
    add_memory(process, fact);
    process.runs += setting.copies;
  }
  totals.processes.push_back(process);
  if (open == nullptr) return std::nullopt;
  totals.deaths.push_back(fmt::format("{} ({}, {}, seed {})", open->at("test").get<std::string>(), setting.name,
                                      name_of(tier), open->at("seed").get<std::uint64_t>()));
  return open->at("seed").get<std::uint64_t>();
}

}  // namespace petri
