// Evaluation: many candidates over many cases, one record each, the same to the bit every time.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "petri/artifact.h"
#include "petri/host_functions.h"
#include "petri/outcome.h"
#include "petri/result.h"
#include "petri/tier.h"
#include "petri/value.h"

namespace petri {

class RecordsWriter;
class TimingsWriter;
struct EvaluatorAccess;

// The origin of a candidate, in the words of its author: carried into the records file, part of no receipt.
struct Origin {
  std::string name;  // of a file, say
  std::optional<std::uint64_t> generation;
  std::vector<ArtifactId> parents;
  std::string mutation;  // what was done to the parents
  bool operator==(const Origin&) const = default;
};

// A program to evaluate: wasm bytes, wat text, or an artifact that has passed the gate. Bytes and text are borrowed
// until evaluate() returns; bytes that are not wasm are a `rejected` row, never tried as text. A candidate that its
// owner could not read, or did not because it is too large, is a row with that error.
class Candidate {
 public:
  // The four forms of a candidate.
  static Candidate wasm(std::span<const std::uint8_t> bytes) { return Candidate(bytes); }
  static Candidate wat(std::string_view text) { return Candidate(text); }
  static Candidate artifact(ArtifactPtr artifact) { return Candidate(std::move(artifact)); }
  static Candidate unread(Error why) { return Candidate(std::make_shared<const Error>(std::move(why))); }

  // The same candidate with an origin.
  Candidate from(Origin origin) && {
    origin_ = std::make_shared<const Origin>(std::move(origin));
    return std::move(*this);
  }

  // The form that was given.
  using Form = std::variant<std::span<const std::uint8_t>, std::string_view, ArtifactPtr, std::shared_ptr<const Error>>;
  const Form& form() const { return form_; }
  const Origin* origin() const { return origin_.get(); }  // may be none

 private:
  explicit Candidate(Form form) : form_(std::move(form)) {}
  Form form_;
  std::shared_ptr<const Origin> origin_;
};

// One call: numbers for the function's parameters, or bytes for its input, or both.
struct Case {
  std::vector<Value> arguments;
  std::string input;
  std::optional<std::string> expected;  // the output that is right, for Scorer::exact and Scorer::tolerance; any bytes
  bool operator==(const Case&) const = default;
};

// A module that is called in the candidates' place and calls them: it imports functions of theirs from the module
// "candidate", and from the host what candidates may. Two are equal when their bytes are.
class Harness {
 public:
  Harness() = default;
  Harness(ArtifactPtr artifact) : artifact_(std::move(artifact)) {}  // NOLINT: a spec names the artifact

  const ArtifactPtr& artifact() const { return artifact_; }  // nullptr: candidates are called themselves
  explicit operator bool() const { return artifact_ != nullptr; }
  bool operator==(const Harness& other) const {
    if (artifact_ == nullptr || other.artifact_ == nullptr) return artifact_ == other.artifact_;
    return artifact_->id() == other.artifact_->id();
  }

 private:
  ArtifactPtr artifact_;
};

// The instances of a candidate: one for all cases or a fresh one for each.
enum class Instances : std::uint8_t { per_candidate, per_case };
std::string_view name_of(Instances instances);

// How the score follows from the cases; the lowest score is the best, and with equal scores the one of less fuel.
enum class Scorer : std::uint8_t {
  // The sum over the cases of the squared difference between the first value and the target; NaN unless every case is
  // ok and gives a number.
  squared_error,
  // The number of cases that are not right, those that were left out among them. A case is right when it ended ok or
  // with exit code 0, its output is the expected one, and its first value is its target, as far as it has them.
  exact,
  // As exact, but numbers may differ by `tolerance`, times the number that is right where that is larger than 1, and
  // outputs are compared word by word: white space only separates words.
  tolerance,
  // The first of `metrics`: the harness's function returns one number for each, summed over the cases; NaN unless every
  // case is ok.
  metrics,
};
std::string_view name_of(Scorer scorer);

// Everything that a receipt binds besides the candidate and the cases: nothing here depends on the machine or on a
// random generator.
struct EvaluationSpec {
  std::string function;
  std::uint64_t fuel_max = 100'000'000;  // per case; an instantiation is paid by the case after it
  // The bound on a guest's memory, and on a row: where a function returns several values, those of all cases together
  // must fit, or the row is too_large.
  std::uint64_t memory_bytes_max = 16ULL << 20;
  std::uint64_t output_bytes_max = 1ULL << 20;
  std::uint64_t call_depth_max = 1'024;
  std::uint64_t module_bytes_max = 5ULL << 20;
  std::uint64_t seed = 0;
  // After a case that is not ok the next gets a fresh one either way; a WASI command (`_start`, of the candidate or of
  // the harness) gets one for every case.
  Instances instances = Instances::per_candidate;
  // Leave out the cases after the first that is not ok, or, where answers are compared, not right.
  bool stop_at_first_failure = false;
  std::vector<double> targets;  // the numbers that are right, one a case; none: there is none to compare with
  // `function` is then its, and what it gives is what is recorded and scored. Candidate and harness have one account of
  // fuel, memory and depth, and become fresh together. A candidate that lacks a function it imports, or has it with
  // another type, is a link_error row.
  Harness harness;
  // Without targets, expected outputs and metrics there is no score.
  Scorer scorer = Scorer::squared_error;
  double tolerance = 1e-6;           // of Scorer::tolerance
  std::vector<std::string> metrics;  // the names of the numbers that the harness returns, for Scorer::metrics
  // The first bytes of each case's output are kept in the record, up to so many; of all cases of a row together
  // kKeptOutputsBytesMax at most, or memory_bytes_max if that is less.
  std::uint64_t keep_output_bytes = 0;
  bool operator==(const EvaluationSpec&) const = default;
};
constexpr std::uint64_t kKeptOutputsBytesMax = 16ULL << 20;

// The part of a case's output that a record keeps. It is not cut within a character of UTF-8.
struct KeptOutput {
  std::string text;
  std::uint64_t bytes = 0;  // how many the case wrote
  bool operator==(const KeptOutput&) const = default;
};

// The deterministic part of what is known of one candidate. Exactly one of `outcome` and `error` is set.
struct Record {
  std::size_t row = 0;
  std::optional<ArtifactId> artifact;        // none when the candidate never became one
  std::optional<OutcomeKind> outcome;        // of the first case that is not ok, else ok
  std::optional<TrapCode> trap;              // of that case
  std::optional<std::int32_t> exit_code;     // of that case
  std::optional<ErrorCode> error;            // rejected, parse_failed, link_error, not_found, cancelled ...
  std::string message;                       // of the error
  std::optional<std::size_t> first_failure;  // the first case that is not ok
  std::vector<ValueType> value_types;        // of one case: the function's results
  std::vector<std::uint64_t> value_bits;     // of each case that was run, in order; zeros for one that is not ok
  std::vector<OutcomeKind> kinds;            // of each case that was run
  std::optional<Sha256> output;              // over the outputs of the cases that were run, when any wrote one
  std::uint64_t fuel_used = 0;               // over all cases
  std::uint64_t memory_peak_bytes = 0;       // the largest
  std::optional<double> score;
  std::vector<std::uint64_t> wrong;  // with the scorers exact and tolerance: the cases that were run and are not right
  std::vector<double> metrics;       // with Scorer::metrics: its sums
  std::vector<KeptOutput> outputs;   // of each case that was run; empty unless they are kept and one wrote something
  std::optional<std::size_t> repeats_row;  // an earlier row of this batch was the same candidate
  bool repeatable = true;                  // false when time ended it, or petri itself failed: then no receipt
  std::optional<Sha256> receipt;           // none either when the candidate never became an artifact

  std::size_t values_per_case() const { return value_types.size(); }
  // The value of a case that was run; nullopt when it is not ok.
  std::optional<Value> value(std::size_t case_number, std::size_t result = 0) const;
};

// The part of a record that differs from run to run.
struct Timing {
  Tier tier = Tier::interpreted;  // of the last case
  std::chrono::nanoseconds wall_time{0};
  bool cache_hit = false;  // the record comes from an earlier batch
};

// One case of one candidate, as a scorer sees it. Borrowed during the call.
struct CaseView {
  OutcomeKind kind = OutcomeKind::ok;
  std::span<const std::uint64_t> value_bits;  // in the order of the function's results; zeros when not ok
  std::string_view output;
};

// How far an evaluation has come.
struct Progress {
  std::size_t done = 0;  // never falls, and ends at `total`
  std::size_t total = 0;
  std::array<std::size_t, 10> outcomes{};  // rows that ended so, by OutcomeKind
  std::size_t errors = 0;                  // rows that are errors
  std::size_t of(OutcomeKind kind) const { return outcomes[static_cast<std::size_t>(kind)]; }
};

// Options of carrying out an evaluation; they change no record, unless the deadline ends a case.
struct EvaluationOptions {
  unsigned workers = 0;  // 0: one a core
  Tier tier = Tier::automatic;
  std::chrono::nanoseconds case_time_max = std::chrono::seconds(10);
  // Over all cases of a candidate; one that takes longer is a row with the error `timeout`, which is not repeatable.
  std::chrono::nanoseconds candidate_time_max = std::chrono::nanoseconds::max();
  // The scorer is called on a worker, several at once, after a candidate's last case; its answer is the record's score.
  // It replaces the spec's. Not called for rows that are errors or repeat an earlier row. One that throws gives the row
  // the error host_fault, and so do outputs of all cases together beyond 16 times memory_bytes_max.
  std::function<double(std::size_t row, std::span<const CaseView> cases)> scorer;
  // Progress is reported on a worker, one call at a time. A callback that throws is not called again.
  std::function<void(const Progress&)> on_progress;
  // True ends the evaluation early, like the stop token: what is done is kept, the other rows are `cancelled`. Asked
  // after each record, in any order, one at a time. One that throws is not asked again.
  std::function<bool(const Record&)> enough;
  std::stop_token stop;
  // Finished rows are written as they come, in input order, cancelled ones left out. Several evaluations of one spec
  // and the same cases may follow each other in one file. A failure to write ends the evaluation early.
  RecordsWriter* records = nullptr;
  TimingsWriter* timings = nullptr;
  bool use_cache = true;
  bool receipts = true;
};

// Rows of an evaluation by how they ended.
struct EvaluationCounts {
  std::size_t rows = 0;
  std::size_t evaluated = 0;   // rows whose candidate was looked at now
  std::size_t repeated = 0;    // rows that repeat an earlier one of this batch
  std::size_t cache_hits = 0;  // rows whose record comes from an earlier batch
  std::size_t cancelled = 0;
  std::size_t promoted = 0;  // candidates whose last case ran compiled though they started interpreted
  std::size_t done() const { return rows - cancelled; }
};

// The records of an evaluation, and counts of them.
struct Evaluation {
  std::vector<Record> records;  // one a candidate, in input order
  std::vector<Timing> timings;
  EvaluationCounts counts;
  std::optional<Error> write_error;  // of options.records or options.timings: what their files lack
  std::chrono::nanoseconds wall_time{0};
};

// The resources of an evaluator, for all its evaluations.
struct EvaluatorOptions {
  std::size_t cache_records_max = 100'000;  // and 256 MiB at most
  std::size_t compiled_modules_max = 1'000;
  // An artifact is compiled once it has burned this much, and promote_fuel_per_byte for each byte of its code.
  std::uint64_t promote_fuel = 500'000;
  std::uint64_t promote_fuel_per_byte = 2'000;
  std::chrono::nanoseconds promotion_time_max = std::chrono::seconds(10);
  // For candidates that are compiled from the start; promotions have a time of their own. A candidate that cannot be
  // compiled within this is interpreted, with the same results.
  MachineCodeOptions compile;
};

// Counts of an evaluator over all its evaluations.
struct EvaluatorStatistics {
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
  std::uint64_t cache_records = 0;     // held now
  std::uint64_t compiled_modules = 0;  // held now
  std::uint64_t promotions = 0;
  std::uint64_t promotions_given_up = 0;
  bool compiling_unavailable = false;  // there is no compile worker: hot candidates stay interpreted
};

// Evaluates under full determinism: virtual time, randomness from seed and artifact alone, anew for each instance.
// Candidates may import input, output, exit, log, clock, random, math, WASI without files, and embedder functions
// marked deterministic; another import is a link_error row. An Error means that nothing was evaluated: a bad spec,
// cases that contradict each other, a harness that lacks the function or imports what nobody offers. Safe to call from
// any thread; compiled code and cached records are kept between calls.
class Evaluator {
 public:
  explicit Evaluator(HostFunctions host = {}, EvaluatorOptions options = {});
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Runs every candidate on every case, and returns a record for each candidate, in their order.
  Result<Evaluation> evaluate(std::span<const Candidate> candidates, std::span<const Case> cases,
                              const EvaluationSpec& spec, const EvaluationOptions& options = {});

  EvaluatorStatistics statistics() const;

 private:
  struct Impl;
  friend struct EvaluatorAccess;
  explicit Evaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The digest of an evaluation's spec, and the receipt of a record. Anyone can compute a receipt from the candidate, the
// cases, the spec and the results. The spec's digest also binds the versions of fuel table and ABI, and of the
// embedder's deterministic functions.
Sha256 spec_digest(std::span<const Case> cases, const EvaluationSpec& spec, const HostFunctions& host);
Sha256 receipt_of(const Record& record, const Sha256& spec);

}  // namespace petri
