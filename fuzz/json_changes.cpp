#include "fuzz/json_changes.h"

#include <iterator>

namespace petri::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kJsonChangesMax = 4;
constexpr std::size_t kNestedMax = 100;
constexpr std::size_t kRepeatedMax = 300;

json& child(json& parent, std::size_t number) {
  auto place = parent.begin();
  std::advance(place, number);
  return *place;
}

// Any part, those that lie deep as likely as those that do not.
json& part_of(json& document, Choices& choices) {
  json* part = &document;
  while (part->is_structured() && !part->empty() && !choices.one_in(6)) {
    part = &child(*part, choices.below(part->size()));
  }
  return *part;
}

json other_value(Choices& choices, Binary binary) {
  switch (choices.below(binary == Binary::yes ? 9 : 8)) {
    case 0: return choices.number();
    case 1: return -static_cast<std::int64_t>(choices.number() >> 1);
    case 2: return choices.text();
    case 3: return nullptr;
    case 4: return choices.one_in(2);
    case 5: return json::array();
    case 6: return json::object();
    case 7: return json::array({choices.number(), choices.text()});
    default: {
      const std::string bytes = choices.bytes(64);
      return json::binary({bytes.begin(), bytes.end()});
    }
  }
}

void erase_one(json& part, Choices& choices) {
  if (!part.is_structured() || part.empty()) return;
  auto place = part.begin();
  std::advance(place, choices.below(part.size()));
  part.erase(place);
}

void add_one(json& part, json value, Choices& choices) {
  if (part.is_array()) part.push_back(std::move(value));
  if (part.is_object()) part[choices.text()] = std::move(value);
}

void nest(json& part, Choices& choices) {
  for (std::size_t depth = choices.below(kNestedMax); depth > 0; --depth) {
    json outer = choices.one_in(2) ? json::array() : json::object();
    if (outer.is_array()) outer.push_back(std::move(part));
    if (outer.is_object()) outer["children"] = std::move(part);
    part = std::move(outer);
  }
}

void repeat(json& part, Choices& choices) {
  if (!part.is_array() || part.empty()) return;
  const json one = part[choices.below(part.size())];
  for (std::size_t count = choices.below(kRepeatedMax); count > 0; --count) part.push_back(one);
}

void change_one(json& document, Choices& choices, Binary binary) {
  json& part = part_of(document, choices);
  switch (choices.below(8)) {
    case 0:
    case 1: part = other_value(choices, binary); break;
    case 2: part = json(part_of(document, choices)); break;
    case 3: erase_one(part, choices); break;
    case 4: add_one(part, other_value(choices, binary), choices); break;
    case 5: add_one(part, json(part_of(document, choices)), choices); break;
    case 6: nest(part, choices); break;
    default: repeat(part, choices); break;
  }
}

}  // namespace

void change(json& document, Choices& choices, Binary binary) {
  for (std::size_t count = 1 + choices.below(kJsonChangesMax); count > 0; --count)
    change_one(document, choices, binary);
}

std::string text_of(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace petri::fuzz
