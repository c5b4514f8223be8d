// One JSON object and its fields, each asked for by name and type. Throws BadLine when a field is not what it should
// be.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/records_parse.h"
#include "petri/value.h"

namespace petri {

class JsonFields {
 public:
  // Keeps a reference to the object.
  explicit JsonFields(const nlohmann::json& object);
  // Within the bounds of a line.
  static nlohmann::json parse(std::string_view text, const RecordsBounds& bounds = {});

  const nlohmann::json* find(std::string_view name) const;
  const nlohmann::json& get(std::string_view name) const;

  std::uint64_t number(std::string_view name) const;
  std::optional<std::uint64_t> number_if(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::optional<std::string> text_if(std::string_view name) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::optional<Digest> digest_if(std::string_view name) const;
  std::optional<std::vector<std::uint8_t>> bytes_if(std::string_view name) const;

  // A field that is not known is refused: what is not understood cannot be verified.
  void check_names(std::span<const std::string_view> known) const;

 private:
  const nlohmann::json& object_;
};

std::uint64_t to_number(const nlohmann::json& value, std::string_view name);
std::string text_of(const nlohmann::json& value, std::string_view name);
Digest to_digest(const nlohmann::json& value, std::string_view name);
// A number of this type, or the string that stands for what JSON has no number for.
Value to_value(const nlohmann::json& value, ValueType type, std::string_view name);
const nlohmann::json::array_t& to_list(const nlohmann::json& value, std::string_view name);

// The enumerator of this name, among the first `count`.
template <typename Enum>
Enum to_enum(std::string_view text, std::size_t count, std::string_view name) {
  for (std::size_t index = 0; index < count; ++index) {
    if (name_of(static_cast<Enum>(index)) == text) return static_cast<Enum>(index);
  }
  throw BadLine{.field = std::string(name), .what = "its \"" + std::string(name) + "\" has an unknown name"};
}

}  // namespace petri
