#include "audit/chain_reader.h"

#include <fmt/format.h>

#include "audit/entry_line.h"
#include "base/json/bounded_json.h"

namespace petri {
namespace {

AuditFault fault_of_other_text(std::uint64_t line, std::string_view text) {
  const auto json = parse_json(text);
  if (!json && json.error().kind == JsonFaultKind::syntax) return {AuditFaultKind::not_json, line, "it is not JSON"};
  return {AuditFaultKind::not_an_entry, line, "it is JSON, but no entry as petri writes them"};
}

std::string order_message(std::uint64_t number, std::uint64_t next) {
  if (number < next) return fmt::format("its number is {}, and {} is next", number, next);
  const std::uint64_t last = number - 1;
  if (last == next) return fmt::format("its number is {}: entry {} is missing before it", number, next);
  return fmt::format("its number is {}: entries {} to {} are missing before it", number, next, last);
}

}  // namespace

std::optional<ReadLine> read_line(std::string_view line) {
  const auto sealed = split_seal(line);
  if (!sealed) return std::nullopt;
  auto entry = parse_entry(sealed->body);
  if (!entry) return std::nullopt;
  entry->hash = sealed->hash;
  return ReadLine{.entry = *std::move(entry), .sealed = *sealed};
}

std::optional<AuditFault> ChainReader::check(std::string_view line) {
  ++line_;
  const auto read = read_line(line);
  if (!read) return fault_of_other_text(line_, line);
  const std::uint64_t next = end_.number + 1;
  if (read->entry.number != next)
    return AuditFault{AuditFaultKind::wrong_order, line_, order_message(read->entry.number, next)};
  if (!follows(read->sealed, end_.hash))
    return AuditFault{AuditFaultKind::wrong_hash, line_, "its hash is not that of its text after the line before it"};
  end_ = {.number = next, .hash = read->sealed.hash};
  return std::nullopt;
}

Result<ChainBegin> begin_chain(std::string_view first_line) {
  const auto sealed = split_seal(first_line);
  const auto header = sealed ? parse_audit_header(sealed->body) : std::nullopt;
  if (!header) return fail(ErrorCode::parse_failed, "line 1: it does not begin an audit file");
  if (header->version != kAuditVersion) {
    return fail(ErrorCode::parse_failed,
                fmt::format("line 1: this is an audit file of version {}, and this petri reads "
                            "version {}",
                            header->version, kAuditVersion));
  }
  return ChainBegin{.end = {.number = 0, .hash = sealed->hash}, .genuine = follows(*sealed, Sha256{})};
}

}  // namespace petri
