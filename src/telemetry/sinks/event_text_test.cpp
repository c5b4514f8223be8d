#include "petri/event_sinks.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(EventText, NamesTheEventWhomItIsAboutAndItsDetails) {
  Event event{.kind = EventKind::process_exited, .sandbox = "orders", .process = "pool/worker-1", .correlation = {7}};
  event.add("reason", "abnormal").add("exit_code", -1).add("fuel_used", 18'446'744'073'709'551'615U).add("load", 0.5);
  EXPECT_EQ(to_text(event),
            "process.exited orders/pool/worker-1 #7 reason=abnormal exit_code=-1 fuel_used=18446744073709551615 "
            "load=0.5");
}

TEST(EventText, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(to_text({.kind = EventKind::sandbox_created, .sandbox = "a"}), "sandbox.created a");
  EXPECT_EQ(to_text({.kind = EventKind::sandbox_created}), "sandbox.created");
}

TEST(EventText, PutsQuotesAroundWhatIsNotOneWord) {
  Event event{.kind = EventKind::sandbox_failed, .sandbox = "a"};
  event.add("empty", "").add("two", "one two").add("forged", "x outcome=ok").add("quote", "\"").add("unicode", "ä");
  EXPECT_EQ(to_text(event), R"(sandbox.failed a empty="" two="one two" forged="x outcome=ok" quote="\"" unicode="ä")");
}

// F11
TEST(EventText, IsOneHarmlessLineWhateverTheTextsContain) {
  std::string hostile = "a\n2026-01-01 [info] forged\r\t\x1b[31m\x07 \xff\xfe \xe2\x80\xae </script> \x7f \xc2\x9b";
  hostile += '\0';
  Event event{.kind = EventKind::sandbox_failed, .sandbox = hostile, .process = hostile};
  event.add("message", hostile);
  const std::string text = to_text(event);
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << text;
  for (const char* harm : {"\xe2\x80\xae", "\xc2\x9b", "\xff", "</script>"})
    EXPECT_EQ(text.find(harm), std::string::npos);
}

TEST(EventLevel, IsHighWhereSomethingWasEndedOrRefused) {
  EXPECT_EQ(level_of(EventKind::sandbox_failed), EventLevel::error);
  EXPECT_EQ(level_of(EventKind::process_gave_up), EventLevel::error);
  for (const EventKind kind :
       {EventKind::killed_timeout, EventKind::killed_resource_limit, EventKind::module_rejected,
        EventKind::run_exception, EventKind::process_restarted, EventKind::limit_warning, EventKind::breaker_opened,
        EventKind::host_pressure, EventKind::security_denied, EventKind::security_quarantined})
    EXPECT_EQ(level_of(kind), EventLevel::warning) << name_of(kind);
  EXPECT_EQ(level_of(EventKind::sandbox_created), EventLevel::info);
  for (const EventKind kind : {EventKind::run_start, EventKind::run_stop, EventKind::usage_sampled})
    EXPECT_EQ(level_of(kind), EventLevel::debug) << name_of(kind);
  EXPECT_EQ(name_of(EventLevel::warning), "warning");
}

}  // namespace
}  // namespace petri
