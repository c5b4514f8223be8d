#include <fmt/format.h>

#include <algorithm>

#include "base/json/cbor.h"
#include "petri/state.h"
#include "state/state_block.h"
#include "state/state_complaints.h"
#include "state/state_type.h"

// {"state": 1, "fields": [{"name": "count", "type": "i32", "count": 1, "value": 7}, ...]}, keys in the order of CBOR's
// deterministic form, fields in that of their names.
namespace petri {
namespace {

constexpr std::uint64_t kFormat = 1;

std::unexpected<Error> not_a_document() { return fail(ErrorCode::parse_failed, "the bytes are not a state document"); }

void write_element(CborWriter& writer, StateType type, const std::uint8_t* element) {
  if (type == StateType::boolean) return writer.boolean(*element != 0);
  writer.number(load_number(type, element));
}

void write_value(CborWriter& writer, const StateField& field, std::span<const std::uint8_t> block) {
  if (field.type == StateType::text) return writer.text(text_in(block));
  if (field.type == StateType::bytes) return writer.bytes(block);
  if (field.count == 1) return write_element(writer, field.type, block.data());
  writer.head(CborKind::array, field.count);
  const std::size_t size = rule_of(field.type).bytes;
  for (std::size_t i = 0; i < field.count; ++i) write_element(writer, field.type, block.data() + i * size);
}

void write_field(CborWriter& writer, const StateField& field, std::span<const std::uint8_t> block) {
  writer.head(CborKind::map, 4);
  writer.text("name");
  writer.text(field.name);
  writer.text("type");
  writer.text(name_of(field.type));
  writer.text("count");
  writer.head(CborKind::unsigned_integer, field.count);
  writer.text("value");
  write_value(writer, field, block);
}

bool read_element(CborReader& reader, StateType type, std::vector<std::uint8_t>& bytes) {
  const std::size_t place = bytes.size();
  bytes.resize(place + rule_of(type).bytes);
  if (type == StateType::boolean) {
    const auto value = reader.boolean();
    bytes[place] = value.value_or(false) ? 1 : 0;
    return value.has_value();
  }
  const auto number = reader.number();
  return number && store_number(type, *number, &bytes[place]);
}

// Fills the block up to the size of the field only once all fields are known to be allowed.
std::optional<std::vector<std::uint8_t>> read_block(CborReader& reader, StateType type) {
  if (type == StateType::bytes) {
    const auto block = reader.bytes();
    return block ? std::optional(std::vector(block->begin(), block->end())) : std::nullopt;
  }
  const auto text = reader.text();
  return text ? std::optional(std::vector<std::uint8_t>(text->begin(), text->end())) : std::nullopt;
}

std::optional<std::vector<std::uint8_t>> read_value(CborReader& reader, const StateField& field) {
  if (is_block(field.type)) return read_block(reader, field.type);
  if (field.count != 1 && reader.head(CborKind::array) != field.count) return std::nullopt;
  if (field.count > reader.left()) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(bytes_of(field));
  for (std::uint32_t i = 0; i < field.count; ++i) {
    if (!read_element(reader, field.type, bytes)) return std::nullopt;
  }
  return bytes;
}

struct ReadField {
  StateField field;
  std::vector<std::uint8_t> bytes;
};

std::optional<ReadField> read_field(CborReader& reader) {
  ReadField read;
  if (reader.head(CborKind::map) != 4 || reader.text() != "name") return std::nullopt;
  const auto name = reader.text();
  if (!name || reader.text() != "type") return std::nullopt;
  const auto type = reader.text();
  const auto known = type ? state_type_named(*type) : std::nullopt;
  if (!known || reader.text() != "count") return std::nullopt;
  const auto count = reader.head(CborKind::unsigned_integer);
  if (!count || *count > UINT32_MAX || reader.text() != "value") return std::nullopt;
  read.field = {.name = std::string(*name), .type = *known, .count = static_cast<std::uint32_t>(*count)};
  auto bytes = read_value(reader, read.field);
  if (!bytes) return std::nullopt;
  read.bytes = std::move(*bytes);
  return read;
}

Result<std::uint64_t> read_opening(CborReader& reader) {
  if (reader.head(CborKind::map) != 2 || reader.text() != "state") return not_a_document();
  const auto format = reader.head(CborKind::unsigned_integer);
  if (format && *format != kFormat) {
    return fail(ErrorCode::parse_failed,
                fmt::format("the state document has format {} and this petri reads format {}", *format, kFormat));
  }
  const auto fields = format && reader.text() == "fields" ? reader.head(CborKind::array) : std::nullopt;
  if (!fields || *fields > kStateFieldsMax) return not_a_document();
  return *fields;
}

Result<std::vector<ReadField>> read_fields(std::span<const std::uint8_t> cbor) {
  CborReader reader(cbor);
  PETRI_TRY(const std::uint64_t count, read_opening(reader));
  std::vector<ReadField> fields;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto field = read_field(reader);
    if (!field) return not_a_document();
    fields.push_back(std::move(*field));
  }
  if (!reader.at_end()) return not_a_document();
  return fields;
}

Result<StateDocument> assemble(const std::vector<ReadField>& fields, std::uint64_t state_bytes_max) {
  std::vector<StateField> declared;
  declared.reserve(fields.size());
  for (const ReadField& read : fields) declared.push_back(read.field);
  PETRI_TRY(StateSchema schema, StateSchema::create(std::move(declared), state_bytes_max));

  std::vector<std::uint8_t> bytes(schema.bytes());
  for (const ReadField& read : fields) {
    if (read.bytes.size() > bytes_of(read.field)) return not_a_document();
    std::ranges::copy(read.bytes,
                      bytes.begin() + static_cast<std::ptrdiff_t>(schema.offset(*schema.find(read.field.name))));
  }
  return StateDocument::from_bytes(std::make_shared<const StateSchema>(std::move(schema)), std::move(bytes));
}

}  // namespace

std::vector<std::uint8_t> to_cbor(const StateDocument& document) {
  const StateSchema& schema = document.schema();
  std::string out;
  CborWriter writer(out);
  writer.head(CborKind::map, 2);
  writer.text("state");
  writer.head(CborKind::unsigned_integer, kFormat);
  writer.text("fields");
  writer.head(CborKind::array, schema.fields().size());
  for (std::size_t i = 0; i < schema.fields().size(); ++i) {
    const StateField& field = schema.fields()[i];
    write_field(writer, field, document.bytes().subspan(schema.offset(i), bytes_of(field)));
  }
  return {out.begin(), out.end()};
}

// The document that was read is written again and compared, so that no document has a second form.
Result<StateDocument> state_from_cbor(std::span<const std::uint8_t> cbor, std::uint64_t state_bytes_max) {
  PETRI_TRY(std::vector<ReadField> fields, read_fields(cbor));
  PETRI_TRY(StateDocument document, assemble(fields, state_bytes_max));
  if (!std::ranges::equal(to_cbor(document), cbor)) return not_a_document();
  return document;
}

}  // namespace petri
