#include "evaluation/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/bounded_json.h"
#include "base/escape.h"
#include "base/hex.h"
#include "evaluation/base64.h"

namespace petri {
namespace {

using nlohmann::json;

constexpr std::size_t kLineDepthMax = 8;

[[noreturn]] void refuse(std::string_view name, std::string_view must_be) {
  throw BadLine{.field = std::string(name), .what = fmt::format("its \"{}\" is not {}", name, must_be)};
}

std::int64_t to_signed(const json& value, std::string_view name, std::int64_t min, std::int64_t max) {
  const bool large = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(max);
  if (!value.is_number_integer() || large) refuse(name, "a whole number that fits");
  const auto number = value.get<std::int64_t>();
  if (number < min || number > max) refuse(name, "a whole number that fits");
  return number;
}

template <typename Float>
Value to_float(const json& value, ValueType type, std::string_view name) {
  if (value.is_number()) return Value(static_cast<Float>(value.get<double>()));
  if (!value.is_string()) refuse(name, "a number");
  auto parsed = parse_value(value.get_ref<const std::string&>(), type);
  if (!parsed) refuse(name, "a number");
  return *parsed;
}

}  // namespace

std::uint64_t to_number(const json& value, std::string_view name) {
  if (!value.is_number_unsigned()) refuse(name, "a whole number from 0 on");
  return value.get<std::uint64_t>();
}

std::string text_of(const json& value, std::string_view name) {
  if (!value.is_string()) refuse(name, "a text");
  return value.get<std::string>();
}

Digest to_digest(const json& value, std::string_view name) {
  const auto bytes = from_hex(text_of(value, name));
  Digest digest;
  if (!bytes || bytes->size() != digest.size()) refuse(name, "64 hexadecimal digits");
  std::ranges::copy(*bytes, digest.begin());
  return digest;
}

Value to_value(const json& value, ValueType type, std::string_view name) {
  using std::numeric_limits;
  switch (type) {
    case ValueType::i32:
      return Value(static_cast<std::int32_t>(
          to_signed(value, name, numeric_limits<std::int32_t>::min(), numeric_limits<std::int32_t>::max())));
    case ValueType::i64:
      return Value(to_signed(value, name, numeric_limits<std::int64_t>::min(), numeric_limits<std::int64_t>::max()));
    case ValueType::f32: return to_float<float>(value, type, name);
    case ValueType::f64: return to_float<double>(value, type, name);
    default: refuse(name, "of a type numbers have");
  }
}

const json::array_t& to_list(const json& value, std::string_view name) {
  if (!value.is_array()) refuse(name, "a list");
  return value.get_ref<const json::array_t&>();
}

JsonFields::JsonFields(const json& object) : object_(object) {
  if (!object.is_object()) throw BadLine{.what = "it is not a JSON object"};
}

json JsonFields::parse(std::string_view text, const RecordsBounds& bounds) {
  auto parsed = parse_json(
      text, {.bytes_max = kRecordsLineBytesMax, .depth_max = kLineDepthMax, .values_max = bounds.values_max});
  if (parsed) return *std::move(parsed);
  const JsonFault& fault = parsed.error();
  const bool syntax = fault.kind == JsonFaultKind::syntax;  // which line it is stands before this
  throw BadLine{.code = fault.code(), .what = syntax ? "it is not JSON" : "it " + fault.why};
}

const json* JsonFields::find(std::string_view name) const {
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

const json& JsonFields::get(std::string_view name) const {
  const json* const found = find(name);
  if (found == nullptr) throw BadLine{.field = std::string(name), .what = fmt::format("it has no \"{}\"", name)};
  return *found;
}

std::uint64_t JsonFields::number(std::string_view name) const { return to_number(get(name), name); }

std::optional<std::uint64_t> JsonFields::number_if(std::string_view name) const {
  if (find(name) == nullptr) return std::nullopt;
  return number(name);
}

std::string JsonFields::text(std::string_view name) const { return text_of(get(name), name); }

std::optional<std::string> JsonFields::text_if(std::string_view name) const {
  if (find(name) == nullptr) return std::nullopt;
  return text(name);
}

bool JsonFields::flag(std::string_view name, bool otherwise) const {
  const json* const found = find(name);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) refuse(name, "true or false");
  return found->get<bool>();
}

std::optional<Digest> JsonFields::digest_if(std::string_view name) const {
  const json* const found = find(name);
  if (found == nullptr) return std::nullopt;
  return to_digest(*found, name);
}

std::optional<std::vector<std::uint8_t>> JsonFields::bytes_if(std::string_view name) const {
  const json* const found = find(name);
  if (found == nullptr) return std::nullopt;
  auto bytes = read_base64(text_of(*found, name));
  if (!bytes) refuse(name, "base64");
  return bytes;
}

void JsonFields::check_names(std::span<const std::string_view> known) const {
  for (const auto& [name, value] : object_.items()) {
    if (std::ranges::find(known, name) == known.end()) {
      throw BadLine{
          .what = fmt::format("it has an unknown field \"{}\", which a newer petri may know", escape_text(name, 80))};
    }
  }
}

}  // namespace petri
