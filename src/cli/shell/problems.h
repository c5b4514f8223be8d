// What is wrong with the arguments of a verb: all of it in one answer.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_error.h"
#include "petri/result.h"

namespace petri::cli {

class Problems {
 public:
  void add(Error error) { errors_.push_back(std::move(error)); }
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

  bool empty() const { return errors_.empty(); }
  // One problem is itself; several are one validation_failed.
  Result<void> result() const {
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return fail(errors_.front());
    std::string all;
    for (const Error& error : errors_) all.append(all.empty() ? "" : "; ").append(without_full_stop(error.message));
    return fail(ErrorCode::validation_failed, std::move(all));
  }

 private:
  std::vector<Error> errors_;
};

}  // namespace petri::cli
