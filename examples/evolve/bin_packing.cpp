#include "evolve/bin_packing.h"

#include <fmt/format.h>

#include "evolve/packing_module.h"

namespace evolve {
namespace {

constexpr std::uint64_t kMemoryMin = 64 << 10;

Judging judging_of(const Instances& instances, PackingMemory memory) {
  Judging judging{.spec = {.function = "pack",
                           .fuel_max = 2'000'000'000,
                           .memory_bytes_max = std::uint64_t{memory.pages} * kMemoryMin,
                           .stop_at_first_failure = true},
                  .cases = {}};
  for (const Items& items : instances.all) {
    judging.cases.push_back(packing_case(items, instances.capacity));
    judging.spec.targets.push_back(static_cast<double>(l1_bound(items, instances.capacity)));
  }
  return judging;
}

std::size_t bins_of(const petri::Record& record) {
  std::size_t bins = 0;
  for (std::size_t i = 0; i < record.kinds.size(); ++i) {
    if (const auto value = record.value(i)) bins += static_cast<std::size_t>(value->i32());
  }
  return bins;
}

Best describe_packing(const petri::Record& record, std::size_t bound) {
  const std::size_t bins = bins_of(record);
  return {.score = *record.score,
          .solved = *record.score == 0,
          .text = fmt::format("{} bins, {:.2f} % above the bound of {}", bins, excess_percent(bins, bound), bound)};
}

template <typename Rule>
std::size_t bins_by(Rule rule, const Instances& instances) {
  std::size_t bins = 0;
  for (const Items& items : instances.all) bins += rule(items, instances.capacity);
  return bins;
}

// The number of bins that the evolved rule needs for instances it was not bred on; nullopt when it fails on one.
std::optional<std::size_t> bins_by_module(const Tree& rule, const Language& language, const Instances& instances) {
  const PackingMemory memory = packing_memory(instances);
  petri::WasmBuilder module;
  emit_packing(rule, language, memory, module);
  const auto wasm = module.build().value();
  const Judging judging = judging_of(instances, memory);
  const std::vector<petri::Candidate> candidates{petri::Candidate::wasm(wasm)};
  const auto evaluation = petri::Evaluator().evaluate(candidates, judging.cases, judging.spec);
  if (!evaluation || evaluation->records.front().outcome != petri::OutcomeKind::ok) return std::nullopt;
  return bins_of(evaluation->records.front());
}

std::string table_row(std::string_view rule, std::optional<std::size_t> bins, std::size_t bound) {
  if (!bins) return fmt::format("  {:<12} did not come to an end", rule);
  return fmt::format("  {:<12} {:>7} bins  {:>6.2f} %", rule, *bins, excess_percent(*bins, bound));
}

std::vector<std::string> table(std::string_view title, std::optional<std::size_t> evolved, const Instances& instances) {
  const std::size_t bound = l1_bound(instances);
  return {fmt::format("{}: bins, and how many more than the bound of {}", title, bound),
          table_row("evolved", evolved, bound), table_row("best fit", bins_by(best_fit, instances), bound),
          table_row("first fit", bins_by(first_fit, instances), bound)};
}

std::vector<std::string> compare(const PackingSets& sets, const Language& language, const Tree& rule,
                                 const petri::Record& record) {
  auto lines = table("on the instances it was bred on", bins_of(record), sets.training);
  if (!sets.unseen) return lines;
  const auto more = table("on instances it has not seen", bins_by_module(rule, language, *sets.unseen), *sets.unseen);
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

}  // namespace

PackingSets packing_sets(const InstancesSpec& spec, std::uint64_t seed) {
  Random random(seed ^ 0x6974'656d'73U);  // the items have their own random state
  PackingSets sets{.title = fmt::format("{} items", name_of(spec.sizes)), .training = make_instances(spec, random)};
  sets.unseen = make_instances(spec, random);
  return sets;
}

TreeTask bin_packing(const PackingSets& sets) {
  const Language language = packing_language();
  const PackingMemory memory = packing_memory(sets.training);
  const std::size_t bound = l1_bound(sets.training);
  return {.title = fmt::format("bin packing as items come: {}, {} instances, bins of {}", sets.title,
                               sets.training.all.size(), sets.training.capacity),
          .language = language,
          .population = {.size = 200, .nodes_max = 60, .first_depth_max = 5, .patience = 20},
          .judging = judging_of(sets.training, memory),
          .emit = [language, memory](const Tree& rule,
                                     petri::WasmBuilder& module) { emit_packing(rule, language, memory, module); },
          .describe = [bound](const petri::Record& record) { return describe_packing(record, bound); },
          .formula_name = "priority =",
          .epilogue = [sets, language](const Tree& rule,
                                       const petri::Record& record) { return compare(sets, language, rule, record); }};
}

}  // namespace evolve
