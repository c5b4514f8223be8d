#include "base/json_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/escape.h"
#include "base/units.h"

namespace petri {
namespace {

std::string names_of(const JsonReader::Fields& fields) {
  std::string names;
  for (const auto& [name, read] : fields) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

}  // namespace

void JsonReader::members(const Json& object, const std::function<void(const std::string&, const Json&)>& each) {
  if (!object.is_object()) return refuse("is not an object");
  const std::string above = where_;
  for (const auto& [name, member] : object.items()) {
    where_ = above + (above.empty() ? "" : ".") + escape_text(name, kWordShownBytesMax);
    each(name, member);
  }
  where_ = above;
}

void JsonReader::fields(const Json& object, const Fields& known) {
  members(object, [&](const std::string& name, const Json& member) {
    const auto found = known.find(name);
    if (found != known.end()) return found->second(member);
    refuse(fmt::format("is no field here (there are {})", names_of(known)));
  });
}

std::optional<std::string> JsonReader::string(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  refuse("is not a string");
  return std::nullopt;
}

std::vector<std::string> JsonReader::strings(const Json& value) {
  std::vector<std::string> all;
  if (!value.is_array()) {
    refuse("is not a list of strings");
    return all;
  }
  const std::string above = where_;
  for (const Json& item : value) {
    where_ = fmt::format("{}[{}]", above, all.size());
    all.push_back(string(item).value_or(""));
  }
  where_ = above;
  return all;
}

std::optional<std::uint64_t> JsonReader::integer(const Json& value, std::uint64_t max) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= max) return value.get<std::uint64_t>();
  refuse(fmt::format("is not an integer from 0 to {}", max));
  return std::nullopt;
}

std::optional<bool> JsonReader::boolean(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  refuse("is neither true nor false");
  return std::nullopt;
}

std::optional<std::chrono::nanoseconds> JsonReader::duration(const Json& value) {
  const auto written = string(value);
  if (!written) return std::nullopt;
  if (const auto parsed = parse_duration(*written)) return *parsed;
  refuse(fmt::format("is \"{}\" but must be a time such as 250ms or 10s", escape_text(*written, kWordShownBytesMax)));
  return std::nullopt;
}

void JsonReader::refuse_word(std::string_view word, std::string_view words) {
  refuse(fmt::format("is \"{}\" but can be {}", escape_text(word, kWordShownBytesMax), words));
}

}  // namespace petri
