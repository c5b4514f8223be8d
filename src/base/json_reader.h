// Reads typed fields out of parsed JSON. What is not as it should be becomes a complaint with the place where it
// stands, and its value is the default, so that everything that is wrong is found in one pass.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaints.h"

namespace petri {

class JsonReader {
 public:
  using Json = nlohmann::json;
  using Fields = std::map<std::string_view, std::function<void(const Json&)>>;

  // `where` is the path of what is read first; empty is the document itself.
  explicit JsonReader(Complaints& complaints, std::string where = {})
      : complaints_(complaints), where_(std::move(where)) {}

  // Each member of an object with its name; inside the callback the place is that of the member.
  void members(const Json& object, const std::function<void(const std::string&, const Json&)>& each);
  // Each member by its name; one that is not in the list is a complaint that names those that are.
  void fields(const Json& object, const Fields& known);

  std::optional<std::string> string(const Json& value);
  std::vector<std::string> strings(const Json& value);
  std::optional<std::uint64_t> integer(const Json& value, std::uint64_t max = UINT64_MAX);
  std::optional<bool> boolean(const Json& value);
  // "250ms", "10s"
  std::optional<std::chrono::nanoseconds> duration(const Json& value);
  // One of an enumeration's names; `words` lists them all: "refuse, kill".
  template <typename Enum>
  std::optional<Enum> one_of(const Json& value, std::optional<Enum> (*named)(std::string_view),
                             std::string_view words) {
    const auto name = string(value);
    if (!name) return std::nullopt;
    const auto found = named(*name);
    if (!found) refuse_word(*name, words);
    return found;
  }

  // The target keeps its value when the field is not as it should be.
  void read(const Json& value, std::string& target) { assign(target, string(value)); }
  void read(const Json& value, std::uint64_t& target) { assign(target, integer(value)); }
  void read(const Json& value, std::uint32_t& target) { assign(target, integer(value, UINT32_MAX)); }
  void read(const Json& value, bool& target) { assign(target, boolean(value)); }
  void read(const Json& value, std::chrono::nanoseconds& target) { assign(target, duration(value)); }

  // `what` continues the sentence that starts with the place.
  void refuse(std::string_view what) { complaints_.add(where_, what); }
  Complaints& complaints() { return complaints_; }
  const std::string& where() const { return where_; }

 private:
  template <typename Target, typename Value>
  static void assign(Target& target, std::optional<Value> value) {
    if (value) target = static_cast<Target>(*std::move(value));
  }
  void refuse_word(std::string_view word, std::string_view words);

  Complaints& complaints_;
  std::string where_;
};

}  // namespace petri
