#include <fmt/format.h>

#include "audit/chain_reader.h"
#include "base/files/line_file.h"
#include "base/text/escape.h"
#include "petri/audit.h"

namespace petri {
namespace {

Error name_path(Error error, const std::string& path) {
  error.message = fmt::format("{}: {}", escape_text(path, kPathShownBytesMax), error.message);
  return std::move(error).with("path", path);
}

Result<ChainBegin> read_first_line(LineReader& lines) {
  auto first = lines.next();
  if (!first && first.error().code == ErrorCode::io_error) return fail(first.error());
  if (first && !*first) return fail(name_path({ErrorCode::parse_failed, "the file is empty", {}}, lines.path()));
  auto opening = begin_chain(first ? **first : std::string_view());
  if (!opening) return fail(name_path(opening.error(), lines.path()));
  return opening;
}

// The fault of a line that the reader could not return: it does not end, or is too long.
Result<AuditFault> fault_of_reading(const Error& error, std::uint64_t line) {
  switch (error.code) {
    case ErrorCode::parse_failed:
      return AuditFault{AuditFaultKind::cut_off, line, "it is cut off: it was not written to its end"};
    case ErrorCode::too_large: return AuditFault{AuditFaultKind::not_an_entry, line, "it is longer than any entry"};
    default: return fail(error);
  }
}

// True while there is another line.
Result<bool> verify_next(LineReader& lines, ChainReader& chain, AuditVerification& verification) {
  const auto line = lines.next();
  if (line && !*line) return false;
  if (line) {
    verification.fault = chain.check(**line);
  } else {
    PETRI_TRY(verification.fault, fault_of_reading(line.error(), lines.line() + 1));
  }
  return !verification.fault;
}

}  // namespace

Result<AuditVerification> verify_audit_file(const std::string& path, std::optional<Sha256> contains) {
  PETRI_TRY(const auto lines, LineReader::open(path, kAuditLineBytesMax));
  PETRI_TRY(const ChainBegin opening, read_first_line(*lines));
  ChainReader chain(opening.end, 1);
  AuditVerification verification{.contains = contains == opening.end.hash};
  if (!opening.genuine) verification.fault = {AuditFaultKind::wrong_hash, 1, "its hash is not that of its text"};
  for (bool more = opening.genuine; more;) {
    PETRI_TRY(more, verify_next(*lines, chain, verification));
    verification.contains = verification.contains || contains == chain.end().hash;
  }
  verification.entries = chain.end().number;
  verification.last_hash = chain.end().hash;
  return verification;
}

}  // namespace petri
