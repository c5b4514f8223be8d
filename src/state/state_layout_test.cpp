#include "state/state_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "state/state_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Row = TableMemory::Row;

constexpr std::uint32_t kMax = 0xffff'ffff;
const std::uint32_t kI32 = code_of(StateType::i32);
const std::uint32_t kU8 = code_of(StateType::u8);
const std::uint32_t kText = code_of(StateType::text);

Result<StateLayout> layout_of(TableMemory& memory, std::vector<StateGlobal> globals = {}) {
  return StateLayout::read({.memory = memory.bytes(), .table = TableMemory::kTable, .globals = globals});
}

// The refusal of a table of these rows.
std::string refusal(const std::vector<Row>& rows) {
  TableMemory memory(rows);
  const auto layout = layout_of(memory);
  if (layout) return "";
  EXPECT_EQ(layout.error().code, ErrorCode::state_incompatible);
  return layout.error().message;
}

std::string refusal(TableMemory memory) {
  const auto layout = layout_of(memory);
  return layout ? "" : layout.error().message;
}

TEST(StateGlobals, AreFieldsByTheNameBehindTheDot) {  // T01
  std::vector<StateGlobal> globals{
      {"state.count", std::int32_t{7}}, {"heap_base", std::int32_t{5}}, {"state.rate", 0.5}};
  const auto layout = StateLayout::read({.memory = {}, .table = {}, .globals = globals});
  ASSERT_TRUE(layout) << layout.error().message;
  auto document = layout->capture({}, globals);
  ASSERT_TRUE(document);
  EXPECT_EQ(to_json(*document),
            R"({"fields":[{"name":"count","type":"i32","value":7},{"name":"rate","type":"f64","value":0.5}]})");

  ASSERT_TRUE(document->set("count", -41));
  ASSERT_TRUE(layout->restore(*document, {}, globals));
  EXPECT_EQ(globals[0].value, Value(std::int32_t{-41}));
  EXPECT_EQ(globals[1].value, Value(std::int32_t{5}));
  EXPECT_EQ(globals[2].value, Value(0.5));
}

TEST(StateGlobals, ThatCannotBeStateAreNamedAtOnce) {
  const std::vector<StateGlobal> globals{{"state.", std::int32_t{7}},
                                         {"state.call", Value::from_bits(ValueType::funcref, 0)},
                                         {"state.a", std::int32_t{1}},
                                         {"state.a", std::int32_t{2}}};
  const auto layout = StateLayout::read({.memory = {}, .table = {}, .globals = globals});
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, ErrorCode::state_incompatible);
  EXPECT_THAT(layout.error().message, AllOf(HasSubstr("empty name"), HasSubstr("\"call\" is a global of type funcref"),
                                            HasSubstr("two fields are called \"a\"")));
}

// Both would be written, and one of the values would be lost.
TEST(StateGlobals, OfTwoNamesAreRefused) {
  const std::vector<StateGlobal> globals{{"state.a", std::int32_t{1}, 4},
                                         {"state.b", std::int32_t{2}, 5},
                                         {"state.c", std::int32_t{1}, 4},
                                         {"other", std::int32_t{2}, 5}};
  const auto layout = StateLayout::read({.memory = {}, .table = {}, .globals = globals});
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, ErrorCode::state_incompatible);
  EXPECT_EQ(layout.error().message, "the state the module describes cannot be used: \"a\" and \"c\" are one global");
}

TEST(StateTable, IsReadAndWrittenByName) {  // T02
  TableMemory memory({{"count", kI32, 0},
                      {"scores", code_of(StateType::f64), 8, 3, 8},
                      {"x", code_of(StateType::i16), 100, 2, 6},
                      {"y", code_of(StateType::i16), 102, 2, 6},
                      {"title", kText, 200, 8, 1}});
  memory.put(0, 41);
  memory.put(16, 2.5);
  memory.put(108, std::int16_t{-2});  // y[1], between x[1] and what would be x[2]
  memory.put(200, std::array{'h', 'i', '\0', 'x', 'y', 'z', '\0', '\0'});
  const auto layout = layout_of(memory);
  ASSERT_TRUE(layout) << layout.error().message;
  auto document = layout->capture(memory.bytes(), {});
  ASSERT_TRUE(document);
  EXPECT_EQ(document->get("count").value(), StateValue(std::int64_t{41}));
  EXPECT_EQ(document->get("scores", 1).value(), StateValue(2.5));
  EXPECT_EQ(document->get("y", 0).value(), StateValue(std::int64_t{0}));
  EXPECT_EQ(document->get("y", 1).value(), StateValue(std::int64_t{-2}));
  EXPECT_EQ(document->get("x", 1).value(), StateValue(std::int64_t{0}));
  EXPECT_EQ(document->get("title").value(), StateValue("hi"));

  ASSERT_TRUE(document->set("y", 9, 1));
  ASSERT_TRUE(document->set("title", "ho"));
  ASSERT_TRUE(layout->restore(*document, memory.bytes(), {}));
  EXPECT_EQ(memory.at<std::int16_t>(108), 9);
  EXPECT_EQ(memory.at<std::int32_t>(0), 41);
  EXPECT_EQ((memory.at<std::array<char, 4>>(200)), (std::array{'h', 'o', '\0', '\0'}));
}

TEST(StateTable, WritesNothingBetweenTheElements) {
  TableMemory memory({{"x", kU8, 100, 4, 3}});
  std::fill_n(memory.bytes().begin() + 100, 12, std::uint8_t{0xee});
  const auto layout = layout_of(memory);
  ASSERT_TRUE(layout);
  const StateDocument zeros(layout->shared_schema());
  ASSERT_TRUE(layout->restore(zeros, memory.bytes(), {}));
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(memory.at<std::uint8_t>(100 + i), i % 3 == 0 ? 0 : 0xee) << i;
}

TEST(StateTable, StandsBesideGlobalsOfOtherNames) {
  TableMemory memory({{"a", kI32, 0}});
  EXPECT_TRUE(layout_of(memory, {{"state.b", std::int32_t{1}}}));
  const auto layout = layout_of(memory, {{"state.a", std::int32_t{1}}});
  ASSERT_FALSE(layout);
  EXPECT_THAT(layout.error().message, HasSubstr("two fields are called \"a\""));
}

TEST(StateTable, OfALaterRevisionMayHaveLongerEntries) {
  TableMemory memory({});
  memory.put_header({.count = 1, .entry_bytes = 32});
  memory.put_entry(0, {TableMemory::kNames, 1, kI32, 0, 1, 4});
  memory.put(TableMemory::kNames, 'a');
  const auto layout = layout_of(memory);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->schema().fields()[0].name, "a");
}

TEST(StateTable, ThatIsNoneIsRefused) {  // T23
  const auto with_header = [](TableMemory::Header header) {
    TableMemory memory({});
    memory.put_header(header);
    return refusal(std::move(memory));
  };
  EXPECT_THAT(with_header({.magic = 0}), HasSubstr("no state table at 1024"));
  EXPECT_THAT(with_header({.version = 2}), HasSubstr("version 2"));
  EXPECT_THAT(with_header({.entry_bytes = 20}), HasSubstr("20 bytes"));
  EXPECT_THAT(with_header({.entry_bytes = kMax}), HasSubstr("4294967295 bytes"));
  EXPECT_THAT(with_header({.count = kMax}), HasSubstr("4294967295 fields"));
  EXPECT_THAT(with_header({.count = 1'000, .entry_bytes = 1'000}), HasSubstr("reaches outside memory"));
  EXPECT_EQ(with_header({}), "");
}

TEST(StateTable, OutsideMemoryIsNotRead) {  // T23 hostile G03
  TableMemory memory({});
  for (const std::uint32_t address : {TableMemory::kBytes, TableMemory::kBytes - 15, kMax, kMax - 15}) {
    const auto layout = StateLayout::read({.memory = memory.bytes(), .table = address, .globals = {}});
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code, ErrorCode::state_incompatible);
    EXPECT_THAT(layout.error().message, HasSubstr("outside memory"));
  }
  EXPECT_FALSE(StateLayout::read({.memory = {}, .table = 0, .globals = {}}));
}

TEST(StateTable, MayDescribeNothingOutsideMemory) {  // T23 hostile G03
  const std::uint32_t end = TableMemory::kBytes;
  EXPECT_EQ(refusal({{"a", kI32, end - 4}}), "");
  EXPECT_THAT(refusal({{"a", kI32, end - 3}}), HasSubstr("\"a\" (i32 at 65533) reaches outside memory"));
  EXPECT_THAT(refusal({{"a", kI32, kMax}}), HasSubstr("outside memory"));
  EXPECT_THAT(refusal({{"a", kI32, 0, kMax, 4}}), HasSubstr("outside memory"));
  EXPECT_THAT(refusal({{"a", kI32, 4, 0x4000'0000, 4}}), HasSubstr("outside memory"));
  EXPECT_THAT(refusal({{"a", kI32, 16, 2, kMax - 15}}), HasSubstr("outside memory"));
  EXPECT_THAT(refusal({{"a", kI32, kMax, kMax, kMax}}), HasSubstr("outside memory"));
  EXPECT_THAT(refusal({{"a", kText, end - 1, 2, 1}}), HasSubstr("outside memory"));
}

TEST(StateTable, HasTypesAndStridesThatMakeSense) {  // hostile G03
  EXPECT_THAT(refusal({{"a", 0, 0}}), HasSubstr("\"a\" has the unknown type 0"));
  EXPECT_THAT(refusal({{"a", 14, 0}}), HasSubstr("unknown type 14"));
  EXPECT_THAT(refusal({{"a", kI32, 0, 2, 3}}), HasSubstr("\"a\" has stride 3 and elements of 4 bytes"));
  EXPECT_THAT(refusal({{"a", kI32, 0, 2, 0}}), HasSubstr("stride 0"));
  EXPECT_THAT(refusal({{"a", kText, 0, 8, 2}}), HasSubstr("\"a\" is text and has stride 2 where it must be 1"));
  EXPECT_THAT(refusal({{"a", kI32, 0, 0}}), HasSubstr("\"a\" has no elements"));
}

TEST(StateTable, HasNamesThatCanBeShown) {  // T23
  EXPECT_THAT(refusal({{"a\xc3", kI32, 0}}), HasSubstr("the name \"a\\xc3\" is not UTF-8"));
  EXPECT_THAT(refusal({{"a", kI32, 0}, {"a", kI32, 8}}), HasSubstr("two fields are called \"a\""));
  EXPECT_THAT(refusal({{"", kI32, 0}}), HasSubstr("empty name"));
  EXPECT_THAT(refusal({{std::string(129, 'a'), kI32, 0}}), HasSubstr("the name of entry 0 has 129 bytes"));

  TableMemory memory({{"a", kI32, 0}});
  memory.put_entry(0, {kMax, kMax, kI32, 0, 1, 4});
  EXPECT_THAT(refusal(memory), HasSubstr("the name of entry 0 has 4,294,967,295 bytes"));
  memory.put_entry(0, {kMax, 1, kI32, 0, 1, 4});
  EXPECT_THAT(refusal(memory), HasSubstr("the name of entry 0 lies outside memory"));
}

TEST(StateTable, HasNoTwoFieldsInOnePlace) {  // hostile G03
  EXPECT_THAT(refusal({{"a", kI32, 0}, {"b", kI32, 3}}), HasSubstr("\"b\" overlaps \"a\""));
  EXPECT_THAT(refusal({{"a", kI32, 0}, {"b", kI32, 0}}), HasSubstr("overlaps"));
  EXPECT_EQ(refusal({{"a", kI32, 0}, {"b", kI32, 4}}), "");
  EXPECT_THAT(refusal({{"a", kI32, TableMemory::kTable + 8}}), HasSubstr("\"a\" lies over the state table itself"));
  EXPECT_THAT(refusal({{"a", kU8, TableMemory::kNames, 1, 1}}), HasSubstr("lies over the state table itself"));
}

TEST(StateTable, MayShareBytesBetweenNames) {
  TableMemory memory({{"discount", kI32, 0}, {"x", kI32, 4}});
  memory.put_entry(1, {TableMemory::kNames + 3, 5, kI32, 4, 1, 4});
  const auto layout = layout_of(memory);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->schema().fields()[0].name, "count");
}

TEST(StateTable, IsRefusedWithAllItsProblemsAtOnce) {  // T23
  const std::string message = refusal(
      {{"a", kI32, kMax}, {"b", 99, 0}, {"c", kI32, 0}, {"c", kI32, 2}, {"d", kI32, 8, 3, 1}, {"\xff", kI32, 32}});
  EXPECT_THAT(message, AllOf(HasSubstr("\"a\""), HasSubstr("\"b\""), HasSubstr("\"c\" overlaps"),
                             HasSubstr("two fields"), HasSubstr("\"d\""), HasSubstr("\\xff")));
}

TEST(StateTable, ReportsNoMoreProblemsThanAPersonReads) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < kStateFieldsMax; ++i) rows.push_back({fmt::format("f{}", i), 99, 0});
  TableMemory memory(rows);
  const auto layout = layout_of(memory);
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().details.size(), Complaints::kKeptMax);
  EXPECT_THAT(layout.error().message, HasSubstr("; and 924 more"));
}

TEST(StateTable, LargerThanAllowedMeetsTheLimit) {  // hostile G13
  TableMemory memory({{"a", kU8, 4'096, 1'000, 1}});
  const StateSource source{.memory = memory.bytes(), .table = TableMemory::kTable, .globals = {}};
  EXPECT_TRUE(StateLayout::read(source, 1'000));
  const auto layout = StateLayout::read(source, 999);
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, ErrorCode::limit_exceeded);
}

TEST(StateLayout, RefusesMemoryThatHoldsNoSuchState) {
  TableMemory memory({{"on", code_of(StateType::boolean), 0, 1, 1}, {"title", kText, 8, 4, 1}});
  const auto layout = layout_of(memory);
  ASSERT_TRUE(layout);
  memory.put(0, std::uint8_t{2});
  memory.put(8, std::uint8_t{0xff});
  const auto document = layout->capture(memory.bytes(), {});
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, ErrorCode::state_incompatible);
  EXPECT_THAT(document.error().message, AllOf(HasSubstr("\"on\" holds 2"), HasSubstr("\"title\"")));
}

TEST(StateLayout, WritesNothingUnlessAllOfItFits) {
  TableMemory memory({{"a", kI32, 0}, {"b", kI32, 60'000}});
  std::vector<StateGlobal> globals{{"state.c", std::int32_t{1}}};
  const auto layout = layout_of(memory, globals);
  ASSERT_TRUE(layout);
  auto document = layout->capture(memory.bytes(), globals);
  ASSERT_TRUE(document);
  ASSERT_TRUE(document->set("a", 5));

  const auto before = memory.bytes();
  EXPECT_FALSE(layout->restore(*document, std::span(memory.bytes()).first(60'003), globals));
  EXPECT_FALSE(layout->restore(*document, memory.bytes(), {}));
  std::vector<StateGlobal> others{{"state.c", 1.0}};
  EXPECT_FALSE(layout->restore(*document, memory.bytes(), others));
  EXPECT_FALSE(layout->restore(StateDocument(), memory.bytes(), globals));
  EXPECT_FALSE(layout->capture(std::span(memory.bytes()).first(60'003), globals));
  EXPECT_EQ(memory.bytes(), before);
}

// A random table in a memory of exactly its size on the heap, so that the address sanitizer sees every step outside.
std::vector<std::uint8_t> random_memory(StateMaker& maker) {
  std::vector<std::uint8_t> memory(maker.below(400));
  for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(maker.likely(60) ? 0 : maker.below(256));
  const std::array<std::uint32_t, 4> header{kStateTableMagic, 1, static_cast<std::uint32_t>(maker.below(8)), 24};
  if (memory.size() < 16) return memory;
  std::memcpy(memory.data(), header.data(), 16);
  for (std::size_t at = 16; at + 4 <= memory.size(); at += 4) {
    const std::uint32_t odd = maker.likely(15) ? kMax - static_cast<std::uint32_t>(maker.below(20))
                                               : static_cast<std::uint32_t>(maker.below(memory.size() / 4));
    if (maker.likely(90)) std::memcpy(&memory[at], &odd, 4);
  }
  return memory;
}

TEST(StateTable, OfRandomBytesIsRefusedOrStaysInsideMemory) {  // hostile G03
  int read = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    StateMaker maker(seed);
    std::vector<std::uint8_t> memory = random_memory(maker);
    const auto layout = StateLayout::read({.memory = memory, .table = 0, .globals = {}}, 300);
    if (!layout) {
      ASSERT_TRUE(layout.error().code == ErrorCode::state_incompatible ||
                  layout.error().code == ErrorCode::limit_exceeded);
      continue;
    }
    const auto document = layout->capture(memory, {});
    if (!document) continue;
    ASSERT_TRUE(layout->restore(*document, memory, {}));
    ASSERT_EQ(layout->capture(memory, {}).value(), *document);
    ++read;
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace petri
