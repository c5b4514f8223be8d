#include "cli/commands/audit_text.h"

#include <fmt/format.h>

#include "base/text/byte_text.h"
#include "base/text/units.h"
#include "cli/input_file.h"

namespace petri::cli {
namespace {

std::string entries_text(std::uint64_t entries) {
  return entries == 1 ? "1 entry" : fmt::format("{} entries", format_count(entries));
}

std::string first_line(const AuditReport& report) {
  const std::string file = file_title(report.file);
  if (report.verification.fault) {
    return fmt::format("broken: {}: line {}: {}\n", file, format_count(report.verification.fault->line),
                       report.verification.fault->message);
  }
  if (report.hash_is_missing()) {
    return fmt::format("broken: {}: no entry has the hash {}: something is gone from its end, or all of it is new\n",
                       file, report.contains);
  }
  return fmt::format("verified: {}: {}, none changed, missing or out of order\n", file,
                     entries_text(report.verification.entries));
}

}  // namespace

std::string to_text(const AuditReport& report) {
  const std::string entries = entries_text(report.verification.entries);
  std::string text = first_line(report);
  if (report.verification.fault) text += fmt::format("  before it: {}, as written\n", entries);
  if (!report.verification.fault && report.hash_is_missing())
    text += fmt::format("  in it: {}, in one chain\n", entries);
  return text + fmt::format("  last hash: {}\n", report.verification.last_hash.hex());
}

Json to_json(const AuditReport& report) {
  const AuditVerification& verification = report.verification;
  Json object{
      {"verified", report.is_whole()}, {"entries", verification.entries}, {"last_hash", verification.last_hash.hex()}};
  if (!report.contains.empty()) object["contains"] = verification.contains;
  object["fault"] = nullptr;
  if (!verification.fault) return object;
  object["fault"] = {{"line", verification.fault->line},
                     {"kind", name_of(verification.fault->kind)},
                     {"message", verification.fault->message}};
  return object;
}

}  // namespace petri::cli
