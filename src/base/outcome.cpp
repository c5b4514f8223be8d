#include "petri/outcome.h"

#include <ostream>

#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<10> kOutcomeKinds{"ok",           "trapped",        "out_of_fuel", "deadline",
                                      "memory_limit", "stack_overflow", "cpu_limit",   "output_limit",
                                      "exited",       "cancelled"};
constexpr NameTable<8> kTrapCodes{
    "unreachable",          "integer_divide_by_zero", "integer_overflow",      "bad_conversion_to_integer",
    "memory_out_of_bounds", "table_out_of_bounds",    "indirect_call_to_null", "bad_signature"};
constexpr NameTable<4> kPlaces{"instantiate", "start", "initialize", "call"};
constexpr NameTable<3> kTiers{"interpreted", "compiled", "automatic"};

static_assert(static_cast<std::size_t>(OutcomeKind::cancelled) + 1 == kOutcomeKinds.size());
static_assert(static_cast<std::size_t>(TrapCode::bad_signature) + 1 == kTrapCodes.size());
static_assert(static_cast<std::size_t>(Place::call) + 1 == kPlaces.size());
static_assert(static_cast<std::size_t>(Tier::automatic) + 1 == kTiers.size());

}  // namespace

std::string_view name_of(OutcomeKind kind) { return name_in(kOutcomeKinds, kind); }
std::string_view name_of(TrapCode code) { return name_in(kTrapCodes, code); }
std::string_view name_of(Place place) { return name_in(kPlaces, place); }
std::string_view name_of(Tier tier) { return name_in(kTiers, tier); }
std::optional<Tier> tier_named(std::string_view name) { return find_name<Tier>(kTiers, name); }

std::string to_text(const Outcome& outcome) {
  std::string text(name_of(outcome.kind));
  std::string why = outcome.cause;
  if (outcome.trap) why = name_of(*outcome.trap);
  if (outcome.exit_code) why = std::to_string(*outcome.exit_code);
  if (!why.empty()) text += " (" + why + ")";
  for (std::size_t index = 0; index < outcome.values.size(); ++index) {
    text.append(index == 0 ? ": " : ", ").append(to_text(outcome.values[index]));
  }
  return text;
}
std::ostream& operator<<(std::ostream& out, const Outcome& outcome) { return out << to_text(outcome); }

}  // namespace petri
