// Compact records files: the same records as bytes.
#include "evaluation/records/packed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/sha256.h"
#include "evaluation/records/records_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CompactRecordsTest : public RecordsTest {
 protected:
  void write_compact(const CandidateSet& population, std::span<const Case> cases,
                     const EvaluationSpec& spec = small_spec(), EvaluationOptions options = {}) {
    auto writer = *RecordsWriter::create(file_.path(), RecordsForm::compact);
    options.records = writer.get();
    evaluate(evaluator_, population, cases, spec, options);
    ASSERT_TRUE(writer->close());
  }
  std::string converted(RecordsForm form) {
    const auto conversion = convert_records(file_.path(), other_.path(), form);
    EXPECT_TRUE(conversion) << conversion.error().message;
    return other_.read();
  }
  std::string error_of_reading() const {
    const auto file = read_records(file_.path());
    return file ? "none" : file.error().message.substr(file_.path().size());
  }

  TestFile other_{"other"};
};

std::string framed(std::string_view line) {
  std::string out;
  append_framed_line(out, line);
  return out;
}

// All that a record says.
std::string line_of(const StoredRecord& stored) {
  std::string line;
  append_stored(append_record, line, stored);
  return line;
}

// The bytes of a file, line by line with their lengths.
std::vector<std::string> framed_lines(const std::string& bytes) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size(); at += lines.back().size()) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) length = length << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    lines.push_back(bytes.substr(at, kLengthBytes + length));
  }
  return lines;
}

TEST_F(CompactRecordsTest, SayTheSameAsLinesOfJson) {
  EvaluationSpec spec = small_spec();
  spec.targets = {0.5, 0.25};
  const CandidateSet population = CandidateSet::mixed(80);
  const auto cases = cases_of({0.1, -2});
  write(population, cases, spec);
  const auto json = *read_records(file_.path());
  const std::string json_text = file_.read();
  write_compact(population, cases, spec);
  const std::string compact_text = file_.read();
  const auto compact = read_records(file_.path());
  ASSERT_TRUE(compact) << compact.error().message;
  EXPECT_EQ(compact->header, json.header);
  ASSERT_EQ(compact->records.size(), json.records.size());
  for (std::size_t row = 0; row < json.records.size(); ++row)
    EXPECT_EQ(line_of(compact->records[row]), line_of(json.records[row])) << row;
  EXPECT_EQ(compact->ending->records, json.ending->records);
  EXPECT_LT(compact_text.size(), json_text.size());
  EXPECT_EQ(verified().verdict(), VerificationVerdict::verified);
}

TEST_F(CompactRecordsTest, BecomeTheSameLinesOfJsonAndBack) {
  EvaluationSpec spec = small_spec();
  spec.targets = {0.5};
  const CandidateSet population = CandidateSet::mixed(80);
  write(population, cases_of({0.1}), spec);
  const std::string json = file_.read();
  write_compact(population, cases_of({0.1}), spec);
  const std::string compact = file_.read();
  EXPECT_TRUE(converted(RecordsForm::json_lines) == json);
  EXPECT_TRUE(converted(RecordsForm::compact) == compact);
  file_.write(json);
  EXPECT_TRUE(converted(RecordsForm::compact) == compact);
}

TEST_F(CompactRecordsTest, SayWhereACandidateComesFrom) {
  const ArtifactId parent{.bytes = {1, 2, 3}};
  const Origin origin{.name = "a<b>.wat", .generation = 3, .parents = {parent, parent}, .mutation = "swap \"two\""};
  const std::string text = polynomial(1);
  const std::vector<Candidate> candidates{Candidate::wat(text).from(origin)};
  const auto writer = *RecordsWriter::create(file_.path(), RecordsForm::compact);
  EvaluationOptions options;
  options.records = writer.get();
  ASSERT_TRUE(evaluator_.evaluate(candidates, cases_of({1}), small_spec(), options));
  ASSERT_TRUE(writer->close());
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->records[0].origin, origin);
}

// B11
TEST_F(CompactRecordsTest, AreTheSameForAnyNumberOfWorkers) {
  std::vector<std::string> texts;
  for (const unsigned workers : {1U, 2U, 8U}) {
    write_compact(CandidateSet::mixed(200), cases_of({0, 1}), small_spec(), {.workers = workers});
    texts.push_back(file_.read());
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST_F(CompactRecordsTest, AreChosenByTheNameOfTheFile) {
  EXPECT_EQ(records_form_of("run.records"), RecordsForm::compact);
  EXPECT_EQ(records_form_of("run.jsonl"), RecordsForm::json_lines);
  EXPECT_EQ(records_form_of("records"), RecordsForm::json_lines);
  const std::string path = file_.path() + ".records";
  {
    const auto writer = *RecordsWriter::create(path);
    EvaluationOptions options;
    options.records = writer.get();
    evaluate(evaluator_, {polynomial(1)}, cases_of({1}), small_spec(), options);
    ASSERT_TRUE(writer->close());
  }
  const auto reader = RecordsReader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*reader)->form(), RecordsForm::compact);
  ::unlink(path.c_str());
}

TEST_F(CompactRecordsTest, WithoutTheirFinalLineStayIncomplete) {
  write_compact({polynomial(1), polynomial(2)}, cases_of({1}));
  auto lines = framed_lines(file_.read());
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[0], HasSubstr("petri records"));
  EXPECT_THAT(lines[1].substr(kLengthBytes), StartsWith("{\"petri_records\":2,"));
  EXPECT_THAT(lines[4].substr(kLengthBytes), StartsWith("{\"records\":2,\"sha256\":\""));
  lines.pop_back();
  const std::string whole = lines[0] + lines[1] + lines[2] + lines[3];
  for (const std::string& text : {whole, whole.substr(0, whole.size() - 5)}) {
    file_.write(text);
    EXPECT_EQ(verified().verdict(), VerificationVerdict::incomplete);
    const auto conversion = convert_records(file_.path(), other_.path());
    ASSERT_TRUE(conversion) << conversion.error().message;
    EXPECT_FALSE(conversion->complete);
    EXPECT_EQ(conversion->records, text == whole ? 2U : 1U);
    EXPECT_EQ(lines_of(other_.read()).size(), 1 + conversion->records);
  }
}

TEST_F(CompactRecordsTest, ThatWereChangedAreNotConverted) {
  write_compact({polynomial(1), polynomial(2)}, cases_of({1}));
  auto lines = framed_lines(file_.read());
  file_.write(lines[0] + lines[1] + lines[2] + lines[4]);
  const auto conversion = convert_records(file_.path(), other_.path());
  ASSERT_FALSE(conversion);
  EXPECT_EQ(conversion.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(conversion.error().message,
            file_.path() + ": the final line does not fit the lines before it; petri verify tells more");
  const auto itself = convert_records(file_.path(), file_.path());
  ASSERT_FALSE(itself);
  EXPECT_EQ(itself.error().message, file_.path() + ": this is the file that is read; name another to write to");
  EXPECT_EQ(read_records(file_.path())->records.size(), 1U) << "it is still there";
}

TEST_F(CompactRecordsTest, ThatAreNotWhatTheyShouldBeAreRefusedByTheirLine) {
  write_compact({polynomial(1)}, cases_of({1}));
  const auto lines = framed_lines(file_.read());
  const std::string head = lines[0] + lines[1];
  const std::string record = lines[2].substr(kLengthBytes);
  const auto changed = [&](std::size_t at, char to) {
    std::string bytes = record;
    bytes[at] = to;
    return head + framed(bytes);
  };
  const std::size_t outcome = 2 + 8 + 1 + 32;
  const std::vector<std::pair<std::string, std::string>> refused{
      {lines[0], ": line 1: the file is empty"},
      {lines[0] + lines[2], ": line 2: it is not JSON"},
      {head + framed(""), ": line 3: it is no record"},
      {changed(0, 3), ": line 3: it is no record"},
      {changed(0, 2), ": line 3: its parts do not fill it"},
      {head + framed(record.substr(0, record.size() - 1)), ": line 3: its parts do not fill it"},
      {head + framed(record + "x"), ": line 3: its parts do not fill it"},
      {changed(2, 1), ": line 3: its \"row\" is 1, and 0 is next"},
      {changed(outcome, 77), ": line 3: its \"outcome\" has an unknown name"},
      {changed(outcome + 1, 77), ": line 3: its \"trap\" has an unknown name"},
      {changed(outcome + 7, 1), ": line 3: it must have an \"outcome\" or an \"error\""},
      {changed(outcome + 3, 1), ": line 3: it is not as petri writes what it says"},
      {head + framed("{\"row\":0}"), ": line 3: it is no record"},
      {head + std::string("\x7f\0\0\0", 4), ": line 3 is too long"},
  };
  for (const auto& [text, message] : refused) {
    file_.write(text);
    EXPECT_THAT(error_of_reading(), StartsWith(message));
  }
}

TEST_F(CompactRecordsTest, OfMoreValuesThanTheReaderAllowsAreTooLarge) {
  write_compact({polynomial(1)}, cases_of({1, 2, 3}));
  const RecordsHeader header = (*RecordsReader::open(file_.path()))->header();
  std::string line;
  const Origin origin{.parents = std::vector<ArtifactId>(61)};
  pack_record(line, read_records(file_.path())->records[0].record, {}, {}, &origin);
  const auto refused = unpack_record(std::string_view(line).substr(kLengthBytes), header, {.values_max = 60});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().what, "it has more than 60 values");
}

TEST_F(CompactRecordsTest, HaveNoMoreCasesThanTheirHeader) {
  write_compact({polynomial(1)}, cases_of({1, 2, 3}));
  RecordsHeader header = (*RecordsReader::open(file_.path()))->header();
  const std::string record = framed_lines(file_.read())[2].substr(kLengthBytes);
  ASSERT_TRUE(unpack_record(record, header));
  header.cases.pop_back();
  const auto refused = unpack_record(record, header);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "its \"cases\" are more than the first line has");
}

// Any bytes are either refused or read as a record that verification judges.
TEST_F(CompactRecordsTest, OfAnyBytesAreRefusedOrVerified) {
  write_compact({polynomial(1), "(module (func (export \"f\") (param f64) (result f64) unreachable))", "(module"},
                cases_of({1}));
  const auto lines = framed_lines(file_.read());
  const RecordsHeader header = (*RecordsReader::open(file_.path()))->header();
  for (std::size_t line = 2; line < 5; ++line) {
    const std::string record = lines[line].substr(kLengthBytes);
    ASSERT_TRUE(unpack_record(record, header));
    for (std::size_t size = 0; size < record.size(); ++size)
      EXPECT_FALSE(unpack_record(std::string_view(record).substr(0, size), header)) << size;
    for (std::size_t at = 0; at < record.size(); ++at) {
      for (const int change : {1, 0x80, 0xff}) {
        std::string bytes = record;
        bytes[at] = static_cast<char>(bytes[at] ^ change);
        const auto parsed = unpack_record(bytes, header);
        EXPECT_TRUE(parsed || !parsed.error().what.empty());
      }
    }
  }
}

}  // namespace
}  // namespace petri
