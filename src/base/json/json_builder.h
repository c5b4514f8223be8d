// Puts values together, in the order in which a parser meets them, within bounds.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/bounded_json.h"

namespace petri {

// Every call answers whether the parser may continue; after false there is a fault.
class JsonBuilder {
 public:
  explicit JsonBuilder(const JsonBounds& bounds) : bounds_(bounds) {}

  bool value(nlohmann::json value) { return place(std::move(value)) != nullptr; }
  bool begin(nlohmann::json::value_t kind);
  bool name(std::string name);
  bool end() {
    open_.pop_back();
    return true;
  }
  bool refuse(JsonFaultKind kind, std::string why);
  // is_open(): some list or object has not ended. in_list(): the innermost of them is a list.
  bool is_open() const { return !open_.empty(); }
  bool in_list() const { return is_open() && open_.back()->is_array(); }

  const std::optional<JsonFault>& fault() const { return fault_; }
  JsonResult take() {
    if (fault_) return std::unexpected(*std::move(fault_));
    return std::move(root_);
  }

 private:
  bool count();
  nlohmann::json* place(nlohmann::json value);

  const JsonBounds bounds_;
  nlohmann::json root_;
  std::vector<nlohmann::json*> open_;  // lists and objects that have not ended
  nlohmann::json* member_ = nullptr;   // where the value of the last name goes
  std::size_t values_ = 0;
  std::optional<JsonFault> fault_;
};

}  // namespace petri
