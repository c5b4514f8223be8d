// Records as lines of bytes, as compact files have them: what records_json.h writes as text, in a third of the time.
#pragma once

#include <string>
#include <string_view>

#include "base/files/line_file.h"
#include "evaluation/records/lines.h"
#include "evaluation/records/parse.h"

namespace petri {

constexpr Framing framing_of(RecordsForm form) {
  return form == RecordsForm::compact ? Framing::lengths : Framing::line_ends;
}
// Lines before the first record.
constexpr std::size_t header_lines_of(RecordsForm form) { return form == RecordsForm::compact ? 2 : 1; }
// The line that a compact file starts with, and no file of JSON.
std::string compact_signature();

// Appends one line behind its length.
void pack_record(std::string& out, const Record& record, const LinePlace& place, const CandidateContent& content,
                 const Origin* origin);
// How records are appended to a file of this form.
using AppendRecord = decltype(&append_record);
AppendRecord append_record_in(RecordsForm form);
// One that was read, as it stood.
void append_stored(AppendRecord append, std::string& out, const StoredRecord& stored, std::size_t cancelled_before = 0);

// Parses a line that may come from anywhere. It must be, to the byte, what pack_record() writes for the same record;
// too_large when it has more values than the bounds allow.
LineResult<ParsedRecord> unpack_record(std::string_view line, const RecordsHeader& header,
                                       const RecordsBounds& bounds = {});

}  // namespace petri
