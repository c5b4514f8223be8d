#include "base/json/json_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace petri {
namespace {

std::optional<bool> yes_named(std::string_view name) { return name == "yes" ? std::optional(true) : std::nullopt; }

TEST(JsonReader, ReadsWhatIsThereAndKeepsTheRest) {
  const nlohmann::json document = {{"name", "ada"}, {"time", "250ms"}, {"words", {"a", "b"}}};
  Complaints complaints;
  std::string name = "nobody";
  std::uint32_t count = 7;
  std::optional<std::chrono::nanoseconds> time;
  std::optional<bool> absent;
  std::vector<std::string> words;
  const JsonReader reader(document, complaints);
  reader.fields({{"name", JsonReader::into(name)},
                 {"count", JsonReader::into(count)},
                 {"time", JsonReader::into(time)},
                 {"words", JsonReader::into(words)}});
  reader["absent"].read(absent);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(name, "ada");
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(time, std::chrono::milliseconds(250));
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(absent, std::nullopt);
}

TEST(JsonReader, NamesTheFieldAndTheThingToDoForEachFault) {
  const nlohmann::json document = {{"a", 1},      {"b", {1, "x", true}}, {"c", -1},   {"d", 4294967296}, {"e", "on"},
                                   {"f", "soon"}, {"g", "no"},           {"h\n", {}}, {"i", {{"j", 1}}}};
  Complaints complaints;
  std::uint32_t small = 3;
  std::vector<std::string> words;
  JsonReader(document, complaints)
      .fields({{"a", [](const auto& value) { value.string(); }},
               {"b", JsonReader::into(words)},
               {"c", [](const auto& value) { value.integer(); }},
               {"d", JsonReader::into(small)},
               {"e", [](const auto& value) { value.boolean(); }},
               {"f", [](const auto& value) { value.duration(); }},
               {"g", [](const auto& value) { value.template one_of<bool>(yes_named, "yes"); }},
               {"i", [](const auto& value) { value.fields({}); }}});
  EXPECT_EQ(small, 3U);
  EXPECT_EQ(complaints.message(),
            "a is not a string; b[0] is not a string; b[2] is not a string; "
            "c is not an integer from 0 to 18446744073709551615; d is not an integer from 0 to 4294967295; "
            "e is neither true nor false; f is \"soon\" but must be a time such as 250ms or 10s; "
            "g is \"no\" but can be yes; h\\n is no field here (there are a, b, c, d, e, f, g, i); "
            "i.j is no field here (there are )");
}

TEST(JsonReader, WritesTheWholePathBelowTheOneItIsGiven) {
  const nlohmann::json document = {{"rows", {{{"id", 1}}, 2}}, {"bytes", "?"}, {"digits", "0"}, {"small", -200}};
  Complaints complaints;
  const JsonReader reader(document, complaints, "tree");
  reader["rows"].elements([](const JsonReader& row) {
    row["id"].string();
    row.members([](const std::string&, const JsonReader&) {});
  });
  reader["bytes"].base64();
  reader["digits"].hex();
  reader["small"].signed_integer(-128, 127);
  reader["name"].required().string();
  reader["small"].elements([](const JsonReader&) {});
  EXPECT_EQ(complaints.message(),
            "tree.rows[0].id is not a string; tree.rows[1] is not an object; tree.bytes is not base64; "
            "tree.digits is not an even number of hexadecimal digits; tree.small is not an integer from -128 to 127; "
            "tree.name is missing; tree.small is not a list");
}

}  // namespace
}  // namespace petri
