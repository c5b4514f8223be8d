// Where an instance keeps its state, and the way between there and a document. No guest code runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "petri/state.h"
#include "petri/value.h"

namespace petri {

// An exported mutable global; one called "state.count" is the field "count".
struct StateGlobal {
  std::string name;
  Value value;
  std::optional<std::uint32_t> index = std::nullopt;  // in the module; two names of one global are no two fields
};

// The source of an instance's state description: its memory as it is now, the address in `petri_state` if it exports
// that, and its exported mutable globals, of which those not called "state." are left alone.
struct StateSource {
  std::span<const std::uint8_t> memory;
  std::optional<std::uint32_t> table;
  std::span<const StateGlobal> globals;
};

// Good for the instance it was read from and for every other that has an equal table and the same globals.
class StateLayout {
 public:
  // Everything that is wrong with table and globals is one state_incompatible; a state that could be read but is larger
  // than `state_bytes_max` is limit_exceeded.
  static Result<StateLayout> read(const StateSource& source, std::uint64_t state_bytes_max = kStateBytesDefault);

  const StateSchema& schema() const { return *schema_; }
  const std::shared_ptr<const StateSchema>& shared_schema() const { return schema_; }

  // The values. Text that is not UTF-8, a boolean that is neither 0 nor 1, and memory or globals that are no longer
  // what they were are state_incompatible.
  Result<StateDocument> capture(std::span<const std::uint8_t> memory, std::span<const StateGlobal> globals) const;
  // Writes the document to its places, or, when it does not fit there, nothing and answers state_incompatible.
  Result<void> restore(const StateDocument& document, std::span<std::uint8_t> memory,
                       std::span<StateGlobal> globals) const;

 private:
  struct Place {
    std::uint64_t address = 0;
    std::uint64_t stride = 0;
    std::optional<std::size_t> global;
  };
  Result<void> check(std::uint64_t memory_bytes, std::span<const StateGlobal> globals) const;

  std::shared_ptr<const StateSchema> schema_;
  std::vector<Place> places_;  // one for each field of the schema
  std::uint64_t memory_bytes_min_ = 0;
};

}  // namespace petri
