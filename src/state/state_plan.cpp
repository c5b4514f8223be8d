#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "petri/state.h"
#include "state/field_rule.h"
#include "state/state_complaints.h"

namespace petri {
namespace {

void check_hint(const StateRename& hint, const StateSchema& from, const StateSchema& to, Complaints& complaints) {
  if (!from.find(hint.from)) {
    complain(complaints, hint.from, fmt::format("the old version has no field {}", shown_name(hint.from)));
  }
  if (!to.find(hint.to))
    complain(complaints, hint.to, fmt::format("the new version has no field {}", shown_name(hint.to)));
}

Result<void> check_hints(const StateHints& hints, const StateSchema& from, const StateSchema& to) {
  Complaints complaints;
  std::set<std::string_view> sources;
  std::set<std::string_view> targets;
  for (const StateRename& hint : hints) {
    check_hint(hint, from, to, complaints);
    if (!sources.insert(hint.from).second)
      complain(complaints, hint.from, fmt::format("two hints rename {}", shown_name(hint.from)));
    if (!targets.insert(hint.to).second)
      complain(complaints, hint.to, fmt::format("two hints make {}", shown_name(hint.to)));
  }
  return complaints.result(ErrorCode::validation_failed, "the hints do not fit the two versions");
}

// Maps each new field to the old one it comes from. A field that a hint takes away is no longer found by its name.
class Origins {
 public:
  Origins(const StateSchema& from, const StateHints& hints) : from_(from) {
    for (const StateRename& hint : hints) {
      by_hint_.emplace(hint.to, hint.from);
      taken_.insert(hint.from);
    }
  }

  const StateField* of(const StateField& to) {
    const auto hint = by_hint_.find(to.name);
    if (hint != by_hint_.end()) return used(*from_.find(hint->second));
    const auto found = from_.find(to.name);
    return found && !taken_.contains(to.name) ? used(*found) : nullptr;
  }
  bool is_used(const StateField& from) const { return used_.contains(from.name); }

 private:
  const StateField* used(std::size_t index) {
    const StateField& field = from_.fields()[index];
    used_.insert(field.name);
    return &field;
  }

  const StateSchema& from_;
  std::map<std::string_view, std::string_view> by_hint_;
  std::set<std::string_view> taken_;
  std::set<std::string_view> used_;
};

// Follows the fields of the first version through one more plan: present name -> first name.
using Lineage = std::map<std::string, std::string>;
Lineage followed(const Lineage& lineage, const StatePlan& plan) {
  Lineage next;
  for (const StateStep& step : plan.steps()) {
    if (!step.from || !step.to) continue;
    const auto origin = lineage.find(step.from->name);
    if (origin != lineage.end()) next.emplace(step.to->name, origin->second);
  }
  return next;
}

Result<void> check_joins(std::span<const StatePlan> plans) {
  if (plans.empty()) return fail(ErrorCode::validation_failed, "a chain of plans needs at least one plan");
  for (std::size_t i = 1; i < plans.size(); ++i) {
    if (plans[i - 1].to() == plans[i].from()) continue;
    return fail(ErrorCode::validation_failed,
                fmt::format("plan {} of the chain does not begin with the fields plan {} ends with", i + 1, i));
  }
  return {};
}

}  // namespace

Result<StatePlan> StatePlan::create(std::shared_ptr<const StateSchema> from, std::shared_ptr<const StateSchema> to,
                                    const StateHints& hints, StatePolicy policy) {
  PETRI_TRY(check_hints(hints, *from, *to));
  StatePlan plan(std::move(from), std::move(to), hints);
  plan.decide(policy);
  return plan;
}

void StatePlan::decide(StatePolicy policy) {
  Origins origins(*from_, hints_);
  for (const StateField& field : to_->fields()) {
    const StateField* origin = origins.of(field);
    const bool renamed = origin != nullptr && origin->name != field.name;
    steps_.push_back(origin == nullptr ? add_field(field) : carry_field(*origin, field, renamed, policy));
  }
  for (const StateField& field : from_->fields()) {
    if (!origins.is_used(field)) steps_.push_back(remove_field(field, policy));
  }
}

Result<StatePlan> StatePlan::chain(std::span<const StatePlan> plans, StatePolicy policy) {
  PETRI_TRY(check_joins(plans));
  Lineage lineage;
  for (const StateField& field : plans.front().from().fields()) lineage.emplace(field.name, field.name);
  for (const StatePlan& plan : plans) lineage = followed(lineage, plan);
  StateHints hints;
  for (const auto& [present, first] : lineage) {
    if (present != first) hints.push_back({.from = first, .to = present});
  }
  return create(plans.front().from_, plans.back().to_, hints, policy);
}

StatePlan StatePlan::reversed(StatePolicy policy) const {
  StateHints hints;
  for (const StateRename& hint : hints_) hints.push_back({.from = hint.to, .to = hint.from});
  StatePlan plan(to_, from_, std::move(hints));
  plan.decide(policy);
  return plan;
}

bool StatePlan::lossless() const {
  return std::ranges::none_of(steps_, [](const StateStep& step) { return step.action >= StateAction::drop; });
}

Result<void> StatePlan::check() const {
  Complaints complaints;
  for (const StateStep& step : steps_) {
    if (step.action == StateAction::refuse) complain(complaints, step);
  }
  return complaints.result(ErrorCode::state_incompatible, "the old state does not fit the new version");
}

}  // namespace petri
