#include <algorithm>
#include <charconv>

#include "audit/entry_line.h"
#include "base/text/utc_time.h"
#include "base/text/utf8.h"

namespace petri {
namespace {

// Stands for itself within quotes.
bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

// Reads on through a text. What is not there is not taken, and then all further reads fail too.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }
  bool comes(char next) const { return rest_.starts_with(next); }

  // Takes the word if it comes next, and says whether it did.
  bool skip(std::string_view word) {
    if (!ok_ || !rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) { ok_ = skip(word); }

  template <typename Integer>
  Integer number() {
    Integer value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto taken = static_cast<std::size_t>(end - rest_.data());
    // As JSON has numbers: no zeros in front, no minus zero.
    const bool odd = taken > 1 && (rest_.starts_with('0') || rest_.starts_with("-0"));
    ok_ = ok_ && error == std::errc() && !odd;
    if (ok_) rest_.remove_prefix(taken);
    return value;
  }

  // A string between quotes without anything escaped.
  std::string_view word() {
    expect("\"");
    const std::string_view word(rest_.begin(), std::ranges::find_if_not(rest_, is_plain));
    if (ok_) rest_.remove_prefix(word.size());
    expect("\"");
    return word;
  }

  std::string text() {
    std::string text;
    expect("\"");
    while (ok_ && !skip("\"")) {
      if (skip("\\")) {
        append_utf8(text, escaped());
        continue;
      }
      const std::string_view plain(rest_.begin(), std::ranges::find_if_not(rest_, is_plain));
      ok_ = !plain.empty();
      text.append(plain);
      rest_.remove_prefix(plain.size());
    }
    ok_ = ok_ && is_utf8(text);
    return text;
  }

 private:
  // As json_string() escapes.
  char32_t escaped() {
    if (skip("\"")) return '"';
    if (skip("\\")) return '\\';
    if (skip("n")) return '\n';
    const char32_t high = unit();
    if (high < 0xd800 || high >= 0xdc00) return high;
    expect("\\");
    const char32_t low = unit();
    ok_ = ok_ && low >= 0xdc00 && low < 0xe000;
    return 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
  }
  char32_t unit() {
    expect("u");
    std::uint32_t unit = 0;
    const std::string_view digits = rest_.substr(0, 4);
    const auto [read_to, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    ok_ = ok_ && error == std::errc() && read_to == digits.data() + 4;
    if (ok_) rest_.remove_prefix(4);
    return unit;
  }

  std::string_view rest_;
  bool ok_ = true;
};

WallTime take_time(Cursor& cursor, bool& known) {
  const auto time = parse_utc(cursor.word());
  known = known && time;
  return time.value_or(WallTime());
}

std::vector<AuditDetail> take_details(Cursor& cursor) {
  std::vector<AuditDetail> details;
  cursor.expect("{");
  do {
    AuditDetail detail{.key = std::string(cursor.word()), .value = {}};
    cursor.expect(":");
    if (cursor.comes('"')) {
      detail.value = cursor.text();
    } else {
      detail.value = cursor.number<std::int64_t>();
    }
    details.push_back(std::move(detail));
  } while (details.size() < kAuditDetailsMax && cursor.skip(","));
  cursor.expect("}");
  return details;
}

}  // namespace

std::optional<AuditHeader> parse_audit_header(std::string_view body) {
  Cursor cursor(body);
  bool known = true;
  AuditHeader header;
  cursor.expect(R"({"petri_audit":)");
  header.version = cursor.number<std::uint64_t>();
  if (cursor.ok() && header.version != kAuditVersion) return header;
  cursor.expect(R"(,"started":)");
  header.started = take_time(cursor, known);
  return cursor.at_end() && known ? std::optional(header) : std::nullopt;
}

std::optional<AuditEntry> parse_entry(std::string_view body) {
  Cursor cursor(body);
  bool known = true;
  AuditEntry entry;
  cursor.expect(R"({"number":)");
  entry.number = cursor.number<std::uint64_t>();
  cursor.expect(R"(,"time":)");
  entry.time = take_time(cursor, known);
  cursor.expect(R"(,"sandbox":)");
  entry.sandbox = cursor.text();
  if (cursor.skip(R"(,"process":)")) entry.process = cursor.text();
  cursor.expect(R"(,"kind":)");
  const auto kind = audit_kind_named(cursor.word());
  entry.kind = kind.value_or(AuditKind{});
  if (cursor.skip(R"(,"cause":)")) entry.cause = cursor.text();
  if (cursor.skip(R"(,"details":)")) entry.details = take_details(cursor);
  return cursor.at_end() && known && kind ? std::optional(std::move(entry)) : std::nullopt;
}

}  // namespace petri
