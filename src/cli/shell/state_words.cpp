#include "cli/shell/state_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "cli/nearest.h"
#include "cli/shell/text_table.h"
#include "petri/value.h"
#include "state/state_number.h"

namespace petri::cli {
namespace {

constexpr std::size_t kValueBytesMax = 120;
constexpr std::size_t kElementsShown = 8;
constexpr std::size_t kFieldsShown = 6;

std::unexpected<Error> refuse(std::string message) { return fail(ErrorCode::validation_failed, std::move(message)); }

// "scores[1]=2.5" in its parts.
struct Assignment {
  std::string_view name;
  std::optional<std::string_view> index;
  std::string_view value;
};

// A field's name may have any characters, so brackets count only at its end and where no field has the whole name.
Result<Assignment> parse_assignment(const std::string& word, const StateSchema& schema) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    return refuse(fmt::format("{} is not of the form FIELD=VALUE", in_quotes(word)));
  }
  const std::string_view all = word;
  Assignment parts{.name = all.substr(0, equals), .index = {}, .value = all.substr(equals + 1)};
  const std::size_t bracket = parts.name.rfind('[');
  if (schema.find(parts.name) || !parts.name.ends_with(']') || bracket == std::string_view::npos) return parts;
  parts.index = parts.name.substr(bracket + 1, parts.name.size() - bracket - 2);
  parts.name = parts.name.substr(0, bracket);
  return parts;
}

template <typename Number>
std::optional<Number> parse_integer(std::string_view text) {
  Number number{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_block(StateType type) { return type == StateType::bytes || type == StateType::text; }

Result<const StateField*> field_named(std::string_view name, const StateSchema& schema) {
  if (const auto found = schema.find(name)) return &schema.fields()[*found];
  std::vector<std::string_view> names;
  for (const StateField& field : schema.fields()) names.push_back(field.name);
  return refuse(fmt::format("the state has no field {}{}", in_quotes(name), did_you_mean(name, names)));
}

Result<std::uint32_t> index_of(const Assignment& parts, const StateField& field) {
  const bool list = field.count > 1 && !is_block(field.type);
  if (!parts.index && list) {
    return refuse(fmt::format("{} is {}: say which element, {}[0]=VALUE", in_quotes(field.name), type_text(field),
                              escape_text(field.name, kWordShownBytesMax)));
  }
  if (!parts.index) return 0;
  const auto index = parse_integer<std::uint32_t>(*parts.index);
  if (!index) return refuse(fmt::format("{}[{}] has no number in its brackets", field.name, escape_text(*parts.index)));
  return *index;
}

std::optional<StateValue> value_of(StateType type, std::string_view text) {
  switch (type) {
    case StateType::text: return std::string(text);
    case StateType::bytes:
      if (const auto bytes = from_hex(text)) return std::string(bytes->begin(), bytes->end());
      return std::nullopt;
    case StateType::f32:
      if (const auto value = parse_value(text, ValueType::f32)) return value->f32();
      return std::nullopt;
    case StateType::f64:
      if (const auto value = parse_value(text, ValueType::f64)) return value->f64();
      return std::nullopt;
    case StateType::boolean:
      if (text == "true" || text == "1") return std::uint64_t{1};
      if (text == "false" || text == "0") return std::uint64_t{0};
      return std::nullopt;
    default:
      if (const auto number = parse_integer<std::int64_t>(text)) return *number;
      if (const auto number = parse_integer<std::uint64_t>(text)) return *number;
      return std::nullopt;
  }
}

Result<StateUpdate> parse_update(const std::string& word, const StateSchema& schema) {
  PETRI_TRY(const Assignment parts, parse_assignment(word, schema));
  PETRI_TRY(const StateField* field, field_named(parts.name, schema));
  PETRI_TRY(const std::uint32_t index, index_of(parts, *field));
  auto value = value_of(field->type, parts.value);
  if (!value) {
    return refuse(fmt::format("{} is {} and {} is no such value", in_quotes(field->name), type_text(*field),
                              in_quotes(parts.value)));
  }
  return StateUpdate{.name = field->name, .value = std::move(*value), .index = index};
}

std::string value_text(const StateField& field, const StateValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (field.type == StateType::text) return fmt::format("\"{}\"", escape_text(*text, kValueBytesMax));
    const std::string_view cut = std::string_view(*text).substr(0, kValueBytesMax / 2);
    const std::string hex = to_hex(as_bytes(cut));
    return hex + (cut.size() < text->size() ? "…" : "");
  }
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (field.type == StateType::boolean && number != nullptr) return *number == 0 ? "false" : "true";
  return std::visit(
      [](const auto& held) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return held;
        } else {
          return petri::to_text(StateNumber(held));
        }
      },
      value);
}

std::string values_text(const StateEntry& entry) {
  std::string text;
  const std::size_t count = std::min(entry.values.size(), kElementsShown);
  for (std::size_t i = 0; i < count; ++i)
    text.append(text.empty() ? "" : ", ").append(value_text(entry.field, entry.values[i]));
  return text + (count < entry.values.size() ? ", …" : "");
}

}  // namespace

Result<std::vector<StateUpdate>> parse_state_updates(const std::vector<std::string>& words,
                                                     const StateDocument& document) {
  std::vector<StateUpdate> updates;
  for (const std::string& word : words) {
    PETRI_TRY(updates.emplace_back(), parse_update(word, document.schema()));
  }
  return updates;
}

std::string to_text(const StateDocument& document) {
  std::vector<std::vector<std::string>> rows{{"field", "type", "value"}};
  for (const StateEntry& entry : document.entries()) {
    rows.push_back({escape_text(entry.field.name), type_text(entry.field), values_text(entry)});
  }
  return rows.size() == 1 ? "no state is described\n" : text_table(rows);
}

std::string fields_text(const std::vector<StateField>& fields) {
  std::string text;
  const std::size_t count = std::min(fields.size(), kFieldsShown);
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", escape_text(fields[i].name), type_text(fields[i]));
  }
  if (count < fields.size()) text += fmt::format(" and {} more", fields.size() - count);
  return text.empty() ? "none" : text;
}

}  // namespace petri::cli
