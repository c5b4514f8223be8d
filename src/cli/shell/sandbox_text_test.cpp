#include "cli/shell/sandbox_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/shell/audit_entry_text.h"
#include "cli/shell/sandbox_json.h"

namespace petri::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SandboxInfo orders() {
  SandboxInfo info{.id = "orders", .status = SandboxStatus::failed, .cause = "bad\x1b[31m news"};
  info.limits = SandboxLimits::of(Profile::standard);
  info.profile = Profile::standard;
  info.labels = {"shop", "line\nbreak"};
  info.limits_met = {{"fuel_max", 1}, {"timers_max", 2}};
  info.usage.processes = 3;
  return info;
}

TEST(SandboxText, ShowsWhatThereIsAndEscapesIt) {
  EXPECT_EQ(to_text(orders()),
            "orders: failed\n"
            "  why          bad\\x1b[31m news\n"
            "  profile      standard\n"
            "  tier         automatic\n"
            "  processes    3 of 100\n"
            "  memory       0 B of 128 MiB\n"
            "  host memory  0 B\n"
            "  processor    0 % of 100 %, 0 s in all\n"
            "  fuel         0\n"
            "  permissions  none\n"
            "  audit        basic\n"
            "  recovery     compilation keep, runtime rollback, resource restart, security isolate, system retry\n"
            "  labels       shop line\\nbreak\n"
            "  seed         0\n"
            "  limits met   fuel_max 1 time, timers_max 2 times\n"
            "  breaker      closed; opens for 1 s after 5 limits in 10 s\n"
            "  up           0 s\n");
}

TEST(SandboxText, ShowsWhatASandboxWasCreatedWith) {  // L03, L15
  SandboxInfo info = orders();
  info.modules = {{.name = "shop", .artifact = {}, .version = 2, .path = "shop\n.wat"}};
  info.on_limit = {{"timers_max", OnLimit::kill}};
  info.arguments = {"one", "two words", ""};
  info.environment = {{"A", "1"}, {"B", "2\n"}};
  info.recovery.actions = {{ErrorCategory::runtime, RecoveryAction::isolate}};
  info.breaker_options = {.limits_max = 1, .window = std::chrono::seconds(2), .pause = std::chrono::seconds(3)};
  info.breaker_opened = 4;
  const std::string text = to_text(info);
  for (const std::string line :
       {"  modules      shop 000000000000 version 2 from shop\\n.wat\n", "  on limit     timers_max kill\n",
        "  recovery     compilation keep, runtime isolate, resource restart, security isolate, system retry\n",
        "  arguments    one \"two words\" \"\"\n", "  environment  A=1 B=2\\n\n",
        "  breaker      closed, opened 4 times; opens for 3 s after 1 limit in 2 s\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  info.breaker_options.limits_max = 0;
  EXPECT_THAT(to_text(info), HasSubstr("  breaker      off\n"));
}

TEST(SandboxText, SaysWhichPageItIs) {
  SandboxPage page{.sandboxes = {orders()}, .total = 7};
  EXPECT_THAT(to_text(page, 2), HasSubstr("\n3 to 3 of 7\n"));
  EXPECT_EQ(to_text(SandboxPage{}, 0), "no sandboxes\n");
  EXPECT_EQ(to_text(SandboxPage{.total = 7}, 9), "no more sandboxes\n");
}

TEST(SandboxText, ShowsAnswersOnALineAndOutputInQuotes) {
  const Outcome outcome{.values = {Value(1), Value(2.5)}, .output = "a\nb"};
  EXPECT_EQ(answer_text(outcome), "1 2.5\noutput \"a\\nb\"\n");
  EXPECT_EQ(answer_text(Outcome{}), "");
}

TEST(SandboxText, ShowsGuestsLogLinesEscaped) {
  const LogNews log{.sandbox = "a", .process = "b", .level = LogLevel::warning, .text = "\x1b]0;title"};
  EXPECT_EQ(to_text(log), "log a/b warning: \\x1b]0;title\n");
}

TEST(SandboxJson, HasTheSameFacts) {
  const Json json = to_json(orders());
  EXPECT_EQ(json["id"], "orders");
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["profile"], "standard");
  EXPECT_EQ(json["limits"]["memory_bytes_max"], 128U << 20);
  EXPECT_EQ(json["limits"]["call_fuel_max"], nullptr);
  EXPECT_EQ(json["limits_met"]["timers_max"], 2);
  EXPECT_EQ(json["usage"]["processes"], 3);
}

// Issue 16: nothing here is what it would be by default.
TEST(SandboxJson, ShowsWhatASandboxWasCreatedWith) {  // L03, L15
  SandboxInfo info = orders();
  info.modules = {{.name = "shop", .artifact = {}, .version = 2, .path = "shop.wat"}};
  info.on_limit = {{"timers_max", OnLimit::kill}};
  info.arguments = {"one", "two words", ""};
  info.environment = {{"A", "1"}, {"B", "two"}};
  info.recovery = {.actions = {{ErrorCategory::runtime, RecoveryAction::isolate}},
                   .restarts_max = 2,
                   .retries_max = 7,
                   .retry_pause = std::chrono::nanoseconds(3),
                   .retry_pause_max = std::chrono::nanoseconds(4),
                   .rollback_within = std::chrono::nanoseconds(5),
                   .stable_after = std::chrono::nanoseconds(6)};
  info.breaker = BreakerState::open;
  info.breaker_opened = 4;
  info.breaker_options = {.limits_max = 1, .window = std::chrono::nanoseconds(2), .pause = std::chrono::nanoseconds(3)};
  const Json json = to_json(info);
  EXPECT_EQ(json.at("modules").at("shop").at("path"), "shop.wat");
  EXPECT_EQ(json.at("on_limit").dump(), R"({"timers_max":"kill"})");
  EXPECT_EQ(json.at("arguments").dump(), R"(["one","two words",""])");
  EXPECT_EQ(json.at("environment").dump(), R"({"A":"1","B":"two"})");
  EXPECT_EQ(json.at("recovery").dump(),
            R"({"restarts_max":2,"retries_max":7,"retry_pause_ns":3,"retry_pause_max_ns":4,"rollback_within_ns":5,)"
            R"("stable_after_ns":6,"compilation":"keep","runtime":"isolate","resource":"restart",)"
            R"("security":"isolate","system":"retry"})");
  EXPECT_EQ(json.at("breaker").dump(), R"({"state":"open","opened":4,"limits_max":1,"window_ns":2,"pause_ns":3})");
}

TEST(SandboxJson, KeepsBytesThatAreNoText) {
  EXPECT_EQ(news_json(LogNews{.text = "\xff"})["log"]["text_hex"], "ff");
  EXPECT_EQ(news_json(CallNews{.number = 3, .result = Outcome{}})["call"]["number"], 3);
}

TEST(AuditEntryText, ShowsARowAnEntry) {
  const AuditPage page{.entries = {{.number = 7,
                                    .sandbox = "a",
                                    .process = "p",
                                    .kind = AuditKind::limit_met,
                                    .cause = "timers_max",
                                    .details = {{"allowed", std::int64_t{10}}, {"name", std::string("x\ny")}}}},
                       .next = 7};
  EXPECT_EQ(to_text(page),
            "entry  time                         kind       of   cause       details\n"
            "7      1970-01-01T00:00:00.000000Z  limit_met  a/p  timers_max  allowed=10 name=\"x\\ny\"\n"
            "there are more: --after 7\n");
  EXPECT_EQ(to_text(AuditPage{}), "no entries\n");
  EXPECT_EQ(to_json(page.entries[0])["details"]["allowed"], 10);
}

}  // namespace
}  // namespace petri::cli
