#include <fmt/format.h>

#include <algorithm>

#include "base/files/line_file.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "evaluation/cache/record_claims.h"
#include "evaluation/candidate/receipt.h"
#include "evaluation/records/compare.h"
#include "evaluation/records/packed.h"
#include "evaluation/records/parse.h"
#include "evaluation/spec_check.h"
#include "evaluation/spec_digest.h"
#include "evaluation/verify/verify_rows.h"
#include "petri/records.h"

namespace petri {
namespace {

// As many candidates are run at once: enough to keep all workers busy, few enough for any file.
constexpr std::size_t kBatchRows = 1'024;
constexpr std::size_t kBatchBytes = std::size_t{64} << 20;
constexpr std::size_t kBatchCases = std::size_t{1} << 20;  // a row may give many values for each, whatever it says
constexpr std::size_t kShownBytesMax = 200;

// Lines between the header and the final one. A line that is cut off is none.
Result<std::size_t> count_records(const std::string& path, RecordsForm form) {
  PETRI_TRY(const auto lines, LineReader::open(path, kRecordsLineBytesMax));
  lines->set_framing(framing_of(form));
  std::size_t count = 0;
  bool ended = false;
  for (;; ++count) {
    const auto line = lines->next();
    if (!line && line.error().code != ErrorCode::parse_failed) return fail(line.error());
    if (!line || !*line) break;
    ended = is_ending(**line);
  }
  const std::size_t others = header_lines_of(form) + (ended ? 1 : 0);
  return count - std::min(count, others);
}

std::unexpected<Error> refuse(std::string what) {
  return fail(Error{.code = ErrorCode::validation_failed, .message = std::move(what), .details = {}}.with("component",
                                                                                                          "verify"));
}

// The rules of the file have to be those that hold here, or the candidates would do something else.
Result<void> check_rules(const RecordsHeader& header, const Rules& here) {
  if (header.abi != here.abi)
    return refuse(fmt::format("the records were made with ABI {}, and this petri has {}", header.abi, here.abi));
  if (header.fuel_table != here.fuel_table) {
    return refuse(fmt::format("the records were made with fuel table {}, and this petri has {}", header.fuel_table,
                              here.fuel_table));
  }
  for (const HostFunctionUsed& function : header.host_functions) {
    if (std::ranges::find(here.host_functions, function) != here.host_functions.end()) continue;
    return refuse(fmt::format(
        "the records need the host function \"{}\".\"{}\" of type {}, version {}, which is not offered here",
        escape_text(function.module, 100), escape_text(function.name, 100), escape_text(function.type, 200),
        function.version));
  }
  return {};
}

struct ReadRecord {
  StoredRecord stored;
  std::size_t line = 0;
};

class Verifier {
 public:
  Verifier(RecordsReader& reader, const HostFunctions& host, const VerifyOptions& options)
      : reader_(reader),
        header_(reader.header()),
        spec_(within(header_.spec, options.limits)),
        evaluator_(host),
        options_(options) {}

  Result<Verification> run(std::size_t records);

 private:
  void check_spec();
  Result<bool> read_batch(RowSample& sample);
  void take(StoredRecord stored, bool sampled);
  void take_sampled(StoredRecord stored);
  Result<void> verify_batch();
  void compare(const ReadRecord& read, Record found);
  void check_ending();
  void leave_out(std::size_t& count, const Record& record, std::size_t line, std::string why);
  void note(std::optional<std::size_t> row, std::size_t line, FieldDifference difference);
  Result<void> note_unreadable(Error error);
  void report() const;

  RecordsReader& reader_;
  const RecordsHeader& header_;
  const EvaluationSpec spec_;  // of the file, as far as it is allowed
  Evaluator evaluator_;
  const VerifyOptions& options_;
  Verification result_;
  std::size_t next_row_ = 0;
  RowKeys keys_;
  std::vector<ReadRecord> batch_;
  std::size_t batch_bytes_ = 0;
};

Result<Verification> Verifier::run(std::size_t records) {
  PETRI_TRY(check_evaluation(header_.cases, header_.spec, {}));
  result_.rows = records;
  result_.scores_repeated = header_.scored_by != ScoredBy::host;
  check_spec();
  RowSample sample(records, options_.sample, options_.sample_seed);
  report();
  bool more = true;
  while (more && !result_.difference && !result_.cancelled) {
    PETRI_TRY(more, read_batch(sample));
    PETRI_TRY(verify_batch());
    report();
  }
  if (!result_.difference && !result_.cancelled) check_ending();
  return result_;
}

void Verifier::check_spec() {
  const Rules rules{.abi = header_.abi, .fuel_table = header_.fuel_table, .host_functions = header_.host_functions};
  const ScoredBy by = scored_by_of(header_.cases, header_.spec);
  if (header_.scored_by != ScoredBy::host && header_.scored_by != by) {
    note(std::nullopt, 1,
         {.field = "scored_by", .in_file = std::string(name_of(header_.scored_by)), .found = std::string(name_of(by))});
  }
  const Sha256 digest = spec_digest(header_.cases, header_.spec, rules);
  if (digest == header_.digest) return;
  note(std::nullopt, 1, {.field = "spec", .in_file = header_.digest.hex(), .found = digest.hex()});
}

// False at the end of the file, or where it cannot be read on.
Result<bool> Verifier::read_batch(RowSample& sample) {
  batch_.clear();
  batch_bytes_ = 0;
  const std::size_t rows_max = std::clamp<std::size_t>(kBatchCases / header_.cases.size(), 1, kBatchRows);
  while (batch_.size() < rows_max && batch_bytes_ < kBatchBytes) {
    auto stored = reader_.next();
    if (!stored) {
      PETRI_TRY(note_unreadable(std::move(stored.error())));
      return false;
    }
    if (!*stored) return false;
    take(std::move(**stored), sample.takes_next());
    if (result_.difference) return false;
  }
  return true;
}

void Verifier::take(StoredRecord stored, bool sampled) {
  const Record& record = stored.record;
  result_.cancelled_rows += record.row - next_row_;
  next_row_ = record.row + 1;
  if (auto difference = keys_.check(stored)) note(record.row, reader_.line(), std::move(*difference));
  if (auto difference = first_contradiction(stored)) note(record.row, reader_.line(), std::move(*difference));
  if (auto difference = wrong_fuel(record, header_.spec)) note(record.row, reader_.line(), std::move(*difference));
  if (result_.difference) return;  // a row that contradicts itself is not run
  keys_.add(stored);
  if (!sampled) ++result_.not_sampled;
  if (sampled) take_sampled(std::move(stored));
}

// A row that cannot be run again still has its score compared with its own values.
void Verifier::take_sampled(StoredRecord stored) {
  const Record& record = stored.record;
  const std::size_t line = reader_.line();
  auto over = over_limits(record, header_.spec, options_.limits);
  const bool runs = record.repeatable && (stored.wasm || stored.wat) && !over;
  if (runs) {
    batch_bytes_ += bytes_held(stored);
    batch_.push_back({.stored = std::move(stored), .line = line});
    return;
  }
  if (auto difference = wrong_score(record, header_)) note(record.row, line, std::move(*difference));
  if (!record.repeatable) {
    leave_out(result_.not_repeatable, record, line, record.error ? "petri or the machine failed" : "time ended it");
  } else if (over) {
    leave_out(result_.over_limits, record, line, std::move(*over));
  } else {
    leave_out(result_.left_out, record, line, "its candidate is not in the file");
  }
}

void Verifier::leave_out(std::size_t& count, const Record& record, std::size_t line, std::string why) {
  ++count;
  if (result_.listed.size() >= Verification::kListedMax) return;
  result_.listed.push_back({.row = record.row, .line = line, .why = escape_text(why, kShownBytesMax)});
}

// A field that cannot be what it says is a difference too; a file that cannot be read is not. One that was not written
// to its end has no final line.
Result<void> Verifier::note_unreadable(Error error) {
  if (reader_.is_cut_off()) return {};
  const std::string field(error.detail("field"));
  if (error.code != ErrorCode::parse_failed || field.empty()) return fail(std::move(error));
  // Rows that were read earlier are reported first.
  PETRI_TRY(verify_batch());
  batch_.clear();
  note(next_row_, reader_.line(), {.field = field, .in_file = error.message, .found = "a record"});
  return {};
}

Result<void> Verifier::verify_batch() {
  std::vector<Candidate> candidates;
  EvaluationSpec spec = spec_;
  spec.fuel_max = 1;
  for (const ReadRecord& read : batch_) {
    spec.fuel_max = std::max(spec.fuel_max, std::min(spec_.fuel_max, fuel_to_allow(read.stored.record, header_.spec)));
    candidates.push_back(read.stored.wasm ? Candidate::wasm(*read.stored.wasm) : Candidate::wat(*read.stored.wat));
  }
  const EvaluationOptions options{.workers = options_.workers,
                                  .tier = options_.tier,
                                  .case_time_max = options_.limits.time_max,
                                  .candidate_time_max = options_.limits.time_max,
                                  .stop = options_.stop,
                                  .use_cache = false,
                                  .receipts = false};
  PETRI_TRY(Evaluation found, evaluator_.evaluate(candidates, header_.cases, spec, options));
  for (std::size_t index = 0; index < batch_.size(); ++index) compare(batch_[index], std::move(found.records[index]));
  return {};
}

void Verifier::compare(const ReadRecord& read, Record found) {
  const Record& in_file = read.stored.record;
  if (found.error == ErrorCode::cancelled) {
    result_.cancelled = true;
    return;
  }
  const bool by_time = found.error == ErrorCode::timeout || (found.outcome && !found.repeatable);
  if (by_time) {
    return leave_out(result_.over_limits, in_file, read.line,
                     fmt::format("it took longer than time_max = {}", format_duration(options_.limits.time_max)));
  }
  if (!found.repeatable) return leave_out(result_.failed_here, in_file, read.line, found.message);
  if (header_.scored_by == ScoredBy::host) found.score = in_file.score;
  if (header_.receipts && can_have_receipt(found)) found.receipt = receipt_of(found, header_.digest);
  auto difference = first_difference(in_file, found);
  if (difference) return note(in_file.row, read.line, std::move(*difference));
  ++result_.verified;
}

void Verifier::check_ending() {
  const auto& ending = reader_.ending();
  if (!ending) return;
  result_.cancelled_rows += ending->cancelled;
  const RecordsEnding expected = reader_.expected_ending();
  result_.whole = *ending == expected;
  if (ending->records != expected.records) {
    note(std::nullopt, reader_.line(),
         {.field = "records", .in_file = std::to_string(ending->records), .found = std::to_string(expected.records)});
  } else if (!result_.whole) {
    note(std::nullopt, reader_.line(),
         {.field = "sha256", .in_file = ending->sha256.hex(), .found = expected.sha256.hex()});
  }
}

// The first one counts; rows come in their order.
void Verifier::note(std::optional<std::size_t> row, std::size_t line, FieldDifference difference) {
  if (result_.difference && result_.difference->line <= line) return;
  result_.difference = Difference{.row = row,
                                  .line = line,
                                  .field = std::move(difference.field),
                                  .in_file = escape_text(difference.in_file, kShownBytesMax),
                                  .found = escape_text(difference.found, kShownBytesMax)};
}

void Verifier::report() const {
  if (!options_.on_progress) return;
  const Verification& so_far = result_;
  try {
    options_.on_progress(so_far.verified + so_far.not_repeatable + so_far.left_out + so_far.over_limits +
                             so_far.failed_here + so_far.not_sampled,
                         so_far.rows);
  } catch (...) {
    // Nobody listens any more; the verification continues.
  }
}

}  // namespace

RecordsBounds VerifyLimits::bounds() const {
  constexpr std::uint64_t kHeaderBytesMin = std::uint64_t{16} << 20, kValuesMin = std::uint64_t{1} << 20;
  constexpr RecordsBounds kWritten;  // what petri writes has no more
  return {
      .header_bytes_max = std::clamp<std::uint64_t>(memory_bytes_max / 4, kHeaderBytesMin, kWritten.header_bytes_max),
      .values_max = std::clamp<std::uint64_t>(memory_bytes_max / 64, kValuesMin, kWritten.values_max)};
}

VerificationVerdict Verification::verdict() const {
  if (difference) return VerificationVerdict::different;
  if (cancelled) return VerificationVerdict::stopped;
  const std::size_t not_compared = not_repeatable + left_out + over_limits + failed_here;
  const bool complete = whole && scores_repeated && verified > 0 && not_compared == 0 && cancelled_rows == 0;
  return complete ? VerificationVerdict::verified : VerificationVerdict::incomplete;
}

// The first line comes first: a file of any length that is refused is not read to its end.
Result<Verification> verify(const std::string& path, const HostFunctions& host, const VerifyOptions& options) {
  const auto verify_opened = [&]() -> Result<Verification> {
    PETRI_TRY(const auto reader, RecordsReader::open(path, options.limits.bounds()));
    PETRI_TRY(check_rules(reader->header(), rules_here(host)));
    PETRI_TRY(const std::size_t records, count_records(path, reader->form()));
    return Verifier(*reader, host, options).run(records);
  };
  auto verified = verify_opened();
  if (verified || verified.error().code != ErrorCode::too_large) return verified;
  verified.error().message += fmt::format("; verifying reads what memory_bytes_max = {} leaves room for",
                                          format_bytes(options.limits.memory_bytes_max));
  return verified;
}

}  // namespace petri
