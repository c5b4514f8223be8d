// Facts about each type of a state field.
#pragma once

#include <cstdint>
#include <optional>

#include "petri/state.h"

namespace petri {

enum class StateFamily : std::uint8_t { integer, real, boolean, bytes, text };

struct StateTypeRule {
  StateType type;
  std::string_view name;
  std::uint32_t code;   // in a petri_state table; frozen with ABI 1
  std::uint32_t bytes;  // of one element
  StateFamily family;
  bool is_signed;
  std::uint32_t digits;  // bits of an integer, its sign apart, that it always keeps
};
const StateTypeRule& rule_of(StateType type);
std::optional<StateType> state_type_of_code(std::uint32_t code);

inline bool is_block(StateType type) { return type == StateType::bytes || type == StateType::text; }
// How many values get() distinguishes.
inline std::uint32_t value_count(const StateField& field) { return is_block(field.type) ? 1 : field.count; }
inline std::uint64_t bytes_of(const StateField& field) {
  return std::uint64_t{field.count} * rule_of(field.type).bytes;
}

// Says if values of one type are values of another.
enum class Survival : std::uint8_t { always, by_value, never };
Survival survival(StateType from, StateType to);

}  // namespace petri
