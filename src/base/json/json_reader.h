// The one reader of JSON from outside. A value knows where it stands in its document; what is not as it should be
// becomes a complaint with that place, and the target keeps its default, so that one pass finds everything that is
// wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaints.h"

namespace petri {

// Costs next to nothing to make: the path is only written down for a complaint. Refers to the reader of what contains
// it, to the document and to the complaints, which all outlive it.
class JsonReader {
 public:
  using Json = nlohmann::json;
  using Read = std::function<void(const JsonReader&)>;
  using Fields = std::map<std::string_view, Read>;

  // A document, or the part of one that stands at the path `where`.
  JsonReader(const Json& value, Complaints& complaints, std::string where = {})
      : value_(&value), complaints_(complaints), root_(std::move(where)) {}

  // False for a member that its object does not have. It reads as nothing, without a complaint.
  bool is_there() const { return value_ != nullptr; }
  // Complains unless it is there.
  const JsonReader& required() const;
  // Only of what is there.
  const Json& json() const { return *value_; }
  bool is_object() const;
  bool is_list() const;
  bool is_null() const;

  // The member of this name. Not of a temporary, which would end before its member.
  JsonReader operator[](std::string_view name) const&;
  JsonReader operator[](std::string_view name) const&& = delete;
  // Each member of an object with its name.
  void members(const std::function<void(const std::string& name, const JsonReader&)>& each) const;
  // Each member by its name; one that is not in the list is a complaint that names those that are.
  void fields(const Fields& known) const;
  void check_names(std::span<const std::string_view> known) const;
  // How many elements a list has; 0 for what is none.
  std::size_t size() const;
  // Each element of a list, in turn. `noun` is what it should be: "a list of strings".
  void elements(const Read& each, std::string_view noun = "a list") const;

  std::optional<std::string> string() const;
  std::optional<std::uint64_t> integer(std::uint64_t max = UINT64_MAX) const;
  std::optional<std::int64_t> signed_integer(std::int64_t min, std::int64_t max) const;
  std::optional<bool> boolean() const;
  // A number, or a size such as "64KiB".
  std::optional<std::uint64_t> bytes() const;
  // "250ms", "10s"
  std::optional<std::chrono::nanoseconds> duration() const;
  // Both cases of hexadecimal digits, and base64.
  std::optional<std::vector<std::uint8_t>> hex() const;
  std::optional<std::vector<std::uint8_t>> base64() const;
  // One of an enumeration's names; `words` lists them all: "refuse, kill".
  template <typename Enum>
  std::optional<Enum> one_of(std::optional<Enum> (*named)(std::string_view), std::string_view words) const {
    const auto name = string();
    const auto found = name ? named(*name) : std::nullopt;
    if (name && !found) refuse_word(*name, words);
    return found;
  }
  // One of the first `count` enumerators, each of which has a name.
  template <typename Enum>
  std::optional<Enum> one_of(std::size_t count) const {
    const auto name = string();
    if (!name) return std::nullopt;
    std::string words;
    for (std::size_t index = 0; index < count; ++index) {
      const std::string_view word = name_of(static_cast<Enum>(index));
      if (word == *name) return static_cast<Enum>(index);
      words.append(index == 0 ? "" : ", ").append(word);
    }
    refuse_word(*name, words);
    return std::nullopt;
  }

  // The target keeps its value when the value is not there or not as it should be.
  void read(std::string& target) const { assign(target, string()); }
  void read(std::uint64_t& target) const { assign(target, integer()); }
  void read(std::uint32_t& target) const { assign(target, integer(UINT32_MAX)); }
  void read(bool& target) const { assign(target, boolean()); }
  void read(std::chrono::nanoseconds& target) const { assign(target, duration()); }
  void read(std::vector<std::string>& target) const;
  template <typename Target>
  void read(std::optional<Target>& target) const {
    if (is_there()) read(target.emplace());
  }
  template <typename Target>
  static void assign(Target& target, auto value) {
    if (value) target = static_cast<Target>(*std::move(value));
  }
  // Reads into the target later, which outlives it.
  template <typename Target>
  static Read into(Target& target) {
    return [&target](const JsonReader& value) { value.read(target); };
  }

  template <typename Target>
  static Read into_bytes(Target& target) {
    return [&target](const JsonReader& value) { assign(target, value.bytes()); };
  }

  // `what` continues the sentence that starts with the place. Nothing is said about what is not there.
  void refuse(std::string_view what) const;
  // The word in quotes, and what it should have been.
  void refuse_word(std::string_view word, std::string_view words) const;
  Complaints& complaints() const { return complaints_; }
  // The path, such as "tree.children[1].id".
  std::string where() const;

 private:
  JsonReader(const Json* value, const JsonReader& above, std::string_view name, std::size_t index = 0)
      : value_(value), complaints_(above.complaints_), above_(&above), name_(name), index_(index) {}

  void complain(std::string_view what) const;

  const Json* value_;
  Complaints& complaints_;
  const JsonReader* above_ = nullptr;  // nullptr: this is where reading starts, at root_
  std::string root_;
  std::string_view name_;  // of a member; an element has none
  std::size_t index_ = 0;
};

}  // namespace petri
