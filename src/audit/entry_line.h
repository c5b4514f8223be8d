// Entries as the text of a line, up to its hash, and back.
//
//   {"petri_audit":1,"started":"2026-11-15T13:44:37.000000Z"
//   {"number":1,"time":"2026-11-15T13:44:37.250000Z","sandbox":"a","process":"b","kind":"limit_met","cause":"fuel_max",
//    "details":{"allowed":10}
//
// The fields come in this order; process, cause and details are left out where there are none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "audit/audit_fact.h"
#include "petri/audit.h"

namespace petri {

constexpr std::uint64_t kAuditVersion = 1;

void write_header(std::string& text, WallTime started);
// Texts are cut to kAuditTextBytesMax and escaped, so that the line stays one line whatever a guest calls itself.
void write_entry(std::string& text, std::uint64_t number, WallTime time, const AuditSubject& subject,
                 std::span<const AuditFact> details);

struct AuditHeader {
  std::uint64_t version = kAuditVersion;
  WallTime started;
};
// Nothing for a text that is not written as above. Of a header of another version only the version is read.
std::optional<AuditHeader> parse_audit_header(std::string_view body);
std::optional<AuditEntry> parse_entry(std::string_view body);

}  // namespace petri
