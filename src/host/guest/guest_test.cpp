#include "host/guest/guest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake_engine.h"
#include "host/link.h"

namespace petri {
namespace {

using testing::ElementsAre;

// A guest of C++ functions, served by the real host functions.
class GuestTest : public testing::Test {
 protected:
  void make(FakeModule module, HostSettings settings = {}) {
    settings.clock = &clock_;
    settings.permissions = Permissions::standard();
    settings.on_log = [this](LogLevel, std::string_view line) { lines_.emplace_back(line); };
    engine_.add("module", std::move(module));
    artifact_ = engine_.artifact("module");
    const auto linked = link(loadable(*artifact_), HostFunctions(), settings.permissions);
    ASSERT_TRUE(linked) << linked.error().message;
    code_ = *loadable(*artifact_).load(Tier::interpreted, linked->imports);
    context_ = std::make_unique<HostContext>(std::move(settings), 7);
    guest_ = std::make_unique<Guest>(loadable(*artifact_), *context_);
  }

  static FakeFunction function(std::string name, FakeBody body) {
    return {.name = std::move(name), .signature = {}, .body = std::move(body)};
  }
  static ImportInfo import(std::string_view name) {
    const HostFunction& row = *find_builtin("petri", name);
    return {.module = row.module, .name = row.name, .signature = row.signature};
  }

  ManualClock clock_;
  std::vector<std::string> lines_;
  FakeEngine engine_;
  ArtifactPtr artifact_;
  CodePtr code_;
  std::unique_ptr<HostContext> context_;
  std::unique_ptr<Guest> guest_;
};

TEST_F(GuestTest, PaysForStartInitializeAndCallFromOneAllowance) {
  const FakeBody pay = [](FakeCall& call) { call.charge(10); };
  make({.functions = {function("_initialize", pay), function("work", pay)}, .start = pay});
  guest_->begin({.fuel = 30}, {});
  EXPECT_EQ(guest_->instantiate(*code_, Initialize::yes)->kind, EndKind::returned);
  EXPECT_EQ(guest_->fuel_used(), 20U);
  EXPECT_EQ(guest_->call(1, {})->kind, EndKind::returned);
  EXPECT_EQ(guest_->fuel_used(), 30U);
  EXPECT_EQ(guest_->call(1, {})->kind, EndKind::out_of_fuel);
  EXPECT_EQ(guest_->fuel_used(), 30U);
  EXPECT_FALSE(guest_->alive());
}

TEST_F(GuestTest, SaysHowFarItCame) {
  make({.functions = {function("_initialize", [](FakeCall& call) { call.stop(EndKind::trapped, 0); })},
        .memory_pages = 1});
  guest_->begin({.fuel = 10}, {});
  EXPECT_EQ(guest_->instantiate(*code_, Initialize::yes)->kind, EndKind::trapped);
  EXPECT_EQ(guest_->place(), Place::initialize);
  EXPECT_FALSE(guest_->alive());
  EXPECT_EQ(guest_->instantiate(*code_, Initialize::no)->kind, EndKind::returned);
  EXPECT_TRUE(guest_->alive());
  EXPECT_EQ(guest_->memory_bytes(), 65'536U);
}

TEST_F(GuestTest, StaysAliveAfterAnExit) {
  make({.functions = {function("leave",
                               [](FakeCall& call) {
                                 const std::uint64_t code = 3;
                                 call.call_import(0, {&code, 1}, {});
                               })},
        .imports = {import("exit")}});
  guest_->begin({.fuel = 10}, {});
  ASSERT_TRUE(guest_->instantiate(*code_, Initialize::yes));
  const auto end = guest_->call(0, {});
  EXPECT_EQ(end->kind, EndKind::exited);
  EXPECT_EQ(end->code, 3);
  EXPECT_TRUE(guest_->alive());
}

TEST_F(GuestTest, ServesManyCallsWithTheirOwnInputAndOutput) {
  make({.functions = {function("echo",
                               [](FakeCall& call) {
                                 const std::uint64_t read[] = {0, 0, 100};
                                 std::uint64_t count = 0;
                                 call.call_import(0, read, {&count, 1});
                                 const std::uint64_t write[] = {0, count};
                                 call.call_import(1, write, {&count, 1});
                               })},
        .imports = {import("input_read"), import("output_write")},
        .memory_pages = 1});
  guest_->begin({.fuel = 100}, {});
  ASSERT_TRUE(guest_->instantiate(*code_, Initialize::yes));
  for (const std::string_view input : {"first", "second", ""}) {
    guest_->begin({.fuel = 100}, input);
    EXPECT_EQ(guest_->call(0, {})->kind, EndKind::returned);
    EXPECT_EQ(context_->output.text(), input);
  }
}

// Q18: lines of the next second appear again.
TEST_F(GuestTest, LogsAgainOnceASecondHasPassed) {
  make({.functions = {function("log",
                               [](FakeCall& call) {
                                 const std::uint64_t arguments[] = {2, 0, 9};
                                 std::uint64_t result = 0;
                                 call.call_import(0, arguments, {&result, 1});
                                 call.memory()[0] = static_cast<std::int32_t>(result) > 0 ? 'k' : 'd';
                               })},
        .imports = {import("log")},
        .memory_pages = 1},
       {.limits = {.log_bytes_per_second_max = 10}});
  guest_->begin({.fuel = 1'000}, {});
  ASSERT_TRUE(guest_->instantiate(*code_, Initialize::yes));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(guest_->call(0, {}));
  EXPECT_EQ(lines_.size(), 1U);
  EXPECT_EQ(context_->counts.log_lines_dropped, 2U);
  EXPECT_EQ(context_->counts.log_bytes_dropped, 18U);
  EXPECT_EQ(guest_->instance()->memory()[0], 'd');
  clock_.advance(std::chrono::seconds(1));
  ASSERT_TRUE(guest_->call(0, {}));
  EXPECT_EQ(lines_.size(), 2U);
}

// F12: the host's own clock is seen in whole milliseconds.
TEST_F(GuestTest, SeesTheClockInWholeMilliseconds) {
  std::vector<std::uint64_t> seen;
  make({.functions = {function("now",
                               [&seen](FakeCall& call) {
                                 std::uint64_t result = 0;
                                 call.call_import(0, {}, {&result, 1});
                                 seen.push_back(result);
                               })},
        .imports = {import("clock_ms")}});
  clock_.set_wall(WallTime(std::chrono::seconds(1'000)));
  guest_->begin({.fuel = 1'000}, {});
  ASSERT_TRUE(guest_->instantiate(*code_, Initialize::yes));
  for (const auto step : {std::chrono::microseconds(0), std::chrono::microseconds(999), std::chrono::microseconds(1)}) {
    clock_.advance(step);
    ASSERT_TRUE(guest_->call(0, {}));
  }
  EXPECT_THAT(seen, ElementsAre(1'000'000, 1'000'000, 1'000'001));
}

// HF07: a host function that cannot do its work is petri's failure.
TEST_F(GuestTest, DistinguishesAFaultOfTheHostFromAnEndOfTheGuest) {
  make({.functions = {function("f", [](FakeCall& call) {
          static_cast<HostContext*>(call.context())->fault = "out of memory";
          call.stop(EndKind::refused, 0);
        })}});
  guest_->begin({.fuel = 10}, {});
  ASSERT_TRUE(guest_->instantiate(*code_, Initialize::yes));
  const auto end = guest_->call(0, {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::host_fault);
  EXPECT_FALSE(guest_->alive());
}

}  // namespace
}  // namespace petri
