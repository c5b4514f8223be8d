// The facts that enforcing code reports to the audit log: borrowed texts, nothing copied before the level is known.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "petri/audit.h"

namespace petri {

struct AuditSubject {
  AuditKind kind;
  std::string_view sandbox;
  std::string_view process = {};
  std::string_view cause = {};
};

// The key of a detail: a literal of lower-case words.
class AuditKey {
 public:
  static constexpr std::size_t kBytesMax = 32;

  template <std::size_t Size>
  consteval AuditKey(const char (&literal)[Size]) : text_(literal, Size - 1) {
    static_assert(Size - 1 <= kBytesMax);
    for (const char c : text_) {
      if ((c < 'a' || c > 'z') && c != '_') throw "an audit key has lower-case letters and underscores";
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// One detail. Numbers beyond 2^63 are reported as the largest there is.
class AuditFact {
 public:
  using Value = std::variant<std::string_view, std::int64_t>;

  constexpr AuditFact(AuditKey key, std::string_view text) : key_(key.text()), value_(text) {}
  constexpr AuditFact(AuditKey key, std::integral auto number) : key_(key.text()), value_(bounded(number)) {}
  AuditFact(AuditKey key, std::same_as<bool> auto truth) = delete;

  constexpr std::string_view key() const { return key_; }
  constexpr const Value& value() const { return value_; }

 private:
  static constexpr std::int64_t bounded(std::integral auto number) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return std::cmp_greater(number, kMost) ? kMost : static_cast<std::int64_t>(number);
  }

  std::string_view key_;
  Value value_;
};

}  // namespace petri
