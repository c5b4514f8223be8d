#include "cli/shell/audit_entry_text.h"

#include <fmt/format.h>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "base/text/utc_time.h"
#include "cli/shell/text_table.h"

namespace petri::cli {
namespace {

constexpr std::size_t kDetailBytesShown = 200;

std::string details_text(const AuditEntry& entry) {
  std::string text;
  for (const AuditDetail& detail : entry.details) {
    const auto* word = std::get_if<std::string>(&detail.value);
    const std::string value = word != nullptr ? fmt::format("\"{}\"", escape_text(*word, kDetailBytesShown))
                                              : fmt::format("{}", std::get<std::int64_t>(detail.value));
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", detail.key, value);
  }
  return text;
}

std::string whom(const AuditEntry& entry) {
  return escape_text(entry.sandbox) + (entry.process.empty() ? "" : "/" + escape_text(entry.process));
}

}  // namespace

std::string to_text(const AuditPage& page) {
  if (page.entries.empty()) return "no entries\n";
  std::vector<std::vector<std::string>> rows{{"entry", "time", "kind", "of", "cause", "details"}};
  for (const AuditEntry& entry : page.entries) {
    rows.push_back({fmt::format("{}", entry.number), to_utc_text(entry.time), std::string(name_of(entry.kind)),
                    whom(entry), escape_text(entry.cause), details_text(entry)});
  }
  return text_table(rows) + (page.next ? fmt::format("there are more: --after {}\n", *page.next) : "");
}

Json to_json(const AuditEntry& entry) {
  Json json{{"number", entry.number}, {"time", to_utc_text(entry.time)}, {"sandbox", entry.sandbox}};
  if (!entry.process.empty()) json["process"] = entry.process;
  json["kind"] = name_of(entry.kind);
  if (!entry.cause.empty()) json["cause"] = entry.cause;
  Json details = Json::object();
  for (const AuditDetail& detail : entry.details) {
    std::visit([&](const auto& value) { details[detail.key] = value; }, detail.value);
  }
  if (!details.empty()) json["details"] = std::move(details);
  json["hash"] = entry.hash.hex();
  return json;
}

}  // namespace petri::cli
