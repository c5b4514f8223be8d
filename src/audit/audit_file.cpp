#include "audit/audit_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/chain_reader.h"
#include "base/text/escape.h"

namespace petri {
namespace {

// Room for the last two lines and what is cut off after them.
constexpr std::uint64_t kTailBytes = 3 * (kAuditLineBytesMax + 1);

std::unexpected<Error> refuse(const std::string& path, std::string_view why) {
  Error error{
      .code = ErrorCode::parse_failed,
      .message = fmt::format("{}: nothing is added to this file: {}", escape_text(path, kPathShownBytesMax), why),
      .details = {}};
  return fail(std::move(error).with("path", path));
}

// The last line of a text of whole lines, taken off it.
std::string_view take_last_line(std::string_view& lines) {
  lines.remove_suffix(1);
  const std::size_t before = lines.rfind('\n');
  const std::string_view last = lines.substr(before == std::string_view::npos ? 0 : before + 1);
  lines.remove_suffix(last.size());
  return last;
}

// The last line and the one before it, which is the first of all when there is one entry.
Result<ChainEnd> verify_end(const std::string& path, std::string_view tail, const ChainEnd& opening, bool one_entry) {
  const auto last = read_line(take_last_line(tail));
  const auto before = one_entry ? std::nullopt : read_line(tail.empty() ? tail : take_last_line(tail));
  if (!last || (!one_entry && !before)) return refuse(path, "its last lines are no entries as petri writes them");
  const ChainEnd previous = before ? ChainEnd{.number = before->entry.number, .hash = before->entry.hash} : opening;
  if (last->entry.number <= previous.number || !follows(last->sealed, previous.hash))
    return refuse(path, "its last line does not follow from the one before it; see petri audit verify");
  return ChainEnd{.number = last->entry.number, .hash = last->entry.hash};
}

Result<ChainEnd> find_end(const std::string& path, const LineFile& file) {
  PETRI_TRY(const std::string head, file.read(0, kAuditLineBytesMax));
  const std::string_view first = std::string_view(head).substr(0, head.find('\n'));
  const auto opening = begin_chain(first);
  if (!opening) return refuse(path, opening.error().message);
  if (!opening->genuine) return refuse(path, "line 1: its hash is not that of its text");
  const std::uint64_t entries_bytes = file.bytes() - first.size() - 1;
  if (entries_bytes == 0) return opening->end;
  const std::uint64_t tail_bytes = std::min(entries_bytes, kTailBytes);
  PETRI_TRY(const std::string tail, file.read(file.bytes() - tail_bytes, tail_bytes));
  const bool one_entry = tail_bytes == entries_bytes && tail.find('\n') == tail.size() - 1;
  return verify_end(path, tail, opening->end, one_entry);
}

// Without a whole line there may be the start of a first one, or something that is not ours.
Result<void> check_fragment(const std::string& path, const LineFile& file) {
  constexpr std::string_view kFileStart = R"({"petri_audit":)";
  PETRI_TRY(const std::string head, file.read(0, kFileStart.size()));
  if (kFileStart.starts_with(head)) return {};
  return refuse(path, "line 1: it does not begin an audit file");
}

}  // namespace

Result<std::unique_ptr<AuditFile>> AuditFile::open(const std::string& path) {
  auto resumed = LineFile::resume(path, kAuditLineBytesMax);
  if (!resumed && resumed.error().code == ErrorCode::too_large)
    return refuse(path, "its last line is longer than any line of an audit file");
  PETRI_TRY(auto file, std::move(resumed));
  std::optional<ChainEnd> end;
  if (file->bytes() == 0) {
    PETRI_TRY(check_fragment(path, *file));
  } else {
    PETRI_TRY(end, find_end(path, *file));
  }
  return std::unique_ptr<AuditFile>(new AuditFile(std::move(file), end));
}

}  // namespace petri
