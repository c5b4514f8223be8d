#include "base/json/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri {

std::string JsonReader::where() const {
  if (above_ == nullptr) return root_;
  const std::string outer = above_->where();
  if (name_.data() == nullptr) return fmt::format("{}[{}]", outer, index_);
  return fmt::format("{}{}{}", outer, outer.empty() ? "" : ".", escape_text(name_, kWordShownBytesMax));
}

// A hostile document can have millions of faults: once enough are kept, no more paths are written down.
void JsonReader::complain(std::string_view what) const {
  complaints_.add(complaints_.count() < Complaints::kKeptMax ? where() : std::string(), what);
}

void JsonReader::refuse(std::string_view what) const {
  if (is_there()) complain(what);
}

void JsonReader::refuse_word(std::string_view word, std::string_view words) const {
  refuse(fmt::format("is {} but can be {}", in_quotes(word), words));
}

const JsonReader& JsonReader::required() const {
  if (!is_there()) complain("is missing");
  return *this;
}

bool JsonReader::is_object() const { return is_there() && value_->is_object(); }
bool JsonReader::is_list() const { return is_there() && value_->is_array(); }
bool JsonReader::is_null() const { return is_there() && value_->is_null(); }

JsonReader JsonReader::operator[](std::string_view name) const& {
  if (!is_object()) return JsonReader(nullptr, *this, name);
  const auto found = value_->find(name);
  return JsonReader(found == value_->end() ? nullptr : &*found, *this, name);
}

void JsonReader::members(const std::function<void(const std::string& name, const JsonReader&)>& each) const {
  if (!is_object()) return refuse("is not an object");
  for (const auto& [name, member] : value_->items()) each(name, JsonReader(&member, *this, name));
}

void JsonReader::fields(const Fields& known) const {
  members([&](const std::string& name, const JsonReader& member) {
    if (const auto found = known.find(name); found != known.end()) return found->second(member);
    std::vector<std::string_view> names;
    for (const auto& [field, read] : known) names.push_back(field);
    member.refuse(fmt::format("is no field here (there are {})", fmt::join(names, ", ")));
  });
}

void JsonReader::check_names(std::span<const std::string_view> known) const {
  members([&](const std::string& name, const JsonReader& member) {
    if (std::ranges::find(known, name) != known.end()) return;
    member.refuse(fmt::format("is no field here (there are {})", fmt::join(known, ", ")));
  });
}

void JsonReader::elements(const Read& each, std::string_view noun) const {
  if (!is_there()) return;
  if (!value_->is_array()) return refuse(fmt::format("is not {}", noun));
  for (std::size_t index = 0; index < value_->size(); ++index) each(JsonReader(&(*value_)[index], *this, {}, index));
}

std::size_t JsonReader::size() const { return is_list() ? value_->size() : 0; }

void JsonReader::read(std::vector<std::string>& target) const {
  target.clear();
  elements([&](const JsonReader& one) { target.push_back(one.string().value_or("")); }, "a list of strings");
}

std::optional<std::string> JsonReader::string() const {
  if (is_there() && value_->is_string()) return value_->get<std::string>();
  refuse("is not a string");
  return std::nullopt;
}

std::optional<std::uint64_t> JsonReader::integer(std::uint64_t max) const {
  if (is_there() && value_->is_number_unsigned() && value_->get<std::uint64_t>() <= max)
    return value_->get<std::uint64_t>();
  refuse(fmt::format("is not an integer from 0 to {}", max));
  return std::nullopt;
}

std::optional<std::int64_t> JsonReader::signed_integer(std::int64_t min, std::int64_t max) const {
  if (is_there() && value_->is_number_integer()) {
    const bool fits = value_->is_number_unsigned() ? std::in_range<std::int64_t>(value_->get<std::uint64_t>()) : true;
    const auto number = value_->get<std::int64_t>();
    if (fits && number >= min && number <= max) return number;
  }
  refuse(fmt::format("is not an integer from {} to {}", min, max));
  return std::nullopt;
}

std::optional<bool> JsonReader::boolean() const {
  if (is_there() && value_->is_boolean()) return value_->get<bool>();
  refuse("is neither true nor false");
  return std::nullopt;
}

std::optional<std::uint64_t> JsonReader::bytes() const {
  if (!is_there() || !value_->is_string()) return integer();
  const auto written = value_->get<std::string>();
  if (const auto parsed = parse_bytes(written)) return *parsed;
  refuse(fmt::format("is {} but must be a size such as 65536 or \"64KiB\"", in_quotes(written)));
  return std::nullopt;
}

std::optional<std::chrono::nanoseconds> JsonReader::duration() const {
  const auto written = string();
  if (!written) return std::nullopt;
  if (const auto parsed = parse_duration(*written)) return *parsed;
  refuse(fmt::format("is {} but must be a time such as 250ms or 10s", in_quotes(*written)));
  return std::nullopt;
}

std::optional<std::vector<std::uint8_t>> JsonReader::hex() const {
  const auto written = string();
  auto bytes = written ? from_hex(*written) : std::nullopt;
  if (written && !bytes) refuse("is not an even number of hexadecimal digits");
  return bytes;
}

std::optional<std::vector<std::uint8_t>> JsonReader::base64() const {
  const auto written = string();
  auto bytes = written ? from_base64(*written) : std::nullopt;
  if (written && !bytes) refuse("is not base64");
  return bytes;
}

}  // namespace petri
