#include "state/field_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/name_table.h"
#include "state/state_complaints.h"
#include "state/state_type.h"

namespace petri {
namespace {

constexpr NameTable<7> kActions{"keep", "widen", "convert", "default", "rename", "drop", "refuse"};
static_assert(static_cast<std::size_t>(StateAction::refuse) + 1 == kActions.size());

bool both_text(const StateField& from, const StateField& to) {
  return from.type == StateType::text && to.type == StateType::text;
}

// One is text and the other a block that is not: they share the bytes, so they need the same number of them.
bool text_and_bytes(const StateField& from, const StateField& to) {
  return (from.type == StateType::text) != (to.type == StateType::text);
}

Survival field_survival(const StateField& from, const StateField& to) {
  if (both_text(from, to)) return to.count < from.count ? Survival::by_value : Survival::always;
  if (text_and_bytes(from, to) && from.count != to.count) return Survival::never;
  return survival(from.type, to.type);
}

// The action that is reported when neither the name nor the number of elements changes.
StateAction type_action(const StateField& from, const StateField& to, Survival survival) {
  if (from == to || (from.type == to.type && !both_text(from, to))) return StateAction::keep;
  const bool same_family = rule_of(from.type).family == rule_of(to.type).family;
  return same_family && survival == Survival::always ? StateAction::widen : StateAction::convert;
}

std::string type_reason(const StateField& from, const StateField& to, Survival survival) {
  if (both_text(from, to) && survival == Survival::by_value)
    return fmt::format("only a text of at most {} bytes", to.count);
  if (both_text(from, to) && from.count != to.count) return "more room for the text";
  if (from.type == to.type) return "the same type";
  if (to.type == StateType::text) return "only bytes that are UTF-8 up to their end";
  if (is_block(from.type) || is_block(to.type)) return "the same bytes";
  if (survival == Survival::always) return fmt::format("{} holds every {}", name_of(to.type), name_of(from.type));
  return fmt::format("only values that {} holds exactly", name_of(to.type));
}

std::string refusal(const StateField& from, const StateField& to) {
  const bool sizes = text_and_bytes(from, to) && survival(from.type, to.type) != Survival::never;
  if (sizes) return "text and bytes become each other only at equal size";
  return fmt::format("{} is never {}", name_of(from.type), name_of(to.type));
}

bool shrinks(const StateField& from, const StateField& to) { return !both_text(from, to) && to.count < from.count; }
bool grows(const StateField& from, const StateField& to) { return !both_text(from, to) && to.count > from.count; }

StateStep without_permission(StateStep step) {
  step.action = StateAction::refuse;
  step.droppable = true;
  return step;
}

StateStep shrink(StateStep step, std::uint32_t before, std::uint32_t after, StatePolicy policy) {
  const std::uint32_t lost = before - after;
  if (policy.drop) {
    step.action = StateAction::drop;
    step.reason = fmt::format("{}; the last {} of {} elements are lost", step.reason, lost, before);
    return step;
  }
  step.reason = fmt::format("the last {} of {} elements would be lost; permit dropping", lost, before);
  return without_permission(std::move(step));
}

}  // namespace

std::string_view name_of(StateAction action) { return name_in(kActions, action); }

StateStep carry_field(const StateField& from, const StateField& to, bool renamed, StatePolicy policy) {
  const Survival survival = field_survival(from, to);
  StateStep step{.from = from, .to = to, .by_value = survival == Survival::by_value, .reason = {}};
  if (survival == Survival::never) {
    step.action = StateAction::refuse;
    step.reason = refusal(from, to);
    return step;
  }
  step.elements_kept = std::min(from.count, to.count);
  step.action = type_action(from, to, survival);
  step.reason = type_reason(from, to, survival);
  if (shrinks(from, to)) return shrink(std::move(step), from.count, to.count, policy);
  if (grows(from, to)) {
    step.action = StateAction::default_;
    step.reason = fmt::format("{}; {} of {} elements come from the old list, the others are the new version's own",
                              step.reason, from.count, to.count);
  }
  if (renamed) {
    step.action = StateAction::rename;
    step.reason = fmt::format("called {} before; {}", shown_name(from.name), step.reason);
  }
  return step;
}

StateStep add_field(const StateField& to) {
  return {.action = StateAction::default_, .from = {}, .to = to, .reason = "new; holds the new version's own value"};
}

StateStep remove_field(const StateField& from, StatePolicy policy) {
  StateStep step{.action = StateAction::drop, .from = from, .to = {}, .reason = "its value is lost"};
  if (policy.drop) return step;
  step.reason = "the new version has no place for it; permit dropping, or hint at its new name";
  return without_permission(std::move(step));
}

}  // namespace petri
