// The audit trail: what was refused, ended, admitted and changed, and why. Its entries form a chain of hashes, so that
// a changed, removed or swapped one shows.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "petri/policy.h"
#include "petri/result.h"
#include "petri/value.h"

namespace petri {

// A closed list; docs/reference/audit.md says what each means and from which level on it is kept.
enum class AuditKind : std::uint8_t {
  sandbox_created,
  sandbox_status,
  sandbox_failed,
  sandbox_destroyed,
  module_loaded,
  module_rejected,
  permission_used,
  permission_denied,
  limit_met,
  killed,
  limits_changed,
  permissions_changed,
  quarantined,
  breaker_changed,
  host_pressure,
  recovery,
  cache_rejected,
  module_staged,
  module_switched,
};
std::string_view name_of(AuditKind kind);
std::optional<AuditKind> audit_kind_named(std::string_view name);
const std::vector<AuditKind>& all_audit_kinds();

// True if a trail of this level keeps entries of this kind.
bool keeps(AuditLevel level, AuditKind kind);

// The value of a detail.
using AuditValue = std::variant<std::string, std::int64_t>;

// One fact of an entry.
struct AuditDetail {
  std::string key;
  AuditValue value;
  bool operator==(const AuditDetail&) const = default;
};

// Strings may have been chosen by a guest: they are UTF-8, and escaped in files, but not fit for a terminal.
struct AuditEntry {
  std::uint64_t number = 0;  // 1, 2, 3, ... along the chain
  WallTime time;             // the wall clock's, cut to microseconds; it may go back, numbers do not
  std::string sandbox;
  std::string process;  // empty when it is about the sandbox as a whole
  AuditKind kind = AuditKind::sandbox_created;
  std::string cause;  // one word where there is one: a limit, a permission, an error's code
  std::vector<AuditDetail> details;
  Sha256 hash{};  // over the hash before it and all of the above

  // The value of this key, or nullptr.
  const AuditValue* detail(std::string_view key) const;
  bool operator==(const AuditEntry&) const = default;
};

// A string of an entry beyond this is cut and ends in "…".
constexpr std::size_t kAuditTextBytesMax = 512;
// An entry has no more details than this.
constexpr std::size_t kAuditDetailsMax = 8;

// How much of the audit trail is kept, and where.
struct AuditOptions {
  // How much memory keeps. The oldest entries go, first those of sandboxes that have more than a sixteenth, and are
  // counted; the file keeps them.
  std::size_t entries_max = 100'000;
  std::size_t bytes_max = std::size_t{64} << 20;
  // A file of JSON Lines, resumed if it exists; empty: no file. Each entry is with the operating system before the next
  // is written, so that a killed process leaves all it wrote.
  std::string file;
};
constexpr std::size_t kAuditBytesMin = std::size_t{128} << 10;

// A query; an entry answers it if all conditions that are set hold.
struct AuditQuery {
  std::string sandbox;  // empty: of all
  std::optional<AuditKind> kind;
  std::string cause;  // empty: of all
  std::optional<WallTime> from;
  std::optional<WallTime> until;  // not included
  std::uint64_t after = 0;        // only entries with a higher number
  std::size_t entries_max = 100;
};

// Entries that answer a query, as many as it asks for.
struct AuditPage {
  std::vector<AuditEntry> entries;  // in the order of their numbers
  // The value of `after` in the query for the next page; nullopt when this was the last.
  std::optional<std::uint64_t> next;
};

// Counts of the audit log, and where its chain ends.
struct AuditStatus {
  std::uint64_t entries = 0;  // written by this log
  std::uint64_t kept = 0;     // still in memory
  std::uint64_t kept_bytes = 0;
  std::uint64_t dropped = 0;       // gone from memory to make room
  std::uint64_t lost = 0;          // not written, because there was no memory at all
  std::uint64_t file_waiting = 0;  // not in the file yet: it could not be written, and is tried again each second
  std::uint64_t file_lost = 0;     // not in the file, and gone from memory
  std::string file_problem;        // why the last write failed; empty when it did not
  std::uint64_t last_number = 0;   // of the chain, 0 before the first
  Sha256 last_hash{};
};

// The faults of a line of an audit file.
enum class AuditFaultKind : std::uint8_t { cut_off, not_json, not_an_entry, wrong_order, wrong_hash };
std::string_view name_of(AuditFaultKind kind);

// The first line of an audit file that is wrong, and why.
struct AuditFault {
  AuditFaultKind kind = AuditFaultKind::cut_off;
  std::uint64_t line = 0;  // from 1, the first line of the file included
  std::string message;     // what is wrong with it, without its number
  bool operator==(const AuditFault&) const = default;
};

// The result of following the chain of an audit file.
struct AuditVerification {
  std::uint64_t entries = 0;        // as they were written, from the first on
  Sha256 last_hash{};               // of the last of these
  bool contains = false;            // whether one of these has the hash that was asked for
  std::optional<AuditFault> fault;  // the first line that is wrong
};

// Follows the chain of a file from its start. io_error when it cannot be read, parse_failed when it does not begin as
// an audit file does. Someone who can write the file can forge a new chain, or cut its end: only a hash that was kept
// elsewhere, given as `contains`, shows that.
Result<AuditVerification> verify_audit_file(const std::string& path, std::optional<Sha256> contains = {});

}  // namespace petri
