#include "base/json_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace petri {
namespace {

std::optional<bool> yes_named(std::string_view name) { return name == "yes" ? std::optional(true) : std::nullopt; }

TEST(JsonReader, ReadsWhatIsThereAndKeepsTheRest) {
  Complaints complaints;
  JsonReader reader(complaints);
  std::string name = "nobody";
  std::uint32_t count = 7;
  std::chrono::nanoseconds time{};
  reader.fields(nlohmann::json{{"name", "ada"}, {"time", "250ms"}},
                {{"name", [&](const auto& value) { reader.read(value, name); }},
                 {"count", [&](const auto& value) { reader.read(value, count); }},
                 {"time", [&](const auto& value) { reader.read(value, time); }}});
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(name, "ada");
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(time, std::chrono::milliseconds(250));
}

TEST(JsonReader, NamesTheFieldAndTheThingToDoForEachFault) {
  const nlohmann::json document = {{"a", 1},      {"b", {1, "x", true}}, {"c", -1},   {"d", 4294967296}, {"e", "on"},
                                   {"f", "soon"}, {"g", "no"},           {"h\n", {}}, {"i", {{"j", 1}}}};
  Complaints complaints;
  JsonReader reader(complaints);
  std::uint32_t small = 3;
  reader.fields(document, {{"a", [&](const auto& value) { reader.string(value); }},
                           {"b", [&](const auto& value) { reader.strings(value); }},
                           {"c", [&](const auto& value) { reader.integer(value); }},
                           {"d", [&](const auto& value) { reader.read(value, small); }},
                           {"e", [&](const auto& value) { reader.boolean(value); }},
                           {"f", [&](const auto& value) { reader.duration(value); }},
                           {"g", [&](const auto& value) { reader.one_of<bool>(value, yes_named, "yes"); }},
                           {"i", [&](const auto& value) { reader.fields(value, {}); }}});
  EXPECT_EQ(small, 3U);
  EXPECT_EQ(complaints.message(),
            "a is not a string; b[0] is not a string; b[2] is not a string; "
            "c is not an integer from 0 to 18446744073709551615; d is not an integer from 0 to 4294967295; "
            "e is neither true nor false; f is \"soon\" but must be a time such as 250ms or 10s; "
            "g is \"no\" but can be yes; h\\n is no field here (there are a, b, c, d, e, f, g, i); "
            "i.j is no field here (there are )");
}

}  // namespace
}  // namespace petri
