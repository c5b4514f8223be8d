#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/escape.h"
#include "base/line_file.h"
#include "engine/sha256.h"
#include "evaluation/compare_records.h"
#include "evaluation/receipt.h"
#include "evaluation/spec_digest.h"
#include "host/seeded_random.h"
#include "petri/records.h"

namespace petri {
namespace {

// As many candidates are run at once: enough to keep all workers busy, few enough for any file.
constexpr std::size_t kBatchRows = 1'024;

Result<std::size_t> count_records(const std::string& path) {
  PETRI_TRY(const auto lines, LineReader::open(path));
  std::size_t count = 0;
  for (;; ++count) {
    PETRI_TRY(const auto line, lines->next());
    if (!line) return count - std::min<std::size_t>(count, 1);
  }
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
        escape_text(function.module, 100), escape_text(function.name, 100), function.type, function.version));
  }
  return {};
}

// Chooses rows of which there are `total`, each with the same chance.
class Sample {
 public:
  Sample(std::size_t total, std::size_t wanted, std::uint64_t seed)
      : left_(total), wanted_(wanted == 0 ? total : std::min(wanted, total)), random_(seed) {}
  bool takes_next() {
    const bool taken = random_.next() % left_ < wanted_;
    --left_;
    if (taken) --wanted_;
    return taken;
  }

 private:
  std::size_t left_;
  std::size_t wanted_;
  SeededRandom random_;
};

// What each row of the file was a record of, to see whether what repeats it is the same.
class RowKeys {
 public:
  void add(const StoredRecord& stored) { keys_.push_back({.row = stored.record.row, .key = key_of(stored)}); }
  std::optional<FieldDifference> check(const StoredRecord& stored) const {
    if (!stored.record.repeats_row) return std::nullopt;
    const std::size_t row = *stored.record.repeats_row;
    const auto known = std::ranges::lower_bound(keys_, row, {}, &Entry::row);
    if (known != keys_.end() && known->row == row && known->key == key_of(stored)) return std::nullopt;
    return FieldDifference{.field = "repeats_row", .in_file = std::to_string(row), .found = "another candidate"};
  }

 private:
  struct Entry {
    std::size_t row;
    std::uint64_t key;
  };
  static std::uint64_t key_of(const StoredRecord& stored) {
    Digest digest{};
    if (stored.wasm) digest = sha256(*stored.wasm);
    if (stored.wat) digest = sha256({reinterpret_cast<const std::uint8_t*>(stored.wat->data()), stored.wat->size()});
    std::uint64_t key;
    std::memcpy(&key, digest.data(), sizeof(key));
    return key;
  }
  std::vector<Entry> keys_;  // in the order of the file, which is that of the rows
};

struct ReadRecord {
  StoredRecord stored;
  std::size_t line = 0;
};

class Verifier {
 public:
  Verifier(RecordsReader& reader, const HostFunctions& host, const VerifyOptions& options)
      : reader_(reader), evaluator_(host), options_(options) {}

  Result<Verification> run(std::size_t records);

 private:
  Result<bool> read_batch(Sample& sample);
  Result<void> take(StoredRecord stored, bool sampled);
  Result<void> verify_batch();
  void compare(const ReadRecord& read, Record found);
  void note(std::optional<std::size_t> row, std::size_t line, FieldDifference difference);
  Result<void> note_unreadable(Error error);
  void tell() const;

  RecordsReader& reader_;
  Evaluator evaluator_;
  const VerifyOptions& options_;
  Verification result_;
  std::size_t next_row_ = 0;
  RowKeys keys_;
  std::vector<ReadRecord> batch_;
};

Result<Verification> Verifier::run(std::size_t records) {
  result_.rows = records;
  const RecordsHeader& header = reader_.header();
  const Rules rules{.abi = header.abi, .fuel_table = header.fuel_table, .host_functions = header.host_functions};
  const Digest digest = spec_digest(header.cases, header.spec, rules);
  if (digest != header.digest)
    note(std::nullopt, 1, {.field = "spec", .in_file = hex(header.digest), .found = hex(digest)});
  Sample sample(records, options_.sample, options_.sample_seed);
  tell();
  bool more = true;
  while (more && !result_.difference && !result_.cancelled) {
    PETRI_TRY(more, read_batch(sample));
    PETRI_TRY(verify_batch());
    tell();
  }
  return result_;
}

// False at the end of the file, or where it cannot be read on.
Result<bool> Verifier::read_batch(Sample& sample) {
  batch_.clear();
  while (batch_.size() < kBatchRows) {
    auto stored = reader_.next();
    if (!stored) {
      PETRI_TRY(note_unreadable(std::move(stored.error())));
      return false;
    }
    if (!*stored) return false;
    PETRI_TRY(take(std::move(**stored), sample.takes_next()));
    if (result_.difference) return false;
  }
  return true;
}

Result<void> Verifier::take(StoredRecord stored, bool sampled) {
  next_row_ = stored.record.row + 1;
  if (auto difference = keys_.check(stored)) note(stored.record.row, reader_.line(), std::move(*difference));
  keys_.add(stored);
  const bool has_content = stored.wasm || stored.wat;
  if (!sampled) ++result_.not_sampled;
  if (sampled && !stored.record.repeatable) ++result_.not_repeatable;
  if (sampled && stored.record.repeatable && !has_content) ++result_.left_out;
  if (!sampled || !stored.record.repeatable || !has_content) return {};
  batch_.push_back({.stored = std::move(stored), .line = reader_.line()});
  return {};
}

// A field that cannot be what it says is a difference too; a file that cannot be read is not.
Result<void> Verifier::note_unreadable(Error error) {
  const std::string field(error.detail("field"));
  if (error.code != ErrorCode::parse_failed || field.empty()) return fail(std::move(error));
  // What was read before stands first.
  PETRI_TRY(verify_batch());
  batch_.clear();
  note(next_row_, reader_.line(), {.field = field, .in_file = error.message, .found = "a record"});
  return {};
}

Result<void> Verifier::verify_batch() {
  std::vector<Candidate> candidates;
  for (const ReadRecord& read : batch_) {
    candidates.push_back(read.stored.wasm ? Candidate::wasm(*read.stored.wasm) : Candidate::wat(*read.stored.wat));
  }
  const EvaluationOptions options{.workers = options_.workers,
                                  .tier = options_.tier,
                                  .case_time_max = options_.case_time_max,
                                  .stop = options_.stop,
                                  .use_cache = false,
                                  .receipts = false};
  PETRI_TRY(Evaluation found, evaluator_.evaluate(candidates, reader_.header().cases, reader_.header().spec, options));
  for (std::size_t index = 0; index < batch_.size(); ++index) compare(batch_[index], std::move(found.records[index]));
  return {};
}

void Verifier::compare(const ReadRecord& read, Record found) {
  const Record& in_file = read.stored.record;
  if (found.error == ErrorCode::cancelled) {
    result_.cancelled = true;
    return;
  }
  if (reader_.header().scored_by == ScoredBy::host) found.score = in_file.score;
  if (reader_.header().receipts && can_have_receipt(found)) found.receipt = receipt_of(found, reader_.header().digest);
  auto difference = first_difference(in_file, found);
  if (difference) return note(in_file.row, read.line, std::move(*difference));
  ++result_.verified;
}

// The first one counts; rows come in their order.
void Verifier::note(std::optional<std::size_t> row, std::size_t line, FieldDifference difference) {
  if (result_.difference && result_.difference->line <= line) return;
  result_.difference = Difference{.row = row,
                                  .line = line,
                                  .field = std::move(difference.field),
                                  .in_file = escape_text(difference.in_file, 200),
                                  .found = escape_text(difference.found, 200)};
}

void Verifier::tell() const {
  if (!options_.on_progress) return;
  try {
    options_.on_progress(result_.verified + result_.not_repeatable + result_.left_out + result_.not_sampled,
                         result_.rows);
  } catch (...) {
    // Nobody listens any more; the verification goes on.
  }
}

}  // namespace

Result<Verification> verify(const std::string& path, const HostFunctions& host, const VerifyOptions& options) {
  PETRI_TRY(const std::size_t records, count_records(path));
  PETRI_TRY(const auto reader, RecordsReader::open(path));
  PETRI_TRY(check_rules(reader->header(), rules_here(host)));
  return Verifier(*reader, host, options).run(records);
}

}  // namespace petri
