#include "cli/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace petri::cli {
namespace {

TEST(JsonOfValues, AreNumbersWhereJsonHasThem) {
  EXPECT_EQ(to_json(Value(std::int32_t{-1})).dump(), "-1");
  EXPECT_EQ(to_json(Value(std::numeric_limits<std::int64_t>::min())).dump(), "-9223372036854775808");
  EXPECT_EQ(to_json(Value(0.1F)).dump(), "0.1");
  EXPECT_EQ(to_json(Value(-0.0)).dump(), "-0.0");
}

TEST(JsonOfValues, AreTextWhereItHasNone) {
  EXPECT_EQ(to_json(Value(-std::numeric_limits<double>::infinity())).dump(), "\"-inf\"");
  EXPECT_EQ(to_json(Value(std::numeric_limits<float>::quiet_NaN())).dump(), "\"nan\"");
  EXPECT_EQ(to_json(Value::from_bits(ValueType::f64, 0x7ff0'0000'0000'0001)).dump(), "\"nan:0x1\"");
}

TEST(JsonOfOutcome, HasOnlyKeysThatSaySomething) {
  const Json json = to_json(Outcome{.values = {Value(std::int32_t{5})}, .fuel_used = 4});
  EXPECT_EQ(json["kind"], "ok");
  EXPECT_EQ(json["values"], Json::array({5}));
  EXPECT_EQ(json["fuel_used"], 4);
  for (const char* key : {"trap", "exit_code", "cause", "backtrace", "output", "seed"})
    EXPECT_FALSE(json.contains(key)) << key;
}

TEST(JsonOfOutcome, ShowsATrapWithItsFrames) {
  const Json json =
      to_json(Outcome{.kind = OutcomeKind::trapped,
                      .trap = TrapCode::unreachable,
                      .backtrace = {{.function = 3, .offset = 79, .name = "f"}, {.function = 4, .offset = 90}}});
  EXPECT_EQ(json["trap"], "unreachable");
  EXPECT_EQ(json["backtrace"][0]["name"], "f");
  EXPECT_EQ(json["backtrace"][0]["offset"], 79);
  EXPECT_FALSE(json["backtrace"][1].contains("name"));
}

TEST(JsonOfOutcome, GivesBytesThatAreNoTextAsDigits) {
  EXPECT_EQ(to_json(Outcome{.output = "hi"})["output"], "hi");
  const Json json = to_json(Outcome{.output = "\xff\x01"});
  EXPECT_EQ(json["output_hex"], "ff01");
  EXPECT_FALSE(json.contains("output"));
}

TEST(JsonOfError, KeepsItsDetailsAndListsRepeatedOnes) {
  const Json json = to_json(Error{.code = ErrorCode::validation_failed, .message = "m"}
                                .with("limit", "fuel_max")
                                .with("limit", "memory_bytes_max")
                                .with("path", "x"));
  EXPECT_EQ(json["code"], "validation_failed");
  EXPECT_EQ(json["category"], "usage");
  EXPECT_EQ(json["details"]["limit"], Json::array({"fuel_max", "memory_bytes_max"}));
  EXPECT_EQ(json["details"]["path"], "x");
}

TEST(JsonLine, IsOneLineOfAsciiWhateverTheGuestSays) {
  EXPECT_EQ(to_line({{"name", "a\nb\x1b\xe2\x80\xae"}}), "{\"name\":\"a\\nb\\u001b\\u202e\"}\n");
  EXPECT_EQ(to_line({{"name", "\xff"}}), "{\"name\":\"\\ufffd\"}\n");
}

}  // namespace
}  // namespace petri::cli
