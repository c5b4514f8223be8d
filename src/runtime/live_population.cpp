#include "runtime/live_population.h"

#include <algorithm>
#include <span>

#include "population/fitness_order.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

std::unexpected<Error> no_member_by_hand() {
  return fail(ErrorCode::validation_failed,
              "the population of a runtime has its sandboxes and no others; create_sandbox() adds one, and destroy() "
              "removes it");
}

bool matches(const SandboxCore& core, const PopulationQuery& query) {
  if (query.kept && core.descent().is_kept() != *query.kept) return false;
  return core.matches(query.label, query.generation);
}

Individual individual_of(const Registry::Numbered& member) {
  Individual individual = member.core->individual();
  individual.number = member.number;
  return individual;
}

// The part of an individual by which it is ranked.
Individual rank_of(const Registry::Numbered& member) {
  Individual rank;
  rank.fitness = member.core->descent().fitness();
  rank.number = member.number;
  return rank;
}

struct RankedMember {
  Individual rank;
  const Registry::Numbered* member = nullptr;
};

// One look at the sandboxes, which may change meanwhile: each is seen at a moment of its own.
class LiveTable final : public PopulationWriter {
 public:
  explicit LiveTable(const Registry& registry) : registry_(registry) {}

  Result<std::optional<Individual>> find(std::string_view id) override {
    const auto member = registry_.member(id);
    return member ? std::optional(individual_of(*member)) : std::nullopt;
  }

  Result<PopulationPage> list(const PopulationQuery& query) override {
    std::vector<Registry::Numbered> members = registry_.members();
    std::erase_if(members, [&](const Registry::Numbered& member) { return !matches(*member.core, query); });
    PopulationPage page{.individuals = {}, .total = members.size()};
    const std::size_t first = std::min(query.offset, members.size());
    const std::size_t count = std::min(query.limit, members.size() - first);
    if (query.order == PopulationOrder::creation) {
      for (const auto& member : std::span(members).subspan(first, count)) {
        page.individuals.push_back(individual_of(member));
      }
      return page;
    }
    const std::vector<RankedMember> ranked = ranked_up_to(members, first + count);
    for (const RankedMember& one : std::span(ranked).subspan(first)) {
      page.individuals.push_back(individual_of(*one.member));
    }
    return page;
  }

  Result<std::uint64_t> ranked_before(const Individual& individual) override {
    const std::vector<Registry::Numbered> members = registry_.members();
    return static_cast<std::uint64_t>(std::ranges::count_if(
        members, [&](const Registry::Numbered& member) { return ranks_before(rank_of(member), individual); }));
  }

  Result<std::vector<std::string>> children(std::string_view id) override {
    std::vector<std::string> all;
    for (const Registry::Numbered& member : registry_.members()) {
      const auto& parents = member.core->descent().parents();
      if (std::ranges::find(parents, id) != parents.end()) all.push_back(member.core->id());
    }
    return all;
  }

  Result<std::vector<Individual>> after(std::uint64_t number, std::size_t limit) override {
    std::vector<Individual> all;
    const std::vector<Registry::Numbered> members = registry_.members();
    auto at = std::ranges::upper_bound(members, number, {}, &Registry::Numbered::number);
    for (; at != members.end() && all.size() < limit; ++at) all.push_back(individual_of(*at));
    return all;
  }

  Result<std::optional<std::uint64_t>> depth(std::string_view id) override {
    const CorePtr core = registry_.find(id);
    return core == nullptr ? std::nullopt : std::optional(core->descent().depth());
  }
  Result<std::uint64_t> size() override { return registry_.size(); }

  Result<bool> set_fitness(std::string_view id, const Fitness& fitness) override {
    return change(id, [&](SandboxCore& core) { core.descent().record(fitness); });
  }
  Result<bool> set_kept(std::string_view id, bool kept) override {
    return change(id, [&](SandboxCore& core) { core.descent().set_kept(kept); });
  }
  Result<bool> add_label(std::string_view id, std::string_view label) override {
    const CorePtr core = registry_.find(id);
    if (core == nullptr) return false;
    PETRI_TRY(core->labels().add(label));
    return true;
  }
  Result<bool> remove_label(std::string_view id, std::string_view label) override {
    // One that has no such label is as it is to be.
    return change(id, [&](SandboxCore& core) { (void)core.labels().remove(label); });
  }

  Result<bool> insert(const Individual& /*individual*/) override { return no_member_by_hand(); }
  Result<bool> erase(std::string_view /*id*/) override { return no_member_by_hand(); }
  Result<std::uint64_t> erase_generations(std::uint64_t /*retained*/) override { return no_member_by_hand(); }

 private:
  // The first `count` in the order of fitness.
  static std::vector<RankedMember> ranked_up_to(const std::vector<Registry::Numbered>& members, std::size_t count) {
    std::vector<RankedMember> ranked;
    ranked.reserve(members.size());
    for (const Registry::Numbered& member : members) ranked.push_back({.rank = rank_of(member), .member = &member});
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::partial_sort(ranked, end, [](const RankedMember& one, const RankedMember& other) {
      return ranks_before(one.rank, other.rank);
    });
    ranked.erase(end, ranked.end());
    return ranked;
  }

  template <typename Change>
  Result<bool> change(std::string_view id, const Change& change) {
    const CorePtr core = registry_.find(id);
    if (core == nullptr) return false;
    change(*core);
    return true;
  }

  const Registry& registry_;
};

}  // namespace

Result<std::vector<PopulationSummary>> LivePopulation::populations() {
  return std::vector{PopulationSummary{.name = std::string(kLivePopulation), .individuals = registry_->size()}};
}

Result<void> LivePopulation::remove(const std::string& /*population*/) { return no_member_by_hand(); }

Result<void> LivePopulation::read(const std::string& /*population*/, const Read& read) {
  LiveTable table(*registry_);
  return read(table);
}

Result<void> LivePopulation::write(const std::string& /*population*/, const Write& write) {
  LiveTable table(*registry_);
  return write(table);
}

}  // namespace petri
