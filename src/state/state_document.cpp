#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "petri/state.h"
#include "state/state_block.h"
#include "state/state_complaints.h"
#include "state/state_number.h"
#include "state/state_type.h"

namespace petri {
namespace {

std::span<const std::uint8_t> block_of(const StateSchema& schema, std::size_t index,
                                       std::span<const std::uint8_t> bytes) {
  return bytes.subspan(schema.offset(index), bytes_of(schema.fields()[index]));
}

std::span<std::uint8_t> block_of(const StateSchema& schema, std::size_t index, std::span<std::uint8_t> bytes) {
  return bytes.subspan(schema.offset(index), bytes_of(schema.fields()[index]));
}

void check_block(const StateField& field, std::span<const std::uint8_t> block, Complaints& complaints) {
  if (field.type == StateType::text && !is_text_block(block)) {
    complain(complaints, field.name, fmt::format("{} is a text and not UTF-8 up to its end", shown_name(field.name)));
  }
  if (field.type != StateType::boolean) return;
  const auto odd = std::ranges::find_if(block, [](std::uint8_t byte) { return byte > 1; });
  if (odd == block.end()) return;
  complain(complaints, field.name, fmt::format("{} holds {}, and a boolean is 0 or 1", shown_name(field.name), *odd));
}

StateValue value_in(const StateField& field, std::span<const std::uint8_t> block, std::uint32_t index) {
  if (field.type == StateType::text) return std::string(text_in(block));
  if (field.type == StateType::bytes) return std::string(block.begin(), block.end());
  const std::uint8_t* element = block.data() + std::size_t{index} * rule_of(field.type).bytes;
  return std::visit([](auto number) { return StateValue(number); }, load_number(field.type, element));
}

// Text may be shorter than its block and bytes may not.
bool put_block(const StateField& field, const std::string& value, std::span<std::uint8_t> block) {
  if (value.size() > block.size()) return false;
  if (field.type == StateType::bytes && value.size() != block.size()) return false;
  if (field.type == StateType::text && value.contains('\0')) return false;
  std::vector<std::uint8_t> filled(value.begin(), value.end());
  filled.resize(block.size());
  if (field.type == StateType::text && !is_text_block(filled)) return false;
  std::ranges::copy(filled, block.begin());
  return true;
}

std::optional<StateNumber> number_in(const StateValue& value) {
  return std::visit(
      [](const auto& held) -> std::optional<StateNumber> {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return std::nullopt;
        } else {
          return StateNumber(held);
        }
      },
      value);
}

bool put_value(const StateField& field, const StateValue& value, std::span<std::uint8_t> block, std::uint32_t index) {
  const auto* text = std::get_if<std::string>(&value);
  if (is_block(field.type) != (text != nullptr)) return false;
  if (text != nullptr) return put_block(field, *text, block);
  std::uint8_t* element = block.data() + std::size_t{index} * rule_of(field.type).bytes;
  return store_number(field.type, *number_in(value), element);
}

std::string value_text(const StateValue& value) {
  const auto number = number_in(value);
  return number ? to_text(*number) : shown_name(std::get<std::string>(value));
}

void put_entry(const StateEntry& entry, std::span<std::uint8_t> block, Complaints& complaints) {
  const StateField& field = entry.field;
  if (entry.values.size() != value_count(field)) {
    complain(
        complaints, field.name,
        fmt::format("{} is {} and was given {} values", shown_name(field.name), type_text(field), entry.values.size()));
    return;
  }
  for (std::uint32_t i = 0; i < entry.values.size(); ++i) {
    if (put_value(field, entry.values[i], block, i)) continue;
    complain(complaints, field.name,
             fmt::format("{} is {} and cannot hold {}", shown_name(field.name), type_text(field),
                         value_text(entry.values[i])));
  }
}

Result<std::size_t> find_element(const StateSchema& schema, std::string_view name, std::uint32_t index) {
  const auto found = schema.find(name);
  if (!found) return fail(ErrorCode::not_found, fmt::format("the state has no field {}", shown_name(name)));
  const std::uint32_t count = value_count(schema.fields()[*found]);
  if (index < count) return *found;
  return fail(ErrorCode::not_found,
              fmt::format("the field {} has {} elements and none of number {}", shown_name(name), count, index));
}

}  // namespace

StateDocument::StateDocument() : schema_(std::make_shared<const StateSchema>()) {}

StateDocument::StateDocument(std::shared_ptr<const StateSchema> schema)
    : schema_(std::move(schema)), bytes_(schema_->bytes()) {}

Result<StateDocument> StateDocument::create(std::span<const StateEntry> entries, std::uint64_t state_bytes_max) {
  std::vector<StateField> fields;
  fields.reserve(entries.size());
  for (const StateEntry& entry : entries) fields.push_back(entry.field);
  PETRI_TRY(StateSchema schema, StateSchema::create(std::move(fields), state_bytes_max));

  StateDocument document(std::make_shared<const StateSchema>(std::move(schema)));
  Complaints complaints;
  for (const StateEntry& entry : entries) {
    const std::size_t index = *document.schema().find(entry.field.name);
    put_entry(entry, block_of(document.schema(), index, std::span(document.bytes_)), complaints);
  }
  PETRI_TRY(complaints.result(ErrorCode::validation_failed, "the state's values do not fit their fields"));
  return document;
}

Result<StateDocument> StateDocument::from_bytes(std::shared_ptr<const StateSchema> schema,
                                                std::vector<std::uint8_t> bytes) {
  if (bytes.size() != schema->bytes()) {
    return fail(ErrorCode::state_incompatible, fmt::format("the state has {} bytes of values where its fields have {}",
                                                           bytes.size(), schema->bytes()));
  }
  StateDocument document;
  document.schema_ = std::move(schema);
  document.bytes_ = std::move(bytes);
  Complaints complaints;
  for (std::size_t i = 0; i < document.schema().fields().size(); ++i) {
    check_block(document.schema().fields()[i], block_of(document.schema(), i, document.bytes()), complaints);
  }
  PETRI_TRY(complaints.result(ErrorCode::state_incompatible, "the state's values are not of their types"));
  return document;
}

std::vector<StateEntry> StateDocument::entries() const {
  std::vector<StateEntry> entries;
  for (std::size_t i = 0; i < schema_->fields().size(); ++i) {
    const StateField& field = schema_->fields()[i];
    StateEntry& entry = entries.emplace_back(StateEntry{.field = field, .values = {}});
    for (std::uint32_t n = 0; n < value_count(field); ++n)
      entry.values.push_back(value_in(field, block_of(*schema_, i, bytes()), n));
  }
  return entries;
}

Result<StateValue> StateDocument::get(std::string_view name, std::uint32_t index) const {
  PETRI_TRY(const std::size_t found, find_element(*schema_, name, index));
  return value_in(schema_->fields()[found], block_of(*schema_, found, bytes()), index);
}

Result<void> StateDocument::set(std::string_view name, const StateValue& value, std::uint32_t index) {
  PETRI_TRY(const std::size_t found, find_element(*schema_, name, index));
  const StateField& field = schema_->fields()[found];
  if (put_value(field, value, block_of(*schema_, found, std::span(bytes_)), index)) return {};
  return fail(ErrorCode::validation_failed, fmt::format("the field {} is {} and cannot hold {}", shown_name(name),
                                                        type_text(field), value_text(value)));
}

}  // namespace petri
