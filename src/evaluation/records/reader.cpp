#include <fmt/format.h>

#include <algorithm>

#include "base/files/line_file.h"
#include "base/text/escape.h"
#include "engine/sha256.h"
#include "evaluation/records/packed.h"
#include "evaluation/records/parse.h"
#include "petri/records.h"

namespace petri {

struct RecordsReader::Impl {
  std::unique_ptr<LineReader> lines;
  RecordsForm form = RecordsForm::json_lines;
  RecordsBounds bounds;
  RecordsHeader header;
  std::size_t next_row = 0;
  std::size_t records = 0;
  Sha256Hasher hash;  // of the lines that were read, but for the final one
  std::optional<RecordsEnding> ending;
  bool cut_off = false;

  // Every line is a part of the hash, unless it is the final one.
  Result<std::optional<std::string_view>> next_line() {
    auto line = lines->next();
    cut_off = !line && line.error().code == ErrorCode::parse_failed;
    if (line && *line && !is_ending(**line)) hash.add(lines->framed_line());
    return line;
  }

  // A compact file starts with a line that says so.
  Result<void> find_form() {
    PETRI_TRY(const bool compact, lines->starts_with_bytes(compact_signature()));
    if (!compact) return {};
    form = RecordsForm::compact;
    lines->set_framing(framing_of(form));
    PETRI_TRY(next_line());
    return {};
  }

  LineResult<ParsedRecord> parse(std::string_view line) const {
    return form == RecordsForm::compact ? unpack_record(line, header, bounds) : parse_record(line, header, bounds);
  }

  Result<void> end(std::string_view line) {
    auto parsed = parse_ending(line);
    if (!parsed) return refuse(parsed.error());
    ending = *parsed;
    PETRI_TRY(const auto more, lines->next());
    if (more) return refuse({.what = "it stands behind the final line"});
    return {};
  }

  std::unexpected<Error> refuse(const BadLine& bad) const {
    Error error{.code = bad.code,
                .message = fmt::format("{}: line {}: {}", escape_text(lines->path(), 4'096), lines->line(), bad.what),
                .details = {}};
    error = std::move(error).with("line", std::to_string(lines->line())).with("path", lines->path());
    if (!bad.field.empty()) error = std::move(error).with("field", bad.field);
    return fail(std::move(error));
  }
};

// A first line that is not even JSON was written by something else than petri.
BadLine no_records_file(BadLine bad) {
  if (bad.what.starts_with("it is not")) bad.what = fmt::format("this is no records file: {}", bad.what);
  return bad;
}

RecordsReader::RecordsReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordsReader::~RecordsReader() = default;

Result<std::unique_ptr<RecordsReader>> RecordsReader::open(const std::string& path, const RecordsBounds& bounds) {
  auto impl = std::make_unique<Impl>();
  impl->bounds = bounds;
  PETRI_TRY(impl->lines, LineReader::open(path, std::min(bounds.header_bytes_max, kRecordsLineBytesMax)));
  PETRI_TRY(impl->find_form());
  PETRI_TRY(const auto line, impl->next_line());
  if (!line) return impl->refuse({.what = "the file is empty"});
  auto header = parse_header(*line, bounds);
  if (!header && impl->form == RecordsForm::json_lines) return impl->refuse(no_records_file(std::move(header.error())));
  if (!header) return impl->refuse(header.error());
  impl->header = std::move(*header);
  impl->lines->set_line_bytes_max(kRecordsLineBytesMax);
  return std::unique_ptr<RecordsReader>(new RecordsReader(std::move(impl)));
}

RecordsForm RecordsReader::form() const { return impl_->form; }
const RecordsHeader& RecordsReader::header() const { return impl_->header; }
std::size_t RecordsReader::line() const { return impl_->lines->line(); }

Result<std::optional<StoredRecord>> RecordsReader::next() {
  if (impl_->ending) return std::nullopt;
  PETRI_TRY(const auto line, impl_->next_line());
  if (!line) return std::nullopt;
  if (is_ending(*line)) {
    PETRI_TRY(impl_->end(*line));
    return std::nullopt;
  }
  auto parsed = impl_->parse(*line);
  if (!parsed) return impl_->refuse(parsed.error());
  const Record& record = parsed->stored.record;
  if (record.row < impl_->next_row || record.row - impl_->next_row != parsed->cancelled_before) {
    return impl_->refuse({.field = "row",
                          .what = fmt::format("its \"row\" is {}, and {} is next", record.row,
                                              impl_->next_row + parsed->cancelled_before)});
  }
  impl_->next_row = record.row + 1;
  ++impl_->records;
  return std::move(parsed->stored);
}

const std::optional<RecordsEnding>& RecordsReader::ending() const { return impl_->ending; }
bool RecordsReader::is_cut_off() const { return impl_->cut_off; }
RecordsEnding RecordsReader::expected_ending() const {
  return {.records = impl_->records,
          .sha256 = impl_->hash.digest(),
          .cancelled = impl_->ending ? impl_->ending->cancelled : 0};
}

Result<RecordsFile> read_records(const std::string& path) {
  PETRI_TRY(const auto reader, RecordsReader::open(path));
  RecordsFile file{.header = reader->header(), .records = {}, .ending = {}};
  for (;;) {
    PETRI_TRY(auto record, reader->next());
    if (!record) break;
    file.records.push_back(std::move(*record));
  }
  file.ending = reader->ending();
  return file;
}

}  // namespace petri
