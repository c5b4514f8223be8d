#include <algorithm>

#include "petri/events.h"

namespace petri {
namespace {

constexpr std::string_view kCut = "…";

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Cuts between two characters, so that UTF-8 stays UTF-8.
std::string bounded(std::string_view text) {
  if (text.size() <= kEventTextBytesMax) return std::string(text);
  std::size_t kept = kEventTextBytesMax - kCut.size();
  while (kept > 0 && continues_character(text[kept])) --kept;
  return std::string(text.substr(0, kept)).append(kCut);
}

}  // namespace

const EventValue* Event::detail(std::string_view key) const {
  const auto found =
      std::find_if(details.begin(), details.end(), [key](const EventDetail& detail) { return detail.key == key; });
  return found == details.end() ? nullptr : &found->value;
}

std::string_view Event::text(std::string_view key) const {
  const auto* value = std::get_if<std::string>(detail(key));
  return value == nullptr ? std::string_view() : *value;
}

std::uint64_t Event::count(std::string_view key) const {
  const EventValue* value = detail(key);
  if (const auto* number = std::get_if<std::uint64_t>(value)) return *number;
  const auto* number = std::get_if<std::int64_t>(value);
  return number == nullptr || *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
}

Event& Event::add(EventKey key, std::string_view text) { return put(key, bounded(text)); }

Event& Event::put(EventKey key, EventValue value) {
  details.push_back({.key = key.text(), .value = std::move(value)});
  return *this;
}

}  // namespace petri
