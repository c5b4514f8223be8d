#include "evaluation/records/writer.h"

#include <fmt/format.h>

#include <unistd.h>

#include <atomic>
#include <optional>
#include <utility>

#include "base/files/file.h"
#include "base/files/line_file.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "engine/sha256.h"
#include "evaluation/records/lines.h"
#include "evaluation/records/packed.h"

namespace petri {

struct RecordsWriter::Impl {
  std::unique_ptr<LineFile> file;
  RecordsForm form = RecordsForm::json_lines;
  std::optional<RecordsHeader> header;
  std::atomic<bool> in_use{false};
  std::atomic<std::size_t> records{0};  // the file's lines but those of the header
  std::size_t row_base = 0;
  std::size_t cancelled_before = 0;
  Sha256Hasher hash;     // of all that was written
  bool started = false;  // by an evaluation, not in an earlier process only
  bool closed = false;

  Result<void> append(std::string_view lines) {
    PETRI_TRY(file->append(lines));
    hash.add(lines);
    return {};
  }
};

struct TimingsWriter::Impl {
  std::unique_ptr<LineFile> file;
  std::size_t row_base = 0;
};

namespace {

// A line of JSON, as it stands in a file of this form.
std::string framed(RecordsForm form, std::string_view json_line) {
  if (form == RecordsForm::json_lines) return std::string(json_line);
  std::string out;
  append_framed_line(out, json_line.substr(0, json_line.size() - 1));  // without its newline
  return out;
}

std::string first_lines(RecordsForm form, std::string_view header_line) {
  return (form == RecordsForm::compact ? compact_signature() : "") + framed(form, header_line);
}

Result<void> check_line(std::string_view line) {
  if (line.size() <= kRecordsLineBytesMax) return {};
  return fail(ErrorCode::too_large, fmt::format("the cases take {} as a line of a records file, and {} are allowed",
                                                format_bytes(line.size()), format_bytes(kRecordsLineBytesMax)));
}

// The parts of a file that is to be continued.
struct ReadToEnd {
  RecordsForm form = RecordsForm::json_lines;
  RecordsHeader header;
  RecordsEnding ending;
  std::size_t next_row = 0;
};

std::unexpected<Error> refuse_to_append(const std::string& path, std::string_view why) {
  return fail(ErrorCode::validation_failed, fmt::format("{}: {}", escape_text(path, kPathShownBytesMax), why));
}

Result<ReadToEnd> read_to_end(const std::string& path) {
  PETRI_TRY(const auto reader, RecordsReader::open(path));
  ReadToEnd read{.form = reader->form(), .header = reader->header(), .ending = {}};
  for (;;) {
    PETRI_TRY(const auto stored, reader->next());
    if (!stored) break;
    read.next_row = stored->record.row + 1;
  }
  if (!reader->ending()) {
    return refuse_to_append(path,
                            "there is no final line to continue from: the run that wrote it was killed or still "
                            "goes on; name another file");
  }
  if (*reader->ending() != reader->expected_ending())
    return refuse_to_append(path, "the final line does not fit the lines before it; petri verify says more");
  read.ending = *reader->ending();
  return read;
}

// Returns how many bytes they have.
Result<std::uint64_t> hash_lines(const std::string& path, RecordsForm form, std::size_t lines, Sha256Hasher& hash) {
  PETRI_TRY(const auto reader, LineReader::open(path, kRecordsLineBytesMax));
  reader->set_framing(framing_of(form));
  std::uint64_t bytes = 0;
  for (std::size_t line = 0; line < lines; ++line) {
    PETRI_TRY(const auto text, reader->next());
    if (!text) return refuse_to_append(path, "the file became shorter while it was read");
    hash.add(reader->framed_line());
    bytes += reader->framed_line().size();
  }
  return bytes;
}

}  // namespace

RecordsWriter::RecordsWriter(std::unique_ptr<LineFile> file, RecordsForm form) : impl_(std::make_unique<Impl>()) {
  impl_->file = std::move(file);
  impl_->form = form;
}
RecordsWriter::~RecordsWriter() = default;

Result<std::unique_ptr<RecordsWriter>> RecordsWriter::create(const std::string& path, std::optional<RecordsForm> form) {
  const RecordsForm chosen = form.value_or(records_form_of(path));
  if (path == "-") return RecordsWriterAccess::on_standard_output(chosen);
  PETRI_TRY(auto file, LineFile::create(path, framing_of(chosen)));
  return std::unique_ptr<RecordsWriter>(new RecordsWriter(std::move(file), chosen));
}

// The lines before the final one are hashed again as they stand, and the next ones added to that.
Result<std::unique_ptr<RecordsWriter>> RecordsWriter::append(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return create(path);
  PETRI_TRY(const ReadToEnd read, read_to_end(path));
  const std::size_t lines = header_lines_of(read.form) + read.ending.records;
  std::unique_ptr<RecordsWriter> writer(new RecordsWriter(nullptr, read.form));
  Impl& impl = *writer->impl_;
  PETRI_TRY(const std::uint64_t bytes, hash_lines(path, read.form, lines, impl.hash));
  PETRI_TRY(impl.file, LineFile::continue_behind(path, framing_of(read.form), bytes, lines));
  impl.header = read.header;
  impl.records = read.ending.records;
  impl.row_base = read.next_row + read.ending.cancelled;
  impl.cancelled_before = read.ending.cancelled;
  return writer;
}

Result<void> RecordsWriter::close(std::size_t not_evaluated) {
  if (impl_->started && !std::exchange(impl_->closed, true)) {
    std::string line;
    append_ending(line, {.records = impl_->records,
                         .sha256 = impl_->hash.digest(),
                         .cancelled = impl_->cancelled_before + not_evaluated});
    PETRI_TRY(impl_->file->append(framed(impl_->form, line)));
  }
  return impl_->file->close();
}
std::size_t RecordsWriter::records() const { return impl_->records; }

TimingsWriter::TimingsWriter(std::unique_ptr<LineFile> file) : impl_(std::make_unique<Impl>()) {
  impl_->file = std::move(file);
}
TimingsWriter::~TimingsWriter() = default;

Result<std::unique_ptr<TimingsWriter>> TimingsWriter::create(const std::string& path) {
  PETRI_TRY(auto file, LineFile::create(path));
  return std::unique_ptr<TimingsWriter>(new TimingsWriter(std::move(file)));
}

Result<void> TimingsWriter::close() { return impl_->file->close(); }

Result<void> RecordsWriterAccess::begin(RecordsWriter& writer, const RecordsHeader& header) {
  RecordsWriter::Impl& impl = *writer.impl_;
  if (impl.in_use.exchange(true)) {
    return fail(ErrorCode::busy, "the records file is being written by another evaluation; give each its own");
  }
  if (impl.header) {
    impl.started = impl.started || *impl.header == header;
    if (*impl.header == header) return {};
    impl.in_use = false;
    return fail(ErrorCode::validation_failed,
                "a records file has one spec, one list of cases and one scorer; begin another file for others");
  }
  std::string line;
  append_header(line, header);
  auto written = check_line(line);
  if (written) written = impl.append(first_lines(impl.form, line));
  if (!written) {
    impl.in_use = false;
    return written;
  }
  impl.header = header;
  impl.started = true;
  return {};
}

Result<std::unique_ptr<RecordsWriter>> RecordsWriterAccess::on_standard_output(RecordsForm form) {
  PETRI_TRY(auto file, LineFile::on_standard_output(framing_of(form)));
  return std::unique_ptr<RecordsWriter>(new RecordsWriter(std::move(file), form));
}
RecordsForm RecordsWriterAccess::form(const RecordsWriter& writer) { return writer.impl_->form; }
std::size_t RecordsWriterAccess::row_base(const RecordsWriter& writer) { return writer.impl_->row_base; }
std::size_t RecordsWriterAccess::cancelled_before(const RecordsWriter& writer) {
  return writer.impl_->cancelled_before;
}

Result<void> RecordsWriterAccess::append(RecordsWriter& writer, std::string_view lines) {
  auto appended = writer.impl_->append(lines);
  writer.impl_->records = writer.impl_->file->lines() - header_lines_of(writer.impl_->form);
  return appended;
}

void RecordsWriterAccess::end(RecordsWriter& writer, std::size_t rows, std::size_t cancelled) {
  writer.impl_->row_base += rows;
  writer.impl_->cancelled_before = cancelled == rows ? writer.impl_->cancelled_before + rows : cancelled;
  writer.impl_->in_use = false;
}

Result<void> RecordsWriterAccess::append(TimingsWriter& writer, std::string_view lines) {
  return writer.impl_->file->append(lines);
}
std::size_t RecordsWriterAccess::row_base(const TimingsWriter& writer) { return writer.impl_->row_base; }
void RecordsWriterAccess::end(TimingsWriter& writer, std::size_t rows) { writer.impl_->row_base += rows; }

}  // namespace petri
