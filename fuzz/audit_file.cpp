// Audit files whose chain fits around any entries: followed to their end or to the first entry that is none.
#include <algorithm>

#include "audit/audit_fact.h"
#include "audit/chain_reader.h"
#include "audit/entry_line.h"
#include "base/assert.h"
#include "fuzz/json_changes.h"
#include "fuzz/memory_file.h"
#include "fuzz/target.h"

namespace petri::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kEntries = 4;

std::string entry_text(std::uint64_t number) {
  std::string text;
  const AuditFact details[] = {{"allowed", 10}, {"message", "line one\nline two"}};
  write_entry(text, number, WallTime(std::chrono::seconds(1'700'000'000)),
              {.kind = AuditKind::limit_met, .sandbox = "a", .process = "b/c", .cause = "fuel_max"}, details);
  return text + "}";
}

// As petri writes it (its fields in their order), or as any JSON.
std::string changed_entry(std::uint64_t number, Choices& choices) {
  std::string text = entry_text(number);
  if (!choices.one_in(2)) return text;
  if (choices.one_in(2)) {
    json entry = json::parse(text);
    change(entry, choices);
    return text_of(entry);
  }
  text.replace(choices.below(text.size()), choices.below(8), choices.bytes(8));
  std::erase(text, '\n');
  return text.empty() ? "{}" : text;
}

// The seal takes the place of the last brace.
void append_sealed(std::string& file, Sha256& before, std::string text) {
  if (text.ends_with('}')) text.pop_back();
  ChainLine line;
  line.begin(before) += text;
  before = line.seal();
  file += line.text();
}

std::string header_text() {
  std::string text;
  write_header(text, WallTime());
  return text + "}";
}

void check(const MemoryFile& file, std::string_view text) {
  file.write(text);
  const auto verification = verify_audit_file(file.path());
  if (!verification) {
    FUZZ_REQUIRE(!verification.error().message.empty());
    return;
  }
  FUZZ_REQUIRE(verification->fault.has_value() || verification->entries == kEntries);
  if (verification->fault) FUZZ_REQUIRE(verification->fault->line == verification->entries + 2);
}

}  // namespace

std::vector<std::string> seeds() { return {"a", "aa", "aaaa"}; }

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  using namespace petri::fuzz;
  static const MemoryFile file;
  Choices choices({data, size});
  Sha256 before{};
  std::string text;
  append_sealed(text, before, header_text());
  for (std::uint64_t number = 1; number <= kEntries; ++number) {
    append_sealed(text, before, changed_entry(number, choices));
  }
  check(file, text);
  return 0;
}
