#include "evaluation/candidate/receipt.h"

#include <algorithm>
#include <bit>

#include "base/text/byte_text.h"
#include "engine/sha256.h"

namespace petri {
namespace {

// The byte for a missing value; no enumerator is 255.
constexpr std::uint8_t kNone = 255;

template <typename Enum>
void add_enum(CanonicalBytes& bytes, const std::optional<Enum>& value) {
  bytes.u8(value ? static_cast<std::uint8_t>(*value) : kNone);
}

template <typename Enum>
std::optional<Enum> take_enum(CanonicalReader& reader) {
  const std::uint8_t value = reader.u8();
  if (value == kNone) return std::nullopt;
  return static_cast<Enum>(value);
}

}  // namespace

void add_result(CanonicalBytes& bytes, const Record& record) {
  static_assert(sizeof(OutcomeKind) == 1 && sizeof(ValueType) == 1);
  bytes.u8(record.artifact ? 1 : 0);
  if (record.artifact) bytes.digest(*record.artifact);
  add_enum(bytes, record.outcome);
  add_enum(bytes, record.trap);
  bytes.u8(record.exit_code ? 1 : 0);
  bytes.u32(static_cast<std::uint32_t>(record.exit_code.value_or(0)));
  add_enum(bytes, record.error);
  bytes.u8(record.first_failure ? 1 : 0);
  bytes.u64(record.first_failure.value_or(0));
  bytes.list(std::span(record.value_types));
  bytes.list(std::span(record.value_bits));
  bytes.list(std::span(record.kinds));
  bytes.u8(record.output ? 1 : 0);
  if (record.output) bytes.digest(*record.output);
  bytes.u64(record.fuel_used);
  bytes.u64(record.memory_peak_bytes);
}

bool has_more(const Record& record) {
  return !record.wrong.empty() || !record.metrics.empty() || !record.outputs.empty();
}

void add_more(CanonicalBytes& bytes, const Record& record) {
  bytes.list(std::span(record.wrong));
  bytes.list(std::span(record.metrics));
  bytes.u64(record.outputs.size());
  for (const KeptOutput& output : record.outputs) {
    bytes.text(output.text);
    bytes.u64(output.bytes);
  }
}

void take_more(CanonicalReader& reader, Record& record) {
  reader.list(record.wrong);
  reader.list(record.metrics);
  const std::uint64_t outputs = std::min<std::uint64_t>(reader.u64(), record.kinds.size());
  for (std::uint64_t index = 0; index < outputs && !reader.had_too_few(); ++index) {
    std::string text(reader.text());
    record.outputs.push_back({.text = std::move(text), .bytes = reader.u64()});
  }
}

bool can_have_receipt(const Record& record) { return record.repeatable && record.artifact.has_value(); }

Sha256 receipt_of(const Record& record, const Sha256& spec, CanonicalBytes& buffer) {
  buffer.clear();
  buffer.text("petri receipt 1");
  buffer.digest(spec);
  add_result(buffer, record);
  buffer.u8(record.score ? 1 : 0);
  buffer.u64(std::bit_cast<std::uint64_t>(record.score.value_or(0)));
  if (has_more(record)) add_more(buffer, record);
  return sha256(buffer.bytes());
}

Sha256 receipt_of(const Record& record, const Sha256& spec) {
  CanonicalBytes buffer;
  return receipt_of(record, spec, buffer);
}

std::string_view pack_result(const Record& record, CanonicalBytes& buffer) {
  buffer.clear();
  add_result(buffer, record);
  buffer.text(record.message);
  if (has_more(record)) add_more(buffer, record);
  return buffer.view();
}

Record take_result(CanonicalReader& reader) {
  Record record;
  if (reader.u8() != 0) reader.digest(record.artifact.emplace());
  record.outcome = take_enum<OutcomeKind>(reader);
  record.trap = take_enum<TrapCode>(reader);
  const bool has_exit_code = reader.u8() != 0;
  const auto exit_code = static_cast<std::int32_t>(reader.u32());
  if (has_exit_code) record.exit_code = exit_code;
  record.error = take_enum<ErrorCode>(reader);
  const bool has_first_failure = reader.u8() != 0;
  const std::uint64_t first_failure = reader.u64();
  if (has_first_failure) record.first_failure = first_failure;
  reader.list(record.value_types);
  reader.list(record.value_bits);
  reader.list(record.kinds);
  if (reader.u8() != 0) reader.digest(record.output.emplace());
  record.fuel_used = reader.u64();
  record.memory_peak_bytes = reader.u64();
  return record;
}

Record unpack_result(std::string_view packed) {
  CanonicalReader reader(packed);
  Record record = take_result(reader);
  record.message = reader.text();
  if (!reader.is_whole()) take_more(reader, record);
  return record;
}

}  // namespace petri
