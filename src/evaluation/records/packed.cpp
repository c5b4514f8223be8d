#include "evaluation/records/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "evaluation/candidate/receipt.h"

namespace petri {
namespace {

// The first byte of a line. JSON starts with a brace, so the first and the final line of a file are recognised by it.
constexpr std::uint8_t kPackedRecord = 1;
constexpr std::uint8_t kPackedRecordWithMore = 2;  // add_more() follows the results

// Flags for the optional parts of a line.
enum Part : std::uint8_t {
  kCancelledBefore = 1 << 0,
  kRepeats = 1 << 1,
  kScore = 1 << 2,
  kReceipt = 1 << 3,
  kNotRepeatable = 1 << 4,
  kOrigin = 1 << 5,
  kWasm = 1 << 6,
  kWat = 1 << 7,
};

std::uint8_t parts_of(const Record& record, const LinePlace& place, const CandidateContent& content,
                      const Origin* origin) {
  std::uint8_t parts = 0;
  const auto add = [&parts](bool is_there, Part part) {
    if (is_there) parts |= part;
  };
  add(place.cancelled_before > 0, kCancelledBefore);
  add(record.repeats_row.has_value(), kRepeats);
  add(record.outcome && record.score, kScore);
  add(record.receipt.has_value(), kReceipt);
  add(!record.repeatable, kNotRepeatable);
  add(origin != nullptr && *origin != Origin{}, kOrigin);
  add(content.wasm.has_value(), kWasm);
  add(content.wat.has_value(), kWat);
  return parts;
}

void add_origin(CanonicalBytes& bytes, const Origin& origin) {
  bytes.text(origin.name);
  bytes.u8(origin.generation ? 1 : 0);
  bytes.u64(origin.generation.value_or(0));
  bytes.text(origin.mutation);
  bytes.list(std::span(origin.parents));
}

// A line of a candidate that could not be run says no more of it, as one of JSON does not.
Record without_results(const Record& record) {
  Record refused;
  refused.artifact = record.artifact;
  refused.error = record.error;
  return refused;
}

Origin take_origin(CanonicalReader& reader) {
  Origin origin{.name = std::string(reader.text())};
  const bool has_generation = reader.u8() != 0;
  const std::uint64_t generation = reader.u64();
  if (has_generation) origin.generation = generation;
  origin.mutation = reader.text();
  reader.list(origin.parents);
  return origin;
}

bool has_results(const Record& record) {
  CanonicalBytes all, none;
  add_result(all, record);
  add_result(none, without_results(record));
  return all.view() != none.view();
}

BadLine bad(std::string field, std::string what) { return {.field = std::move(field), .what = std::move(what)}; }

template <typename Enum>
bool is_known(const std::optional<Enum>& value, std::size_t count) {
  return !value || static_cast<std::size_t>(*value) < count;
}

void check_values(const Record& record) {
  const std::size_t each = record.values_per_case();
  if (record.value_bits.size() != record.kinds.size() * each)
    throw bad("values", "it has another number of \"values\" than its cases give");
  for (std::size_t index = 0; index < record.value_bits.size(); ++index) {
    const std::uint64_t bits = record.value_bits[index];
    const bool is_ok = record.kinds[index / each] == OutcomeKind::ok;
    const std::uint64_t expected = is_ok ? Value::from_bits(record.value_types[index % each], bits).bits() : 0;
    if (bits != expected) throw bad("values", "its \"values\" do not fit its \"kinds\"");
  }
}

void check_record(const Record& record, const RecordsHeader& header) {
  if (record.error.has_value() == record.outcome.has_value())
    throw bad("outcome", "it must have an \"outcome\" or an \"error\"");
  if (!is_known(record.outcome, kOutcomeKinds)) throw bad("outcome", "its \"outcome\" has an unknown name");
  if (!is_known(record.trap, kTrapCodes)) throw bad("trap", "its \"trap\" has an unknown name");
  if (!is_known(record.error, kErrorCodes)) throw bad("error", "its \"error\" has an unknown name");
  for (const OutcomeKind kind : record.kinds) {
    if (!is_known(std::optional(kind), kOutcomeKinds)) throw bad("kinds", "its \"kinds\" has an unknown name");
  }
  for (const ValueType type : record.value_types) {
    if (!is_known(std::optional(type), kValueTypes)) throw bad("types", "its \"types\" has an unknown name");
  }
  if (record.kinds.size() > header.cases.size()) throw bad("cases", "its \"cases\" are more than the first line has");
  check_values(record);
  if (record.error && (has_results(record) || has_more(record)))
    throw bad("error", "it has results beside its \"error\"");
}

ParsedRecord unpacked(std::string_view line, const RecordsHeader& header) {
  CanonicalReader reader(line);
  const std::uint8_t kind = reader.u8();
  if (kind != kPackedRecord && kind != kPackedRecordWithMore) throw BadLine{.what = "it is no record"};
  const std::uint8_t parts = reader.u8();
  ParsedRecord parsed;
  const std::uint64_t row = reader.u64();
  if ((parts & kCancelledBefore) != 0) parsed.cancelled_before = reader.u64();
  const std::uint64_t repeats = (parts & kRepeats) != 0 ? reader.u64() : 0;
  Record& record = parsed.stored.record;
  record = take_result(reader);
  if (kind == kPackedRecordWithMore) take_more(reader, record);
  check_record(record, header);
  if (record.error) record.message = reader.text();
  record.row = row;
  if ((parts & kRepeats) != 0) record.repeats_row = repeats;
  if ((parts & kScore) != 0) record.score = std::bit_cast<double>(reader.u64());
  if ((parts & kReceipt) != 0) reader.digest(record.receipt.emplace());
  record.repeatable = (parts & kNotRepeatable) == 0;
  if ((parts & kOrigin) != 0) parsed.stored.origin = take_origin(reader);
  if ((parts & kWasm) != 0) reader.list(parsed.stored.wasm.emplace());
  if ((parts & kWat) != 0) parsed.stored.wat = reader.text();
  if (!reader.is_whole()) throw BadLine{.what = "its parts do not fill it"};
  if (record.score && record.error) throw bad("score", "it has a \"score\" beside its \"error\"");
  return parsed;
}

void check_bounds(const StoredRecord& stored, const RecordsBounds& bounds) {
  const std::size_t values = stored.record.kinds.size() + stored.record.value_bits.size() + stored.record.wrong.size() +
                             stored.record.metrics.size() + stored.record.outputs.size() +
                             (stored.origin ? stored.origin->parents.size() : 0);
  if (values > bounds.values_max)
    throw BadLine{.code = ErrorCode::too_large, .what = fmt::format("it has more than {} values", bounds.values_max)};
}

// A line says each thing in one way: what was changed where nothing reads it would otherwise pass.
std::string packed_again(const ParsedRecord& parsed) {
  std::string line;
  append_stored(pack_record, line, parsed.stored, parsed.cancelled_before);
  return line.substr(kLengthBytes);
}

}  // namespace

AppendRecord append_record_in(RecordsForm form) { return form == RecordsForm::compact ? pack_record : append_record; }

void append_stored(AppendRecord append, std::string& out, const StoredRecord& stored, std::size_t cancelled_before) {
  CandidateContent content;
  if (stored.wasm) content.wasm = *stored.wasm;
  if (stored.wat) content.wat = *stored.wat;
  append(out, stored.record, {.cancelled_before = cancelled_before}, content,
         stored.origin ? &*stored.origin : nullptr);
}

RecordsForm records_form_of(std::string_view path) {
  return path.ends_with(".records") ? RecordsForm::compact : RecordsForm::json_lines;
}

std::string compact_signature() {
  std::string line;
  append_framed_line(line, "petri records");
  return line;
}

void pack_record(std::string& out, const Record& record, const LinePlace& place, const CandidateContent& content,
                 const Origin* origin) {
  const std::size_t line_start = begin_framed_line(out);
  CanonicalBytes bytes(std::move(out));
  const bool more = record.outcome && has_more(record);
  bytes.u8(more ? kPackedRecordWithMore : kPackedRecord);
  const std::uint8_t parts = parts_of(record, place, content, origin);
  bytes.u8(parts);
  bytes.u64(place.row_base + record.row);
  if ((parts & kCancelledBefore) != 0) bytes.u64(place.cancelled_before);
  if ((parts & kRepeats) != 0) bytes.u64(place.row_base + *record.repeats_row);
  if (record.outcome) {
    add_result(bytes, record);
    if (more) add_more(bytes, record);
  } else {
    add_result(bytes, without_results(record));
    bytes.text(record.message);
  }
  if ((parts & kScore) != 0) bytes.u64(std::bit_cast<std::uint64_t>(*record.score));
  if ((parts & kReceipt) != 0) bytes.digest(*record.receipt);
  if ((parts & kOrigin) != 0) add_origin(bytes, *origin);
  if ((parts & kWasm) != 0) bytes.list(*content.wasm);
  if ((parts & kWat) != 0) bytes.text(*content.wat);
  out = std::move(bytes).take();
  end_framed_line(out, line_start);
}

LineResult<ParsedRecord> unpack_record(std::string_view line, const RecordsHeader& header,
                                       const RecordsBounds& bounds) {
  try {
    ParsedRecord parsed = unpacked(line, header);
    check_bounds(parsed.stored, bounds);
    if (packed_again(parsed) != line) throw BadLine{.what = "it is not as petri writes what it says"};
    return parsed;
  } catch (BadLine& bad) {
    return std::unexpected(std::move(bad));
  }
}

}  // namespace petri
