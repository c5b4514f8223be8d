#include "petri/outcome.h"

#include <gtest/gtest.h>

#include <sstream>

namespace petri {
namespace {

TEST(OutcomeKind, IsNamedAsInJson) {
  EXPECT_EQ(name_of(OutcomeKind::ok), "ok");
  EXPECT_EQ(name_of(OutcomeKind::trapped), "trapped");
  EXPECT_EQ(name_of(OutcomeKind::out_of_fuel), "out_of_fuel");
  EXPECT_EQ(name_of(OutcomeKind::deadline), "deadline");
  EXPECT_EQ(name_of(OutcomeKind::memory_limit), "memory_limit");
  EXPECT_EQ(name_of(OutcomeKind::stack_overflow), "stack_overflow");
  EXPECT_EQ(name_of(OutcomeKind::cpu_limit), "cpu_limit");
  EXPECT_EQ(name_of(OutcomeKind::output_limit), "output_limit");
  EXPECT_EQ(name_of(OutcomeKind::exited), "exited");
  EXPECT_EQ(name_of(OutcomeKind::cancelled), "cancelled");
}

TEST(TrapCode, IsNamedAsInJson) {
  EXPECT_EQ(name_of(TrapCode::unreachable), "unreachable");
  EXPECT_EQ(name_of(TrapCode::integer_divide_by_zero), "integer_divide_by_zero");
  EXPECT_EQ(name_of(TrapCode::integer_overflow), "integer_overflow");
  EXPECT_EQ(name_of(TrapCode::bad_conversion_to_integer), "bad_conversion_to_integer");
  EXPECT_EQ(name_of(TrapCode::memory_out_of_bounds), "memory_out_of_bounds");
  EXPECT_EQ(name_of(TrapCode::table_out_of_bounds), "table_out_of_bounds");
  EXPECT_EQ(name_of(TrapCode::indirect_call_to_null), "indirect_call_to_null");
  EXPECT_EQ(name_of(TrapCode::bad_signature), "bad_signature");
}

TEST(Place, IsNamedAsInJson) {
  EXPECT_EQ(name_of(Place::instantiate), "instantiate");
  EXPECT_EQ(name_of(Place::start), "start");
  EXPECT_EQ(name_of(Place::initialize), "initialize");
  EXPECT_EQ(name_of(Place::call), "call");
}

TEST(Tier, IsFoundByItsName) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic})
    EXPECT_EQ(tier_named(name_of(tier)), tier);
  EXPECT_EQ(name_of(Tier::automatic), "automatic");
  EXPECT_EQ(tier_named("Compiled"), std::nullopt);
  EXPECT_EQ(tier_named(""), std::nullopt);
}

TEST(ArtifactId, IsShownAsSixtyFourDigits) {
  ArtifactId id;
  id.bytes[0] = 0xab;
  id.bytes[31] = 0x01;
  EXPECT_EQ(id.hex(), "ab" + std::string(60, '0') + "01");
}

TEST(Outcome, IsPrintedWithWhatBelongsToItsKind) {
  std::ostringstream out;
  out << Outcome{.values = {Value(5), Value(2.5)}} << "; "
      << Outcome{.kind = OutcomeKind::trapped, .trap = TrapCode::integer_divide_by_zero} << "; "
      << Outcome{.kind = OutcomeKind::exited, .exit_code = 3} << "; "
      << Outcome{.kind = OutcomeKind::deadline, .cause = "execution_time_max"};
  EXPECT_EQ(out.str(), "ok: 5, 2.5; trapped (integer_divide_by_zero); exited (3); deadline (execution_time_max)");
}

}  // namespace
}  // namespace petri
