#include "state/state_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace petri {
namespace {

// Code 0 is nobody's, so that memory nobody wrote describes nothing.
constexpr std::array<StateTypeRule, 13> kTypes{{
    {StateType::i8, "i8", 1, 1, StateFamily::integer, true, 7},
    {StateType::u8, "u8", 2, 1, StateFamily::integer, false, 8},
    {StateType::i16, "i16", 3, 2, StateFamily::integer, true, 15},
    {StateType::u16, "u16", 4, 2, StateFamily::integer, false, 16},
    {StateType::i32, "i32", 5, 4, StateFamily::integer, true, 31},
    {StateType::u32, "u32", 6, 4, StateFamily::integer, false, 32},
    {StateType::i64, "i64", 7, 8, StateFamily::integer, true, 63},
    {StateType::u64, "u64", 8, 8, StateFamily::integer, false, 64},
    {StateType::f32, "f32", 9, 4, StateFamily::real, true, 24},
    {StateType::f64, "f64", 10, 8, StateFamily::real, true, 53},
    {StateType::boolean, "boolean", 11, 1, StateFamily::boolean, false, 1},
    {StateType::bytes, "bytes", 12, 1, StateFamily::bytes, false, 0},
    {StateType::text, "text", 13, 1, StateFamily::text, false, 0},
}};

constexpr bool rows_stand_at_their_types() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return static_cast<std::size_t>(StateType::text) + 1 == kTypes.size();
}
static_assert(rows_stand_at_their_types());

std::vector<StateType> list_types() {
  std::vector<StateType> types;
  for (const StateTypeRule& rule : kTypes) types.push_back(rule.type);
  return types;
}

bool is_number(const StateTypeRule& rule) { return !is_block(rule.type); }

// Integers lose their sign in an unsigned type, and fractions are lost in every integer type.
bool always_fits(const StateTypeRule& from, const StateTypeRule& to) {
  if (from.family == StateFamily::real) return to.family == StateFamily::real && to.digits >= from.digits;
  return to.digits >= from.digits && (to.is_signed || !from.is_signed);
}

// A block of text is a block of bytes; the other way round it has to be UTF-8. Single bytes make a block as they are.
Survival block_survival(StateType from, StateType to) {
  if (from == StateType::bytes && to == StateType::text) return Survival::by_value;
  if (from == StateType::text && to == StateType::bytes) return Survival::always;
  const bool single = from == StateType::u8 || to == StateType::u8;
  const bool block = from == StateType::bytes || to == StateType::bytes;
  return single && block ? Survival::always : Survival::never;
}

}  // namespace

const StateTypeRule& rule_of(StateType type) {
  const auto index = static_cast<std::size_t>(type);
  PETRI_ASSERT(index < kTypes.size());
  return kTypes[index];
}

std::optional<StateType> state_type_of_code(std::uint32_t code) {
  const auto found = std::ranges::find(kTypes, code, &StateTypeRule::code);
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

Survival survival(StateType from, StateType to) {
  if (from == to) return Survival::always;
  const StateTypeRule& old_rule = rule_of(from);
  const StateTypeRule& new_rule = rule_of(to);
  if (!is_number(old_rule) || !is_number(new_rule)) return block_survival(from, to);
  return always_fits(old_rule, new_rule) ? Survival::always : Survival::by_value;
}

std::string_view name_of(StateType type) { return rule_of(type).name; }

std::optional<StateType> state_type_named(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &StateTypeRule::name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

const std::vector<StateType>& all_state_types() {
  static const std::vector<StateType> types = list_types();
  return types;
}

std::string type_text(const StateField& field) {
  const bool plain = field.count == 1 && !is_block(field.type);
  return plain ? std::string(name_of(field.type)) : fmt::format("{}[{}]", name_of(field.type), field.count);
}

}  // namespace petri
