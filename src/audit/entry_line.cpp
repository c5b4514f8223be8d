#include "audit/entry_line.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/assert.h"
#include "base/text/escape.h"
#include "base/text/utc_time.h"
#include "base/text/utf8.h"

namespace petri {
namespace {

constexpr std::string_view kCut = "…";

bool needs_no_escape(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<'; }

std::string bounded(std::string_view text) {
  return std::string(utf8_prefix(text, kAuditTextBytesMax - kCut.size())).append(kCut);
}

void write_text(std::string& line, std::string_view text) {
  if (text.size() > kAuditTextBytesMax) {
    line.append(json_string(bounded(text)));
  } else if (std::ranges::all_of(text, needs_no_escape)) {
    line.append(1, '"').append(text) += '"';
  } else {
    line.append(json_string(text));
  }
}

template <typename Integer>
void write_number(std::string& line, Integer number) {
  char digits[24];
  line.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
}

void write_text_field(std::string& line, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  line.append(key);
  write_text(line, text);
}

void write_value(std::string& line, const AuditFact::Value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return write_text(line, *text);
  write_number(line, std::get<std::int64_t>(value));
}

void write_details(std::string& line, std::span<const AuditFact> details) {
  PETRI_ASSERT(details.size() <= kAuditDetailsMax);
  if (details.empty()) return;
  line.append(R"(,"details":)");
  char before = '{';
  for (const AuditFact& detail : details) {
    line.append(1, std::exchange(before, ',')).append(1, '"').append(detail.key()).append("\":");
    write_value(line, detail.value());
  }
  line += '}';
}

}  // namespace

void write_header(std::string& text, WallTime started) {
  text.append(R"({"petri_audit":)");
  write_number(text, kAuditVersion);
  text.append(R"(,"started":")");
  append_utc(text, started);
  text += '"';
}

void write_entry(std::string& text, std::uint64_t number, WallTime time, const AuditSubject& subject,
                 std::span<const AuditFact> details) {
  text.append(R"({"number":)");
  write_number(text, number);
  text.append(R"(,"time":")");
  append_utc(text, time);
  text.append(R"(","sandbox":)");
  write_text(text, subject.sandbox);
  write_text_field(text, R"(,"process":)", subject.process);
  text.append(R"(,"kind":")").append(name_of(subject.kind)) += '"';
  write_text_field(text, R"(,"cause":)", subject.cause);
  write_details(text, details);
}

}  // namespace petri
