#include "state/state_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "state/state_block.h"
#include "state/state_complaints.h"
#include "state/state_table.h"
#include "state/state_type.h"

namespace petri {
namespace {

constexpr std::string_view kGlobalPrefix = "state.";

std::optional<StateType> type_of(ValueType type) {
  switch (type) {
    case ValueType::i32: return StateType::i32;
    case ValueType::i64: return StateType::i64;
    case ValueType::f32: return StateType::f32;
    case ValueType::f64: return StateType::f64;
    case ValueType::funcref:
    case ValueType::externref: return std::nullopt;
  }
  return std::nullopt;
}

// A field with where it was found.
struct FoundField {
  StateField field;
  MemoryPieces pieces;
  std::optional<std::size_t> global;
};

std::string field_name(const StateGlobal& global) { return global.name.substr(kGlobalPrefix.size()); }

void find_global(const StateGlobal& global, std::size_t index, std::vector<FoundField>& found, Complaints& complaints) {
  const std::string name = field_name(global);
  const auto type = type_of(global.value.type());
  if (!type) {
    complain(complaints, name,
             fmt::format("{} is a global of type {}, and state is made of numbers", shown_name(name),
                         name_of(global.value.type())));
    return;
  }
  found.push_back({.field = {.name = name, .type = *type}, .pieces = {}, .global = index});
}

std::vector<FoundField> find_fields(const StateSource& source, Complaints& complaints) {
  std::vector<FoundField> found;
  if (source.table) {
    for (DescribedField& described : read_state_table(source.memory, *source.table, complaints))
      found.push_back({.field = std::move(described.field), .pieces = described.pieces, .global = {}});
  }
  std::map<std::uint32_t, const StateGlobal*> named;  // by index
  for (std::size_t i = 0; i < source.globals.size(); ++i) {
    const StateGlobal& global = source.globals[i];
    if (!global.name.starts_with(kGlobalPrefix)) continue;
    if (global.index) {
      const auto [at, is_new] = named.try_emplace(*global.index, &global);
      if (!is_new) {
        const std::string name = field_name(global);
        complain(complaints, name,
                 fmt::format("{} and {} are one global", shown_name(field_name(*at->second)), shown_name(name)));
        continue;
      }
    }
    find_global(global, i, found, complaints);
  }
  std::ranges::sort(found, {}, [](const FoundField& one) -> const std::string& { return one.field.name; });
  return found;
}

// From the first element to the next one, `count` times: all at once where there are no gaps.
void copy_elements(const std::uint8_t* from, std::uint64_t from_stride, std::uint8_t* to, std::uint64_t to_stride,
                   const StateField& field) {
  const std::uint64_t size = rule_of(field.type).bytes;
  if (from_stride == size && to_stride == size) {
    std::memcpy(to, from, bytes_of(field));
    return;
  }
  for (std::uint64_t i = 0; i < field.count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, size);
}

}  // namespace

Result<StateLayout> StateLayout::read(const StateSource& source, std::uint64_t state_bytes_max) {
  Complaints complaints;
  const std::vector<FoundField> found = find_fields(source, complaints);
  std::vector<StateField> fields;
  fields.reserve(found.size());
  for (const FoundField& one : found) fields.push_back(one.field);
  check_state_fields(fields, complaints);
  PETRI_TRY(complaints.result(ErrorCode::state_incompatible, "the state the module describes cannot be used"));
  PETRI_TRY(StateSchema schema, StateSchema::create(std::move(fields), state_bytes_max));

  StateLayout layout;
  layout.schema_ = std::make_shared<const StateSchema>(std::move(schema));
  for (const FoundField& one : found) {
    layout.places_.push_back({.address = one.pieces.address, .stride = one.pieces.stride, .global = one.global});
    if (!one.global) layout.memory_bytes_min_ = std::max(layout.memory_bytes_min_, one.pieces.end());
  }
  return layout;
}

Result<void> StateLayout::check(std::uint64_t memory_bytes, std::span<const StateGlobal> globals) const {
  Complaints complaints;
  if (memory_bytes < memory_bytes_min_) complain(complaints, {}, "the memory is smaller than the table says");
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const StateField& field = schema_->fields()[i];
    const auto& place = places_[i];
    if (!place.global) continue;
    const bool same = *place.global < globals.size() && type_of(globals[*place.global].value.type()) == field.type;
    if (!same) complain(complaints, field.name, fmt::format("there is no global for {}", shown_name(field.name)));
  }
  return complaints.result(ErrorCode::state_incompatible, "the state is not where the module describes it");
}

Result<StateDocument> StateLayout::capture(std::span<const std::uint8_t> memory,
                                           std::span<const StateGlobal> globals) const {
  PETRI_TRY(check(memory.size(), globals));
  std::vector<std::uint8_t> bytes(schema_->bytes());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const StateField& field = schema_->fields()[i];
    const auto block = std::span(bytes).subspan(schema_->offset(i), bytes_of(field));
    if (places_[i].global) {
      const std::uint64_t bits = globals[*places_[i].global].value.bits();
      std::memcpy(block.data(), &bits, block.size());
    } else {
      copy_elements(memory.data() + places_[i].address, places_[i].stride, block.data(), rule_of(field.type).bytes,
                    field);
    }
    if (field.type == StateType::text) clear_behind_text(block);
  }
  return StateDocument::from_bytes(schema_, std::move(bytes));
}

Result<void> StateLayout::restore(const StateDocument& document, std::span<std::uint8_t> memory,
                                  std::span<StateGlobal> globals) const {
  if (!(document.schema() == *schema_))
    return fail(ErrorCode::state_incompatible, "the document has other fields than the module it is written to");
  PETRI_TRY(check(memory.size(), globals));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const StateField& field = schema_->fields()[i];
    const auto block = document.bytes().subspan(schema_->offset(i), bytes_of(field));
    if (places_[i].global) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, block.data(), block.size());
      Value& value = globals[*places_[i].global].value;
      value = Value::from_bits(value.type(), bits);
    } else {
      copy_elements(block.data(), rule_of(field.type).bytes, memory.data() + places_[i].address, places_[i].stride,
                    field);
    }
  }
  return {};
}

}  // namespace petri
