#include "evaluation/records/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "evaluation/records/parse.h"

namespace petri {
namespace {

using testing::HasSubstr;

Record record_with(const std::vector<Value>& values) {
  Record record;
  record.outcome = OutcomeKind::ok;
  for (const Value& value : values) {
    record.value_types.push_back(value.type());
    record.value_bits.push_back(value.bits());
  }
  record.kinds = {OutcomeKind::ok};
  return record;
}

std::string line_of(const Record& record, const CandidateContent& content = {}) {
  std::string line;
  append_record(line, record, {}, content, nullptr);
  return line;
}

TEST(RecordLine, SaysEverythingInAFixedOrder) {
  Record record = record_with({Value(1.5)});
  record.row = 3;
  record.artifact = ArtifactId{};
  record.kinds.push_back(OutcomeKind::trapped);
  record.value_bits.push_back(0);
  record.outcome = OutcomeKind::trapped;
  record.trap = TrapCode::unreachable;
  record.first_failure = 1;
  record.fuel_used = 12;
  record.memory_peak_bytes = 65'536;
  record.score = 0.1;
  record.repeats_row = 1;
  const std::string zeros(64, '0');
  const std::vector<std::uint8_t> wasm{0, 'a', 's', 'm'};
  std::string line;
  append_record(line, record, {.row_base = 10, .cancelled_before = 2}, {.wasm = wasm}, nullptr);
  EXPECT_EQ(line, "{\"row\":13,\"cancelled_before\":2,\"repeats_row\":11,\"artifact\":\"" + zeros +
                      "\",\"outcome\":\"trapped\",\"trap\":\"unreachable\",\"first_failure\":1,\"cases\":2,\"kinds\":["
                      "\"ok\",\"trapped\"],"
                      "\"types\":[\"f64\"],\"values\":[1.5,null],\"fuel\":12,\"memory_peak\":65536,\"score\":0.1,"
                      "\"wasm\":\"AGFzbQ==\"}\n");
}

TEST(RecordLine, WritesNumbersSoThatTheyReadBackToTheirBits) {
  using Limits = std::numeric_limits<double>;
  const std::string line = line_of(
      record_with({Value(-0.0), Value(0.1F), Value(1e300), Value(Limits::infinity()), Value(-Limits::infinity()),
                   Value(Limits::quiet_NaN()), Value(Limits::denorm_min()), Value(std::int64_t{-5}), Value(5.0)}));
  EXPECT_THAT(line, HasSubstr("\"values\":[-0.0,0.1,1e+300,\"inf\",\"-inf\",\"nan\",5e-324,-5,5]"));
}

TEST(RecordLine, EscapesWhatOthersWrote) {
  Record record;
  record.error = ErrorCode::parse_failed;
  record.message = "not \"wat\"\n";
  EXPECT_EQ(line_of(record, {.wat = "(module \"<\x01\")"}),
            "{\"row\":0,\"error\":\"parse_failed\",\"message\":\"not \\\"wat\\\"\\n\",\"wat\":\"(module "
            "\\\"\\u003c\\u0001\\\")\"}\n");
  EXPECT_THAT(line_of(record, {.wat = "\xff"}), HasSubstr("\"wat_base64\":\"/w==\""));
}

TEST(RecordLine, IsReadBackByItsParser) {
  const RecordsHeader header{.cases = {{.arguments = {}}}};
  Record record = record_with({Value(-0.0), Value(std::numeric_limits<std::int32_t>::min())});
  const auto parsed = parse_record(line_of(record, {.wat = "\xff<"}), header);
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->stored.record.value_bits, record.value_bits);
  EXPECT_EQ(parsed->stored.wat, "\xff<");
}

TEST(RecordLine, IsRefusedWhenAFieldIsNotWhatItShouldBe) {
  const RecordsHeader header{.cases = {{.arguments = {}}}};
  const auto field = [&](std::string_view from, std::string_view to) {
    std::string line = line_of(record_with({Value(1)}));
    line.replace(line.find(from), from.size(), to);
    const auto parsed = parse_record(line, header);
    return parsed ? std::string("none") : parsed.error().field;
  };
  EXPECT_EQ(field("\"row\":0", "\"row\":-1"), "row");
  EXPECT_EQ(field("\"row\":0", "\"row\":0.5"), "row");
  EXPECT_EQ(field("\"ok\"", "\"fine\""), "outcome");
  EXPECT_EQ(field("\"cases\":1", "\"cases\":2"), "cases");
  EXPECT_EQ(field("[1]", "[1,2]"), "values");
  EXPECT_EQ(field("[1]", "[null]"), "values[0]");
  EXPECT_EQ(field("[1]", "[2147483648]"), "values[0]");
  EXPECT_EQ(field("[1]", "[\"one\"]"), "values[0]");
  EXPECT_EQ(field("i32", "funcref"), "types[0]");
  EXPECT_EQ(field("\"fuel\":0", "\"fuel\":true"), "fuel");
  EXPECT_EQ(field("\"fuel\"", "\"fuek\""), "");
}

TEST(TimingLine, SaysWhatDiffersFromRunToRun) {
  std::string line;
  append_timing(line, 4, {.tier = Tier::compiled, .wall_time = std::chrono::nanoseconds(5'100), .cache_hit = true});
  EXPECT_EQ(line, "{\"row\":4,\"tier\":\"compiled\",\"wall_ns\":5100,\"cache_hit\":true}\n");
}

}  // namespace
}  // namespace petri
