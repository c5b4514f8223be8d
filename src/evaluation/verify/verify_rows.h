// The rows of a file that is verified: which are taken, what each asks for, which repeat one another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/records/compare.h"
#include "host/functions/seeded_random.h"
#include "petri/records.h"

namespace petri {

// Chooses rows of which there are `total`, each with the same probability.
class RowSample {
 public:
  RowSample(std::size_t total, std::size_t wanted, std::uint64_t seed);
  // A file that has grown since it was counted has more than `total`: these are taken.
  bool takes_next();

 private:
  std::size_t left_;
  std::size_t wanted_;
  SeededRandom random_;
};

// The key of each row of the file, to see whether a row that repeats another is the same.
class RowKeys {
 public:
  void add(const StoredRecord& stored);
  std::optional<FieldDifference> check(const StoredRecord& stored) const;

 private:
  struct Entry {
    std::size_t row;
    std::uint64_t key;
  };
  std::vector<Entry> keys_;  // in the order of the file, which is that of the rows
};

// Why the row is not to be run: it says itself that it took more than is allowed. nullopt: it may be run within the
// limits, and then ends as it says, or is a lie.
std::optional<std::string> over_limits(const Record& record, const EvaluationSpec& spec, const VerifyLimits& limits);

// The fuel, where cases that ran out of it must have used more.
std::optional<FieldDifference> wrong_fuel(const Record& record, const EvaluationSpec& spec);

// More than a case of the record can need if it is true, and not much more: what a lie may use up.
std::uint64_t fuel_to_allow(const Record& record, const EvaluationSpec& spec);

// The spec as far as the limits allow. What a row that is not over them did is the same under it: limits show in a
// result only where they are met.
EvaluationSpec within(EvaluationSpec spec, const VerifyLimits& limits);

// About as many bytes as verifying it holds.
std::size_t bytes_held(const StoredRecord& stored);

}  // namespace petri
