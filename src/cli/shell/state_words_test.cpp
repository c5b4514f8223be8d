#include "cli/shell/state_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using ::testing::HasSubstr;

StateDocument document() {
  return StateDocument(std::make_shared<const StateSchema>(
      *StateSchema::create({{.name = "count", .type = StateType::i32},
                            {.name = "flags", .type = StateType::u64},
                            {.name = "key", .type = StateType::bytes, .count = 2},
                            {.name = "label", .type = StateType::text, .count = 16},
                            {.name = "on", .type = StateType::boolean},
                            {.name = "scores", .type = StateType::f64, .count = 3}})));
}

// The document after these words.
std::string written(const std::vector<std::string>& words) {
  StateDocument state = document();
  const auto updates = parse_state_updates(words, state);
  if (!updates) return updates.error().message;
  for (const StateUpdate& update : *updates) {
    if (const auto set = state.set(update.name, update.value, update.index); !set) return set.error().message;
  }
  return to_text(state);
}

TEST(StateWords, AreReadInTheTypesOfTheirFields) {
  EXPECT_EQ(written({"count=-7", "flags=18446744073709551615", "key=00Ff", "label=a=b", "on=true", "scores[1]=2.5"}),
            "field   type      value\n"
            "count   i32       -7\n"
            "flags   u64       18446744073709551615\n"
            "key     bytes[2]  00ff\n"
            "label   text[16]  \"a=b\"\n"
            "on      boolean   true\n"
            "scores  f64[3]    0, 2.5, 0\n");
}

TEST(StateWords, ThatMakeNoSenseAreRefusedInOneSentence) {
  EXPECT_EQ(written({"count"}), "\"count\" is not of the form FIELD=VALUE");
  EXPECT_EQ(written({"=7"}), "\"=7\" is not of the form FIELD=VALUE");
  EXPECT_EQ(written({"coutn=7"}), "the state has no field \"coutn\"; did you mean count?");
  EXPECT_EQ(written({"count=many"}), "\"count\" is i32 and \"many\" is no such value");
  EXPECT_EQ(written({"on=2"}), "\"on\" is boolean and \"2\" is no such value");
  EXPECT_EQ(written({"key=0x"}), "\"key\" is bytes[2] and \"0x\" is no such value");
  EXPECT_EQ(written({"scores=1"}), "\"scores\" is f64[3]: say which element, scores[0]=VALUE");
  EXPECT_EQ(written({"scores[one]=1"}), "scores[one] has no number in its brackets");
  EXPECT_THAT(written({"scores[3]=1"}), HasSubstr("3 elements"));
  EXPECT_THAT(written({"count=99999999999"}), HasSubstr("i32"));
}

TEST(StateWords, TellWhichFieldsThereAre) {
  EXPECT_EQ(fields_text({}), "none");
  EXPECT_EQ(fields_text(document().schema().fields()),
            "count i32, flags u64, key bytes[2], label text[16], on boolean, scores f64[3]");
  EXPECT_EQ(fields_text(std::vector<StateField>(9, {.name = "\x1b", .type = StateType::u8})),
            R"(\x1b u8, \x1b u8, \x1b u8, \x1b u8, \x1b u8, \x1b u8 and 3 more)");
  EXPECT_EQ(to_text(StateDocument()), "no state is described\n");
}

}  // namespace
}  // namespace petri::cli
