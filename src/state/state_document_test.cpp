#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "petri/state.h"
#include "state/state_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

StateEntry entry(std::string name, StateType type, std::vector<StateValue> values, std::uint32_t count = 1) {
  return {.field = {.name = std::move(name), .type = type, .count = count}, .values = std::move(values)};
}

StateDocument document_of(const std::vector<StateEntry>& entries) { return StateDocument::create(entries).value(); }

TEST(StateSchema, KeepsItsFieldsInTheOrderOfTheirNames) {
  const auto schema =
      schema_of({{.name = "b", .type = StateType::i64}, {.name = "a", .type = StateType::u8, .count = 3}});
  EXPECT_EQ(schema->fields()[0].name, "a");
  EXPECT_EQ(schema->offset(1), 3U);
  EXPECT_EQ(schema->bytes(), 11U);
  EXPECT_EQ(schema->find("b"), 1U);
  EXPECT_FALSE(schema->find("c"));
  EXPECT_EQ(*schema,
            *schema_of({{.name = "a", .type = StateType::u8, .count = 3}, {.name = "b", .type = StateType::i64}}));
}

TEST(StateSchema, ReportsAllProblemsAtOnce) {
  const auto schema = StateSchema::create({{.name = ""},
                                           {.name = "twice"},
                                           {.name = "twice", .type = StateType::f64},
                                           {.name = "none", .count = 0},
                                           {.name = "bad\xff"},
                                           {.name = std::string(129, 'n')}});
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(schema.error().message,
              AllOf(HasSubstr("empty name"), HasSubstr("two fields are called \"twice\""),
                    HasSubstr("\"none\" has no elements"), HasSubstr("\"bad\\xff\" is not UTF-8"), HasSubstr("129")));
}

TEST(StateSchema, IsBoundedInFieldsAndBytes) {
  std::vector<StateField> fields;
  for (std::size_t i = 0; i <= kStateFieldsMax; ++i) fields.push_back({.name = fmt::format("f{}", i)});
  EXPECT_EQ(StateSchema::create(fields).error().code, ErrorCode::validation_failed);
  fields.pop_back();
  EXPECT_TRUE(StateSchema::create(fields));

  const StateField large{.name = "a", .type = StateType::u64, .count = std::numeric_limits<std::uint32_t>::max()};
  const auto schema = StateSchema::create({large});
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::limit_exceeded);
  EXPECT_THAT(schema.error().message, HasSubstr("state_bytes_max is 16 MiB"));
  EXPECT_TRUE(StateSchema::create({{.name = "a", .type = StateType::u8, .count = 8}}, 8));
  EXPECT_FALSE(StateSchema::create({{.name = "a", .type = StateType::u8, .count = 9}}, 8));
}

TEST(StateDocument, HoldsValuesOfEveryTypeByName) {
  StateDocument document = document_of(
      {entry("i", StateType::i16, {std::int64_t{-5}}),
       entry("u", StateType::u64, {std::numeric_limits<std::uint64_t>::max()}),
       entry("f", StateType::f32, {0.5F, 1.5F}, 2), entry("on", StateType::boolean, {1}),
       entry("raw", StateType::bytes, {std::string("\0\xff", 2)}, 2), entry("title", StateType::text, {"déjà"}, 8)});
  EXPECT_EQ(document.get("i").value(), StateValue(std::int64_t{-5}));
  EXPECT_EQ(document.get("f", 1).value(), StateValue(1.5F));
  EXPECT_EQ(document.get("title").value(), StateValue("déjà"));
  EXPECT_EQ(StateDocument::create(document.entries()).value(), document);

  EXPECT_TRUE(document.set("i", 7));
  EXPECT_TRUE(document.set("title", "neu"));
  EXPECT_EQ(document.get("i").value(), StateValue(std::int64_t{7}));
  EXPECT_EQ(document.get("title").value(), StateValue("neu"));
}

TEST(StateDocument, StaysAsItWasWhenAValueDoesNotFit) {
  StateDocument document = document_of({entry("n", StateType::u8, {1, 2}, 2), entry("raw", StateType::bytes, {"ab"}, 2),
                                        entry("title", StateType::text, {"abc"}, 4)});
  const StateDocument before = document;
  EXPECT_EQ(document.set("n", 256).error().message, "the field \"n\" is u8[2] and cannot hold 256");
  EXPECT_EQ(document.set("n", 1, 2).error().code, ErrorCode::not_found);
  EXPECT_EQ(document.set("m", 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(document.set("n", "text").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(document.set("raw", "abc").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(document.set("raw", "a").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(document.set("title", "abcde").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(document.set("title", "a\xff").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(document.set("title", std::string("a\0b", 3)).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(document.set("title", 5).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(document, before);
}

TEST(StateDocument, IsRefusedWithEveryFieldThatDoesNotFit) {
  const auto document = StateDocument::create(
      std::vector{entry("a", StateType::i8, {200}), entry("b", StateType::i8, {}), entry("c", StateType::i8, {1})});
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(document.error().message, AllOf(HasSubstr("\"a\" is i8 and cannot hold 200"), HasSubstr("\"b\"")));
}

TEST(StateDocument, RefusesBytesThatAreNotOfTheirTypes) {
  const auto schema =
      schema_of({{.name = "on", .type = StateType::boolean}, {.name = "title", .type = StateType::text, .count = 3}});
  EXPECT_TRUE(StateDocument::from_bytes(schema, {1, 'a', 'b', 0}));
  EXPECT_EQ(StateDocument::from_bytes(schema, {1, 'a'}).error().code, ErrorCode::state_incompatible);
  const auto bad = StateDocument::from_bytes(schema, {2, 'a', 0, 'c'});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::state_incompatible);
  EXPECT_THAT(bad.error().message, AllOf(HasSubstr("\"on\" holds 2"), HasSubstr("\"title\"")));
}

TEST(StateJson, ShowsNameTypeAndValue) {  // T01
  EXPECT_EQ(to_json(document_of({entry("count", StateType::i32, {7})})),
            R"({"fields":[{"name":"count","type":"i32","value":7}]})");
}

TEST(StateJson, ShowsListsBlocksAndNumbersJsonHasNot) {  // T02
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string json =
      to_json(document_of({entry("f", StateType::f64, {nan, -0.0, 0.1, 1e300}, 4),
                           entry("big", StateType::i64, {std::numeric_limits<std::int64_t>::min()}),
                           entry("on", StateType::boolean, {1, 0}, 2), entry("raw", StateType::bytes, {"\x01\xff"}, 2),
                           entry("title", StateType::text, {"a\"\n"}, 8)}));
  EXPECT_THAT(json, HasSubstr(R"("type":"f64","count":4,"value":["nan",-0.0,0.1,1e+300])"));
  EXPECT_THAT(json, HasSubstr(R"("value":-9223372036854775808)"));
  EXPECT_THAT(json, HasSubstr(R"("value":[true,false])"));
  EXPECT_THAT(json, HasSubstr(R"("type":"bytes","count":2,"value":"01ff")"));
  EXPECT_THAT(json, HasSubstr(R"("type":"text","count":8,"value":"a\"\n")"));
}

}  // namespace
}  // namespace petri
