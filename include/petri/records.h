// Records: written while an evaluation runs, read back, and verified by running the candidates again.
//
// A file has one of two forms with the same content: JSON Lines, and a compact one that costs a third of the time and
// two thirds of the space. Everything that reads records reads both; convert_records() makes one of the other.
//
// The first line says what was evaluated: {"petri_records":2, "function":..., limits, "seed":..., "cases":[...]}, with
// the harness itself if there is one. Each further line is one record, with the candidate itself, so that a file needs
// nothing else to be verified. The final line counts the records and has the SHA-256 of every byte before it:
// {"records":1000,"sha256":"..."}; a file without it is incomplete. The same evaluation gives the same bytes on any
// number of workers, in every tier and process; what differs goes to a timings file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "petri/evaluate.h"
#include "petri/result.h"
#include "petri/tier.h"

namespace petri {

// The format that is written; others are not read.
constexpr std::uint32_t kRecordsFormat = 2;

// compact: the lines stand behind their lengths (four bytes, the highest first). The first is the text "petri records";
// then come the header as JSON, each record as bytes, and the final line as JSON.
enum class RecordsForm : std::uint8_t { json_lines, compact };
std::string_view name_of(RecordsForm form);
// The form that a file's name asks for: compact when it ends with ".records".
RecordsForm records_form_of(std::string_view path);

// A longer line is neither written nor read.
constexpr std::size_t kRecordsLineBytesMax = std::size_t{256} << 20;

// The source of the score: none, what the cases say is right (targets, expected outputs), a function of the host, whose
// answer no one else can repeat, or the spec's harness.
enum class ScoredBy : std::uint8_t { nobody, targets, host, harness };
std::string_view name_of(ScoredBy by);

// A function of the embedder's that candidates could import.
struct HostFunctionUsed {
  std::string module;
  std::string name;
  std::string type;  // "(i32 f64) -> i32"
  std::uint32_t version = 1;
  std::uint32_t fuel = 0;
  bool operator==(const HostFunctionUsed&) const = default;
};

// The first line of a records file.
struct RecordsHeader {
  EvaluationSpec spec;
  std::vector<Case> cases;
  ScoredBy scored_by = ScoredBy::nobody;
  bool receipts = true;
  std::uint32_t fuel_table = 0;
  std::uint32_t abi = 0;
  std::vector<HostFunctionUsed> host_functions;
  Sha256 digest{};  // of all of this, as receipts bind it
  bool operator==(const RecordsHeader&) const = default;
};

// A record line. It has the candidate's wasm as it was sent, or the wat text that did not parse, or, when it was larger
// than module_bytes_max, neither.
struct StoredRecord {
  Record record;
  std::optional<std::vector<std::uint8_t>> wasm;
  std::optional<std::string> wat;
  std::optional<Origin> origin;
};

// The final line.
struct RecordsEnding {
  std::uint64_t records = 0;
  Sha256 sha256{};              // of every byte before it
  std::uint64_t cancelled = 0;  // rows behind the last record that were not done
  bool operator==(const RecordsEnding&) const = default;
};

// A file of whole lines: what is written is whole lines, in as few writes as possible, and a line that does not fit on
// the disk is cut off. Used by one evaluation at a time.
class LineFile;

// Give one to EvaluationOptions::records.
class RecordsWriter {
 public:
  // Makes the file, or empties it; io_error when that cannot be. Without a form, its name says which. "-" is standard
  // output.
  static Result<std::unique_ptr<RecordsWriter>> create(const std::string& path,
                                                       std::optional<RecordsForm> form = std::nullopt);
  // Continues a file that has its final line, in the form that it has: what is evaluated next follows its last row, and
  // the final line is written anew. It must be an evaluation of the same spec and cases; the file stays as it is until
  // one starts. Creates the file if there is none. Nobody else may append to it meanwhile: busy. Errors are those of
  // RecordsReader; validation_failed without a final line that fits.
  static Result<std::unique_ptr<RecordsWriter>> append(const std::string& path);
  ~RecordsWriter();

  // Writes the final line, hands everything to the machine and closes the file; io_error when a line was lost. Nothing
  // more can be written. `not_evaluated` rows were never given to an evaluation though they belong to the run. A file
  // that is not closed has no final line, and so is incomplete.
  Result<void> close(std::size_t not_evaluated = 0);
  std::size_t records() const;  // written so far

 private:
  friend struct RecordsWriterAccess;
  RecordsWriter(std::unique_ptr<LineFile> file, RecordsForm form);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Give one to EvaluationOptions::timings: {"row":0,"tier":"interpreted","wall_ns":5100,"cache_hit":false} a line.
class TimingsWriter {
 public:
  // Creates or empties the file; io_error names the path.
  static Result<std::unique_ptr<TimingsWriter>> create(const std::string& path);
  ~TimingsWriter();
  // Brings everything to the file; what is added later is dropped.
  Result<void> close();

 private:
  friend struct RecordsWriterAccess;
  explicit TimingsWriter(std::unique_ptr<LineFile> file);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Bounds on a line; more is too_large. Each value takes some ten bytes of memory, however few it has in the file.
struct RecordsBounds {
  std::size_t header_bytes_max = kRecordsLineBytesMax;  // of the first line
  std::size_t values_max = std::size_t{16} << 20;  // of any: numbers, strings, lists, objects and the names of fields
};

// Reads a records file line by line, in bounded memory: a file may come from anywhere. io_error when it cannot be read;
// parse_failed, with detail "line", for a line that is cut off or is not what it should be; too_large for one that is
// too long or too deep; validation_failed for records of another format. Nothing in it has been verified.
class RecordsReader {
 public:
  // Opens a file and reads its first line.
  static Result<std::unique_ptr<RecordsReader>> open(const std::string& path, const RecordsBounds& bounds = {});
  ~RecordsReader();

  RecordsForm form() const;
  const RecordsHeader& header() const;
  // Nothing at the end of the file.
  Result<std::optional<StoredRecord>> next();
  std::size_t line() const;  // of the last line that was read, counted from 1

  // The final line, if there is one, and what it should say of the lines before it; to be asked once next() gave
  // nothing.
  const std::optional<RecordsEnding>& ending() const;
  RecordsEnding expected_ending() const;
  // The last error of next() was a line without its end: the file was not written to its end.
  bool is_cut_off() const;

 private:
  struct Impl;
  explicit RecordsReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// All of a records file.
struct RecordsFile {
  RecordsHeader header;
  std::vector<StoredRecord> records;
  std::optional<RecordsEnding> ending;
};
// Reads all of a file into memory; errors are those of RecordsReader.
Result<RecordsFile> read_records(const std::string& path);

// The result of a conversion.
struct RecordsConversion {
  std::size_t records = 0;
  bool complete = false;  // the file had its final line, so the new one has
};
// Writes the records of one file into another, which is created or emptied; without a form, the name of that one says
// which. A file that is cut off or has no final line gives one without: incomplete stays incomplete. validation_failed
// when the final line does not fit the lines before it: nobody is to take the new file for what was evaluated.
Result<RecordsConversion> convert_records(const std::string& from, const std::string& to,
                                          std::optional<RecordsForm> form = std::nullopt);

// Bounds on what a file may ask of the machine that verifies it, whatever limits it was written with.
struct VerifyLimits {
  std::uint64_t fuel_max = 1'000'000'000;                       // per case
  std::uint64_t memory_bytes_max = 256ULL << 20;                // per case, for each worker
  std::chrono::nanoseconds time_max = std::chrono::minutes(1);  // per row, over all its cases

  // The bounds on lines by which reading one takes about `memory_bytes_max`: a quarter of it for the first line, 16 MiB
  // at least, and a value for each 64 bytes, a million at least.
  RecordsBounds bounds() const;
};

// How a file is verified.
struct VerifyOptions {
  Tier tier = Tier::automatic;
  unsigned workers = 0;    // 0: one a core
  std::size_t sample = 0;  // this many rows, chosen by `sample_seed`; 0: all
  std::uint64_t sample_seed = 0;
  VerifyLimits limits;
  std::function<void(std::size_t done, std::size_t total)> on_progress;
  std::stop_token stop;
};

// The first thing that is not as the file says.
struct Difference {
  std::optional<std::size_t> row;  // nullopt: the first or the final line
  std::size_t line = 0;
  std::string field;
  std::string in_file;
  std::string found;
};

// A row that could not be compared, and why not: "it was ended by time".
struct NotVerified {
  std::size_t row = 0;
  std::size_t line = 0;
  std::string why;
};

// verified: every row (of the sample) was run again with the same results, and the file is whole. incomplete: no
// difference was found, but not everything could be compared or is in the file. stopped: by the stop token, before the
// end.
enum class VerificationVerdict : std::uint8_t { verified, incomplete, different, stopped };
std::string_view name_of(VerificationVerdict verdict);

// The result of a verification.
struct Verification {
  static constexpr std::size_t kListedMax = 100;

  std::size_t rows = 0;            // in the file
  std::size_t verified = 0;        // run again, all the same
  std::size_t not_repeatable = 0;  // time ended them when the file was written: nothing to compare
  std::size_t left_out = 0;        // candidates too large to be in the file
  std::size_t over_limits = 0;     // they ask for more than VerifyLimits, or took longer
  std::size_t failed_here = 0;     // petri or the machine failed while they were run again
  std::size_t not_sampled = 0;
  std::size_t cancelled_rows = 0;   // of the run, not in the file
  std::vector<NotVerified> listed;  // the first kListedMax rows that count as one of the middle four
  bool whole = false;               // the final line is there and fits
  bool scores_repeated = true;      // false: a function of the host gave them
  std::optional<Difference> difference;
  bool cancelled = false;  // the stop token ended it

  VerificationVerdict verdict() const;
};

// Runs the candidates of a file again and compares every field. Nothing in the file is trusted: its limits hold only as
// far as `options.limits` allow, and a row that asks for more is not run. Whatever the file says the host has to offer
// is needed in `host`; otherwise, and for files that cannot be read, an Error. A host's score is taken as it stands,
// but its receipt still has to fit.
Result<Verification> verify(const std::string& path, const HostFunctions& host = {}, const VerifyOptions& options = {});

}  // namespace petri
