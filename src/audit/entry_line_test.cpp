#include "audit/entry_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "audit/chain.h"

namespace petri {
namespace {

using testing::EndsWith;

const WallTime kTime(std::chrono::seconds(1'700'000'000));

std::string entry_text(const AuditSubject& subject, std::initializer_list<AuditFact> details = {}) {
  std::string text;
  write_entry(text, 7, kTime, subject, std::span(details.begin(), details.size()));
  return text;
}

TEST(EntryLine, HasItsFieldsInOrder) {
  EXPECT_EQ(entry_text({.kind = AuditKind::limit_met, .sandbox = "a", .process = "pool/one", .cause = "timers_max"},
                       {{"allowed", 10U}, {"what", "timer"}}),
            R"({"number":7,"time":"2023-11-14T22:13:20.000000Z","sandbox":"a","process":"pool/one","kind":"limit_met",)"
            R"("cause":"timers_max","details":{"allowed":10,"what":"timer"})");
  EXPECT_EQ(entry_text({.kind = AuditKind::recovery, .sandbox = ""}),
            R"({"number":7,"time":"2023-11-14T22:13:20.000000Z","sandbox":"","kind":"recovery")");
}

TEST(EntryLine, IsReadAsItWasWritten) {
  const auto entry = parse_entry(
      entry_text({.kind = AuditKind::killed, .sandbox = "a", .process = "b", .cause = "fuel_max"},
                 {{"allowed", std::numeric_limits<std::int64_t>::min()}, {"seen", ~0ULL}, {"place", "call"}}));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->number, 7U);
  EXPECT_EQ(entry->time, kTime);
  EXPECT_EQ(entry->sandbox, "a");
  EXPECT_EQ(entry->process, "b");
  EXPECT_EQ(entry->kind, AuditKind::killed);
  EXPECT_EQ(entry->cause, "fuel_max");
  EXPECT_EQ(*entry->detail("allowed"), AuditValue(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(*entry->detail("seen"), AuditValue(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(*entry->detail("place"), AuditValue("call"));
  EXPECT_EQ(entry->detail("trap"), nullptr);
}

TEST(EntryLine, StaysOneLineOfPlainTextWhateverAGuestCallsItself) {
  for (const std::string name : {"a\"},\"kind\":\"killed", "two\nlines\r\t", "\x1b[31mred", "back\\slash\\",
                                 "</script>", "\xe2\x80\xaeright to left", "Grün 🧫", "\xf3\xb0\x80\x80 private",
                                 std::string_view("NUL \0 inside", 12).data()}) {
    const std::string text = entry_text({.kind = AuditKind::killed, .sandbox = name, .process = name, .cause = name});
    const auto entry = parse_entry(text);
    ASSERT_TRUE(entry) << text;
    EXPECT_EQ(entry->sandbox, name);
    EXPECT_EQ(entry->process, name);
    EXPECT_EQ(entry->cause, name);
    EXPECT_EQ(nlohmann::json::parse(text + "}").at("sandbox"), name);
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << text;
  }
}

TEST(EntryLine, ReplacesBytesThatAreNoText) {
  const auto entry = parse_entry(entry_text({.kind = AuditKind::killed, .sandbox = "a\xff\xc0z"}));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->sandbox, "a\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST(EntryLine, CutsTextBetweenTwoCharacters) {
  std::string name;
  for (int i = 0; i < 1'000; ++i) name += "ü";
  const auto entry = parse_entry(entry_text({.kind = AuditKind::killed, .sandbox = name}, {{"text", name}}));
  ASSERT_TRUE(entry);
  EXPECT_LE(entry->sandbox.size(), kAuditTextBytesMax);
  EXPECT_THAT(entry->sandbox, EndsWith("ü…"));
  EXPECT_EQ(*entry->detail("text"), AuditValue(entry->sandbox));
}

TEST(EntryLine, IsNeverLongerThanALineMayBe) {
  const std::string worst(100'000, '\x01');
  const std::string text =
      entry_text({.kind = AuditKind::permissions_changed, .sandbox = worst, .process = worst, .cause = worst},
                 {{"a_key_of_thirty_two_bytes_length", worst},
                  {"b", worst},
                  {"c", worst},
                  {"d", worst},
                  {"e", worst},
                  {"f", worst},
                  {"g", worst},
                  {"h", worst}});
  EXPECT_LT(text.size() + 100, kAuditLineBytesMax);
  EXPECT_TRUE(parse_entry(text));
}

TEST(EntryLine, IsReadInNoOtherForm) {
  const std::string good = entry_text({.kind = AuditKind::killed, .sandbox = "a", .cause = "x"}, {{"n", 1}});
  ASSERT_TRUE(parse_entry(good));
  EXPECT_FALSE(parse_entry(good + " "));
  EXPECT_FALSE(parse_entry(""));
  const std::string shortest = entry_text({.kind = AuditKind::killed, .sandbox = "a"});
  for (std::size_t size = 0; size < shortest.size(); ++size)
    EXPECT_FALSE(parse_entry(shortest.substr(0, size))) << size;
  const auto changed = [&good](std::string_view from, std::string_view to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& [from, to] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"\"killed\"", "\"kiled\""},
                                                                  {"2023-11", "2023-13"},
                                                                  {":7,", ":07,"},
                                                                  {":7,", ":-7,"},
                                                                  {":7,", ":18446744073709551616,"},
                                                                  {"\"n\":1", "\"n\":1.5"},
                                                                  {"\"n\":1", "\"n\":-0"},
                                                                  {"\"n\":1", "\"n\":true"},
                                                                  {"\"n\":1", ""},
                                                                  {"\"a\"", "\"\\x41\""},
                                                                  {"\"a\"", "\"\\ud800\""},
                                                                  {"\"a\"", "\"\\ud800\\u0041\""},
                                                                  {"\"a\"", "\"\\u12\""},
                                                                  {"\"a\"", "\"\t\""},
                                                                  {"\"a\"", "\"\xff\""},
                                                                  {"\"a\"", "\"\\"},
                                                                  {"\"sandbox\"", "\"sand\\u0062ox\""}})
    EXPECT_FALSE(parse_entry(changed(from, to))) << changed(from, to);
}

TEST(EntryLine, OfTheHeaderSaysTheVersion) {
  std::string text;
  write_header(text, kTime);
  EXPECT_EQ(text, R"({"petri_audit":1,"started":"2023-11-14T22:13:20.000000Z")");
  ASSERT_TRUE(parse_audit_header(text));
  EXPECT_EQ(parse_audit_header(text)->started, kTime);
  EXPECT_EQ(parse_audit_header(R"({"petri_audit":2,"anything")")->version, 2U);
  EXPECT_FALSE(parse_audit_header(R"({"petri_audit":1,"started":"yesterday")"));
  EXPECT_FALSE(parse_audit_header(R"({"petri_records":1)"));
}

}  // namespace
}  // namespace petri
