// Records as JSON Lines: written while an evaluation runs, read back, and verified by running the candidates again.
//
// The first line says what was evaluated: {"petri_records":1, "function":..., limits, "seed":..., "cases":[...]}, with
// the harness itself if there is one. Each further line is one record, with the candidate itself, so that a file needs
// nothing else to be verified. The same evaluation gives the same bytes on any number of workers, in every tier and
// process; what differs goes to a timings file.
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

constexpr std::uint32_t kRecordsVersion = 1;

// Who gives the score: nobody, the spec's targets, or a function of the host's, whose answer no one else can repeat.
enum class ScoredBy : std::uint8_t { nobody, targets, host };
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

// What the first line says.
struct RecordsHeader {
  EvaluationSpec spec;
  std::vector<Case> cases;
  ScoredBy scored_by = ScoredBy::nobody;
  bool receipts = true;
  std::uint32_t fuel_table = 0;
  std::uint32_t abi = 0;
  std::vector<HostFunctionUsed> host_functions;
  Digest digest{};  // of all of this, as receipts bind it
  bool operator==(const RecordsHeader&) const = default;
};

// What another line says. Of the candidate there is the wasm as it was sent, or the wat text that did not parse, or,
// when it was larger than module_bytes_max, neither.
struct StoredRecord {
  Record record;
  std::optional<std::vector<std::uint8_t>> wasm;
  std::optional<std::string> wat;
  std::optional<Origin> origin;
};

// A file of whole lines: what is written is whole lines, in as few writes as possible, and a line that does not fit on
// the disk is taken back. Used by one evaluation at a time.
class LineFile;

// Give one to EvaluationOptions::records.
class RecordsWriter {
 public:
  // Makes the file, or empties it; io_error when that cannot be.
  static Result<std::unique_ptr<RecordsWriter>> create(const std::string& path);
  ~RecordsWriter();

  // Hands everything to the machine and closes the file; io_error when a line was lost. Nothing more can be written.
  Result<void> close();
  std::size_t records() const;  // written so far

 private:
  friend struct RecordsWriterAccess;
  explicit RecordsWriter(std::unique_ptr<LineFile> file);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Give one to EvaluationOptions::timings: {"row":0,"tier":"interpreted","wall_ns":5100,"cache_hit":false} a line.
class TimingsWriter {
 public:
  static Result<std::unique_ptr<TimingsWriter>> create(const std::string& path);
  ~TimingsWriter();
  Result<void> close();

 private:
  friend struct RecordsWriterAccess;
  explicit TimingsWriter(std::unique_ptr<LineFile> file);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads a records file line by line. io_error when it cannot be read; parse_failed, with detail "line", for a line that
// is cut off or is not what it should be; validation_failed for records of another version.
class RecordsReader {
 public:
  static Result<std::unique_ptr<RecordsReader>> open(const std::string& path);
  ~RecordsReader();

  const RecordsHeader& header() const;
  // Nothing at the end of the file.
  Result<std::optional<StoredRecord>> next();
  std::size_t line() const;  // of the last record, counted from 1

 private:
  struct Impl;
  explicit RecordsReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct RecordsFile {
  RecordsHeader header;
  std::vector<StoredRecord> records;
};
Result<RecordsFile> read_records(const std::string& path);

struct VerifyOptions {
  Tier tier = Tier::automatic;
  unsigned workers = 0;    // 0: one a core
  std::size_t sample = 0;  // this many rows, chosen by `sample_seed`; 0: all
  std::uint64_t sample_seed = 0;
  std::chrono::nanoseconds case_time_max = std::chrono::minutes(10);
  std::function<void(std::size_t done, std::size_t total)> on_progress;
  std::stop_token stop;
};

// The first thing that is not as the file says.
struct Difference {
  std::optional<std::size_t> row;  // none: the first line
  std::size_t line = 0;
  std::string field;
  std::string in_file;
  std::string found;
};

struct Verification {
  std::size_t rows = 0;            // in the file
  std::size_t verified = 0;        // run again, all the same
  std::size_t not_repeatable = 0;  // ended by time: nothing to compare
  std::size_t left_out = 0;        // candidates too large to be in the file
  std::size_t not_sampled = 0;
  std::optional<Difference> difference;
  bool cancelled = false;  // the stop token ended it
};

// Runs the candidates of a file again and compares every field. Whatever the file says the host has to offer is needed
// in `host`; otherwise, and for files that cannot be read, an Error. A host's score is taken as it stands, but its
// receipt still has to fit.
Result<Verification> verify(const std::string& path, const HostFunctions& host = {}, const VerifyOptions& options = {});

}  // namespace petri
