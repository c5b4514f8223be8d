// The problems with the arguments of a verb: all of them in one answer.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/complaints.h"
#include "cli/command_error.h"
#include "petri/result.h"

namespace petri::cli {

class Problems {
 public:
  void add(Error error) {
    complaints_.add_clause("", std::string(without_full_stop(error.message)));
    if (!first_) first_ = std::move(error);
  }
  void add(Result<void> result) {
    if (!result) add(std::move(result.error()));
  }
  // The value, or nothing once what is wrong with it is noted.
  template <typename Value>
  std::optional<Value> take(Result<Value> result) {
    if (result) return *std::move(result);
    add(std::move(result.error()));
    return std::nullopt;
  }

  bool empty() const { return complaints_.empty(); }
  // One problem is itself; several are one validation_failed.
  Result<void> result() const {
    if (empty()) return {};
    if (complaints_.count() == 1) return fail(*first_);
    return fail(ErrorCode::validation_failed, complaints_.message());
  }

 private:
  Complaints complaints_;
  std::optional<Error> first_;
};

}  // namespace petri::cli
