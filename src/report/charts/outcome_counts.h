// How many candidates ended in which way.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/evaluate.h"

namespace petri {

enum class EndGroup { ok, guest, limit, error };

// One way to end, and an example of what is said about it.
struct EndCount {
  std::string_view name;  // of the outcome kind or error code
  EndGroup group = EndGroup::ok;
  std::size_t count = 0;
  std::map<std::string_view, std::size_t> parts;  // by trap code
  std::string message;                            // of the first record of an error
};

class OutcomeCounts {
 public:
  void add(const Record& record);

  // The outcomes that occurred: ok first, then the most frequent first.
  std::vector<EndCount> ends() const;
  std::size_t ok() const;
  std::size_t total() const { return total_; }

 private:
  EndCount& end_of(const Record& record);
  std::map<OutcomeKind, EndCount> outcomes_;
  std::map<ErrorCode, EndCount> errors_;
  std::size_t total_ = 0;
};

// A limit ended it, the guest did itself, ...
EndGroup group_of(OutcomeKind kind);

}  // namespace petri
