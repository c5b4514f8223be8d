// Batches: one verb for many sandboxes, with a result for each row, in the order of the input, whatever becomes of the
// others.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "petri/evaluate.h"
#include "petri/outcome.h"
#include "petri/reload.h"
#include "petri/result.h"
#include "petri/source.h"
#include "petri/value.h"

namespace petri {

// How far a batch is.
struct BatchProgress {
  std::size_t done = 0;  // never falls, and ends at `total`
  std::size_t total = 0;
  std::size_t errors = 0;  // rows of `done` that are errors
};

// How a batch is carried out, and when it ends early.
struct BatchOptions {
  std::size_t concurrency_max = 0;  // rows under way at a time; 0: four for each worker of the runtime
  // When it has passed, or a stop is asked for, the rows that are done keep their results, the others are `cancelled`,
  // and the batch returns. A row under way is ended; a sandbox that it was creating is gone. A destroy or a reload that
  // has started is completed all the same.
  std::optional<std::chrono::nanoseconds> time_max;
  std::stop_token stop;
  // Called on a thread of the batch, one call at a time. One that throws is not called again.
  std::function<void(const BatchProgress&)> on_progress;
};

// One payload for all rows, or one for each.
template <typename Payload>
class PerRow {
 public:
  PerRow(Payload for_all) : payloads_(std::in_place_index<0>, std::move(for_all)) {}  // NOLINT: as it is given
  PerRow(std::vector<Payload> for_each) : payloads_(std::in_place_index<1>, std::move(for_each)) {}  // NOLINT

  // True if there is a payload for each of so many rows.
  bool fits(std::size_t rows) const { return payloads_.index() == 0 || std::get<1>(payloads_).size() == rows; }
  // The payload of a row; only where it fits.
  const Payload& at(std::size_t row) const {
    return payloads_.index() == 0 ? std::get<0>(payloads_) : std::get<1>(payloads_)[row];
  }

 private:
  std::variant<Payload, std::vector<Payload>> payloads_;
};

// A call of a batch: Sandbox::call with these.
struct CallPayload {
  std::string function;  // empty: petri_handle, with the input
  std::vector<Value> arguments;
  std::string input;
  std::string process;  // empty: the only one
};

// A run of a batch: Sandbox::run with these.
struct RunPayload {
  std::string module;
  std::string function;
  std::vector<Value> arguments;
  std::string input;
};

// New code for a module of each sandbox. The source says what it is: bytes are never tried as text.
struct ReloadPayload {
  std::string module;
  Source source;
  ReloadOptions options = {};
};

// How candidates are evaluated in forks of a live sandbox.
struct ForkEvaluation {
  std::string module;    // whose code a candidate takes the place of
  std::string function;  // that is called with each case; empty: petri_handle, with the case's input
  std::string process;   // that is called; empty: the only one
  ReloadOptions reload = {};
};

// The outcomes of one candidate in its fork.
struct ForkRecord {
  ReloadReport reload;
  // One for each case until the first that is not ok; that one is the last.
  std::vector<Outcome> outcomes;
  std::optional<Error> error;  // of a case that was not entered: the process had ended, say
  std::uint64_t fuel_used = 0;
  std::uint64_t memory_peak_bytes = 0;  // the largest of the outcomes

  bool is_ok() const { return !error && (outcomes.empty() || outcomes.back().kind == OutcomeKind::ok); }
};

}  // namespace petri
