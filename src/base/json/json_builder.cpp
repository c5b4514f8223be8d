#include "base/json/json_builder.h"

#include <fmt/format.h>

#include "base/text/escape.h"

namespace petri {

bool JsonBuilder::refuse(JsonFaultKind kind, std::string why) {
  fault_ = JsonFault{.kind = kind, .why = std::move(why)};
  return false;
}

bool JsonBuilder::count() {
  if (++values_ <= bounds_.values_max) return true;
  return refuse(JsonFaultKind::too_many_values, fmt::format("has more than {} values", bounds_.values_max));
}

// A list may move its values as it grows, but only while none of them is open.
nlohmann::json* JsonBuilder::place(nlohmann::json value) {
  if (!count()) return nullptr;
  if (open_.empty()) return &(root_ = std::move(value));
  if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
  return &(*member_ = std::move(value));
}

bool JsonBuilder::begin(nlohmann::json::value_t kind) {
  if (open_.size() >= bounds_.depth_max) {
    return refuse(JsonFaultKind::too_deep,
                  fmt::format("has more than {} lists and objects within one another", bounds_.depth_max));
  }
  nlohmann::json* const opened = place(kind);
  if (opened == nullptr) return false;
  open_.push_back(opened);
  return true;
}

bool JsonBuilder::name(std::string name) {
  if (!count()) return false;
  const auto [member, is_new] = open_.back()->emplace(std::move(name), nullptr);
  if (!is_new) {
    return refuse(JsonFaultKind::repeated_name,
                  fmt::format("has \"{}\" twice in one object", escape_text(member.key(), kWordShownBytesMax)));
  }
  member_ = &*member;
  return true;
}

}  // namespace petri
