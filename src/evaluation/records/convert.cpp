#include <fmt/format.h>

#include <filesystem>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "evaluation/records/packed.h"
#include "evaluation/records/writer.h"

namespace petri {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 20;

// The lines of one file into the other, up to the end or to where it is cut off.
Result<void> copy_lines(RecordsReader& reader, RecordsWriter& writer) {
  const AppendRecord append = append_record_in(RecordsWriterAccess::form(writer));
  std::string lines;
  std::size_t next_row = 0;
  for (;;) {
    const auto stored = reader.next();
    if (!stored && !reader.is_cut_off()) return fail(stored.error());
    const bool at_end = !stored || !*stored;
    if (!at_end) {
      const std::size_t row = (*stored)->record.row;
      const std::size_t before = lines.size();
      append_stored(append, lines, **stored, row - next_row);
      if (lines.size() - before > kRecordsLineBytesMax) {
        return fail(ErrorCode::too_large,
                    fmt::format("the record of row {} takes {} in this form, and {} are allowed", row,
                                format_bytes(lines.size() - before), format_bytes(kRecordsLineBytesMax)));
      }
      next_row = row + 1;
    }
    if (!lines.empty() && (at_end || lines.size() >= kWriteBytes)) {
      PETRI_TRY(RecordsWriterAccess::append(writer, lines));
      lines.clear();
    }
    if (at_end) return {};
  }
}

}  // namespace

Result<RecordsConversion> convert_records(const std::string& from, const std::string& to,
                                          std::optional<RecordsForm> form) {
  PETRI_TRY(const auto reader, RecordsReader::open(from));
  std::error_code none;
  if (std::filesystem::equivalent(from, to, none)) {
    return fail(ErrorCode::validation_failed, fmt::format("{}: this is the file that is read; name another to write to",
                                                          escape_text(to, kPathShownBytesMax)));
  }
  PETRI_TRY(const auto writer, RecordsWriter::create(to, form));
  PETRI_TRY(RecordsWriterAccess::begin(*writer, reader->header()));
  PETRI_TRY(copy_lines(*reader, *writer));
  RecordsConversion conversion{.records = writer->records(), .complete = reader->ending().has_value()};
  if (!conversion.complete) return conversion;
  if (*reader->ending() != reader->expected_ending()) {
    return fail(ErrorCode::validation_failed,
                fmt::format("{}: the final line does not fit the lines before it; petri verify tells more",
                            escape_text(from, kPathShownBytesMax)));
  }
  PETRI_TRY(writer->close(reader->ending()->cancelled));
  return conversion;
}

}  // namespace petri
