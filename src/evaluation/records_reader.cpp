#include <fmt/format.h>

#include "base/escape.h"
#include "base/line_file.h"
#include "evaluation/records_parse.h"
#include "petri/records.h"

namespace petri {

struct RecordsReader::Impl {
  std::unique_ptr<LineReader> lines;
  RecordsHeader header;
  std::size_t next_row = 0;

  std::unexpected<Error> refuse(const BadLine& bad) const {
    Error error{.code = bad.code,
                .message = fmt::format("{}: line {}: {}", escape_text(lines->path(), 4'096), lines->line(), bad.what),
                .details = {}};
    error = std::move(error).with("line", std::to_string(lines->line())).with("path", lines->path());
    if (!bad.field.empty()) error = std::move(error).with("field", bad.field);
    return fail(std::move(error));
  }
};

RecordsReader::RecordsReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordsReader::~RecordsReader() = default;

Result<std::unique_ptr<RecordsReader>> RecordsReader::open(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  PETRI_TRY(impl->lines, LineReader::open(path));
  PETRI_TRY(const auto line, impl->lines->next());
  if (!line) return impl->refuse({.what = "the file is empty"});
  auto header = parse_header(*line);
  if (!header) return impl->refuse(header.error());
  impl->header = std::move(*header);
  return std::unique_ptr<RecordsReader>(new RecordsReader(std::move(impl)));
}

const RecordsHeader& RecordsReader::header() const { return impl_->header; }
std::size_t RecordsReader::line() const { return impl_->lines->line(); }

Result<std::optional<StoredRecord>> RecordsReader::next() {
  PETRI_TRY(const auto line, impl_->lines->next());
  if (!line) return std::nullopt;
  auto parsed = parse_record(*line, impl_->header);
  if (!parsed) return impl_->refuse(parsed.error());
  const Record& record = parsed->stored.record;
  if (record.row < impl_->next_row || record.row - impl_->next_row != parsed->cancelled_before) {
    return impl_->refuse({.field = "row",
                          .what = fmt::format("its \"row\" is {}, and {} is next", record.row,
                                              impl_->next_row + parsed->cancelled_before)});
  }
  impl_->next_row = record.row + 1;
  return std::move(parsed->stored);
}

Result<RecordsFile> read_records(const std::string& path) {
  PETRI_TRY(const auto reader, RecordsReader::open(path));
  RecordsFile file{.header = reader->header(), .records = {}};
  for (;;) {
    PETRI_TRY(auto record, reader->next());
    if (!record) return file;
    file.records.push_back(std::move(*record));
  }
}

}  // namespace petri
