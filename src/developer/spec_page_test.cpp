#include "developer/spec_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "petri/runtime.h"

namespace petri::developer {
namespace {

std::optional<Error> error_of(const SpecObject& object, std::string_view members) {
  const std::string document = spec_document(object, members);
  if (object.runtime) {
    const auto options = RuntimeOptions::from_json(document);
    return options ? std::nullopt : std::optional(options.error());
  }
  const auto spec = SandboxSpec::from_json(document);
  return spec ? std::nullopt : std::optional(spec.error());
}

// The reader's own list of the fields of an object, from what it says of a field that it does not know.
std::set<std::string> known_fields(const SpecObject& object) {
  const std::string message =
      error_of(object, fmt::format(R"({}, "nobody": 1)", object.fields.front().example)).value_or(Error{}).message;
  constexpr std::string_view kBefore = "nobody is no field here (there are ";
  const std::size_t start = message.find(kBefore);
  if (start == std::string::npos) return {message};
  std::string list = message.substr(start + kBefore.size());
  list.resize(list.find(')'));
  std::set<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    names.insert(list.substr(at, end - at));
    at = end + 2;
  }
  return names;
}

// L12
TEST(SpecPage, HasEveryFieldThatTheReaderKnows) {
  for (const SpecObject& object : spec_objects()) {
    std::set<std::string> names;
    for (const SpecField& field : object.fields) names.emplace(field.name);
    EXPECT_EQ(names, known_fields(object)) << object.title;
  }
}

TEST(SpecPage, HasExamplesThatTheReaderTakes) {
  for (const SpecObject& object : spec_objects()) {
    for (const SpecField& field : object.fields) {
      const auto error = error_of(object, field.example);
      EXPECT_FALSE(error) << object.title << ": " << field.example << ": " << error.value_or(Error{});
    }
  }
}

}  // namespace
}  // namespace petri::developer
