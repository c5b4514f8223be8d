#include "state/state_changes.h"

namespace petri {
namespace {

using enum StateType;

StateField field(StateType type, std::uint32_t count = 1) { return {.name = "count", .type = type, .count = count}; }
StateField named(std::string_view name, StateType type = i32, std::uint32_t count = 1) {
  return {.name = std::string(name), .type = type, .count = count};
}

std::vector<StateChange> list_changes() {
  return {
      {"nothing changes", {field(i32)}, {field(i32)}, {}},
      {"other places in memory, other order in the table", {named("a"), named("b")}, {named("b"), named("a")}, {}},
      {"a number moves between a `state.` global and the table", {field(i64)}, {field(i64)}, {}},

      {"a wider signed integer", {field(i32)}, {field(i64)}, {}},
      {"a wider unsigned integer", {field(u8)}, {field(u32)}, {}},
      {"an unsigned integer becomes a wider signed one", {field(u32)}, {field(i64)}, {}},
      {"an unsigned integer becomes a signed one of equal width", {field(u32)}, {field(i32)}, {}},
      {"a signed integer becomes an unsigned one", {field(i32)}, {field(u64)}, {}},
      {"a narrower signed integer", {field(i64)}, {field(i32)}, {}},
      {"a narrower unsigned integer", {field(u64)}, {field(u16)}, {}},
      {"a wider float", {field(f32)}, {field(f64)}, {}},
      {"a narrower float", {field(f64)}, {field(f32)}, {}},
      {"an integer becomes a float that holds all of them", {field(i32)}, {field(f64)}, {}},
      {"an integer becomes a float that holds some of them", {field(i64)}, {field(f64)}, {}},
      {"a float becomes an integer", {field(f64)}, {field(i32)}, {}},
      {"a boolean becomes an integer", {field(boolean)}, {field(i32)}, {}},
      {"an integer becomes a boolean", {field(i32)}, {field(boolean)}, {}},
      {"a boolean becomes a float", {field(boolean)}, {field(f32)}, {}},

      {"a list with wider elements", {field(i16, 4)}, {field(i32, 4)}, {}},
      {"a list with narrower elements", {field(i32, 4)}, {field(i16, 4)}, {}},
      {"a list grows", {field(i32, 3)}, {field(i32, 5)}, {}},
      {"a list grows and its elements become wider", {field(i32, 3)}, {field(i64, 5)}, {}},
      {"a list shrinks", {field(i32, 5)}, {field(i32, 3)}, {}},
      {"a list shrinks and its elements become narrower", {field(i64, 5)}, {field(i32, 3)}, {}},
      {"a number becomes the first of a list", {field(i32)}, {field(i32, 4)}, {}},
      {"a list becomes its first element", {field(i32, 4)}, {field(i32)}, {}},

      {"more room for a text", {field(text, 16)}, {field(text, 64)}, {}},
      {"less room for a text", {field(text, 64)}, {field(text, 16)}, {}},
      {"a larger block of bytes", {field(bytes, 16)}, {field(bytes, 32)}, {}},
      {"a smaller block of bytes", {field(bytes, 32)}, {field(bytes, 16)}, {}},
      {"a list of u8 becomes bytes", {field(u8, 16)}, {field(bytes, 16)}, {}},
      {"bytes become a list of u8", {field(bytes, 16)}, {field(u8, 16)}, {}},
      {"text becomes bytes of equal size", {field(text, 16)}, {field(bytes, 16)}, {}},
      {"bytes become text of equal size", {field(bytes, 16)}, {field(text, 16)}, {}},
      {"bytes become text of another size", {field(bytes, 16)}, {field(text, 32)}, {}},
      {"a number becomes text", {field(i32)}, {field(text, 16)}, {}},
      {"text becomes a number", {field(text, 16)}, {field(i32)}, {}},
      {"bytes become numbers wider than a byte", {field(bytes, 16)}, {field(u32, 4)}, {}},

      {"a field is added", {named("count")}, {named("count"), named("hits")}, {}},
      {"a field is gone", {named("count"), named("hits")}, {named("count")}, {}},
      {"all fields are gone", {named("count")}, {}, {}},
      {"the first field comes", {}, {named("count")}, {}},
      {"a field has a new name, without a hint", {named("hits")}, {named("count")}, {}},
      {"a field has a new name, with a hint", {named("hits")}, {named("count")}, {{"hits", "count"}}},
      {"a field has a new name and a wider type", {named("hits")}, {named("count", i64)}, {{"hits", "count"}}},
      {"a field has a new name and a narrower type", {named("hits", i64)}, {named("count")}, {{"hits", "count"}}},
      {"a list has a new name and grows", {named("hits", i32, 3)}, {named("count", i32, 5)}, {{"hits", "count"}}},
      {"a list has a new name and shrinks", {named("hits", i32, 5)}, {named("count", i32, 3)}, {{"hits", "count"}}},
      {"a field has a new name and no fitting type", {named("hits")}, {named("count", text, 8)}, {{"hits", "count"}}},
      {"two fields change names", {named("a"), named("b")}, {named("a"), named("b")}, {{"a", "b"}, {"b", "a"}}},
      {"a renamed field's old name is given to a new field", {named("a")}, {named("a"), named("b")}, {{"a", "b"}}},
      {"a hint puts a field in the place of another", {named("a"), named("b")}, {named("b")}, {{"a", "b"}}},
  };
}

}  // namespace

const std::vector<StateChange>& state_changes() {
  static const std::vector<StateChange> changes = list_changes();
  return changes;
}

}  // namespace petri
