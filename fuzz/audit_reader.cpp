// The reader of audit files: untrusted lines, the first of which starts a chain.
#include <algorithm>
#include <string_view>

#include "audit/audit_fact.h"
#include "audit/chain_reader.h"
#include "audit/entry_line.h"
#include "base/assert.h"
#include "base/text/utf8.h"
#include "fuzz/target.h"

namespace petri::fuzz {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

AuditSubject subject_of(const AuditEntry& entry) {
  return {.kind = entry.kind, .sandbox = entry.sandbox, .process = entry.process, .cause = entry.cause};
}

// An entry that was read can be written and read again, with the same result. Details are left out: their keys are
// literals of ours.
void require_to_be_written_again(const AuditEntry& entry) {
  for (const std::string& text : {entry.sandbox, entry.process, entry.cause}) FUZZ_REQUIRE(is_utf8(text));
  if (std::max({entry.sandbox.size(), entry.process.size(), entry.cause.size()}) > kAuditTextBytesMax) return;
  std::string text;
  write_entry(text, entry.number, entry.time, subject_of(entry), {});
  const auto again = parse_entry(text);
  FUZZ_REQUIRE(again.has_value());
  FUZZ_REQUIRE(again->number == entry.number && again->time == entry.time && again->kind == entry.kind);
  FUZZ_REQUIRE(again->sandbox == entry.sandbox && again->process == entry.process && again->cause == entry.cause);
}

// A chain is followed up to its first fault; up to there the numbers are 1, 2, 3.
void follow(std::string_view text) {
  const auto begin = begin_chain(take_line(text));
  if (!begin) FUZZ_REQUIRE(begin.error().code == ErrorCode::parse_failed);
  ChainReader chain(begin.value_or(ChainBegin{}).end, 1);
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const auto fault = chain.check(take_line(text));
    if (fault) {
      FUZZ_REQUIRE(fault->line == number + 1 && !fault->message.empty());
      return;
    }
    FUZZ_REQUIRE(chain.end().number == number);
  }
}

std::string chain_of(std::initializer_list<AuditSubject> subjects) {
  ChainLine line;
  write_header(line.begin(Sha256{}), WallTime());
  ChainEnd end{.number = 0, .hash = line.seal()};
  std::string text(line.text());
  for (const AuditSubject& subject : subjects) {
    const AuditFact details[] = {{"allowed", 10}, {"message", "line one\nline two"}};
    write_entry(line.begin(end.hash), ++end.number, WallTime(std::chrono::seconds(1'700'000'000)), subject, details);
    end.hash = line.seal();
    text.append(line.text());
  }
  return text;
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      chain_of({}),
      chain_of({{.kind = AuditKind::killed, .sandbox = "a", .process = "b/c", .cause = "fuel_max"}}),
      chain_of({{.kind = AuditKind::permission_denied, .sandbox = "\x1b[31m\"\\\xff", .cause = "clock"},
                {.kind = AuditKind::recovery, .sandbox = "Grün 🧫\xe2\x80\xae"},
                {.kind = AuditKind::limit_met, .sandbox = "", .process = "<script>"}}),
  };
}

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::follow(text);
  while (!text.empty()) {
    const std::string_view line = fuzz::take_line(text);
    if (const auto read = read_line(line)) fuzz::require_to_be_written_again(read->entry);
  }
  return 0;
}
