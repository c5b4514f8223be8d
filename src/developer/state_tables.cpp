#include "developer/state_tables.h"

#include <fmt/format.h>

#include <memory>

#include "developer/reference_pages.h"
#include "petri/state.h"
#include "state/state_changes.h"
#include "state/state_type.h"

namespace petri::developer {
namespace {

std::string code_span(std::string_view text) { return fmt::format("`{}`", text); }

// "**keep**", with its field where a change has several.
std::string step_text(const StateStep& step, bool alone) {
  const std::string field = alone ? "" : " " + code_span(step.to ? step.to->name : step.from->name);
  return fmt::format("**{}**{}", name_of(step.action), field);
}

StatePlan plan_of(const StateChange& change, StatePolicy policy) {
  const auto from = std::make_shared<const StateSchema>(StateSchema::create(change.from).value());
  const auto to = std::make_shared<const StateSchema>(StateSchema::create(change.to).value());
  return StatePlan::create(from, to, change.hints, policy).value();
}

std::string outcome_text(const StatePlan& plan) {
  std::string text;
  for (const StateStep& step : plan.steps())
    text.append(text.empty() ? "" : ", ").append(step_text(step, plan.steps().size() == 1));
  return text;
}

std::string reasons_text(const StatePlan& plan) {
  std::string text;
  for (const StateStep& step : plan.steps()) {
    if (step.action != StateAction::keep || plan.steps().size() == 1)
      text.append(text.empty() ? "" : "; ").append(step.reason);
  }
  return text.empty() ? "the same type" : text;
}

std::string fields_text(const std::vector<StateField>& fields) {
  std::string text;
  for (const StateField& field : fields)
    text.append(text.empty() ? "" : ", ").append(code_span(field.name + " " + type_text(field)));
  return text.empty() ? "–" : text;
}

std::vector<std::string> change_row(const StateChange& change) {
  const StatePlan plan = plan_of(change, {});
  const StatePlan permitted = plan_of(change, {.drop = true});
  const bool same = plan.steps() == permitted.steps();
  return {std::string(change.what),
          fmt::format("{} → {}", fields_text(change.from), fields_text(change.to)),
          outcome_text(plan),
          same ? "" : outcome_text(permitted),
          permitted.lossless() ? "yes" : "",
          reasons_text(plan)};
}

}  // namespace

std::string state_change_table() {
  std::vector<std::vector<std::string>> rows;
  for (const StateChange& change : state_changes()) rows.push_back(change_row(change));
  return markdown_table({"change", "old → new", "outcome", "dropping permitted", "lossless", "why"}, rows);
}

std::string state_type_table() {
  std::vector<std::vector<std::string>> rows;
  for (const StateType type : all_state_types()) {
    const StateTypeRule& rule = rule_of(type);
    rows.push_back({code_span(rule.name), fmt::format("{}", rule.code), fmt::format("{}", rule.bytes)});
  }
  return markdown_table({"type", "number", "bytes of an element"}, rows);
}

}  // namespace petri::developer
