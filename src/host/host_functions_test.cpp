// Each function of the import module `petri` and of `math`, called by a real guest.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <set>

#include "engine/engine_tables.h"
#include "host/host_function_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;

constexpr std::int32_t kInvalid = static_cast<std::int32_t>(GuestError::invalid);
constexpr std::int32_t kLimitExceeded = static_cast<std::int32_t>(GuestError::limit_exceeded);

class PetriFunctions : public HostFunctionFixture {};

TEST_P(PetriFunctions, AreAllInTheGuestThatTestsThem) {
  start();
  std::set<std::string> exported;
  for (const ExportInfo& info : artifact_->exports()) exported.insert(info.name);
  for (const HostFunction& function : builtin_functions()) {
    const std::string module = function.module == "wasi_snapshot_preview1" ? "wasi" : function.module;
    EXPECT_TRUE(exported.contains(module + "." + function.name)) << function.name << " is missing in all_imports.wat";
  }
}

TEST_P(PetriFunctions, ReadTheInputFromAnyOffset) {
  start("hello world");
  EXPECT_EQ(call("petri.input_size", {}), 11);
  EXPECT_EQ(call("petri.input_read", {101, 6, 100}), 5);
  EXPECT_EQ(text(101, 5), "world");
  EXPECT_EQ(call("petri.input_read", {0, 0, 4}), 4);
  EXPECT_EQ(text(0, 5), std::string_view("hell\0", 5));
  EXPECT_EQ(call("petri.input_read", {0, 11, 10}), 0);
  EXPECT_EQ(call("petri.input_read", {0, 0xffff'ffff, 10}), 0);
}

TEST_P(PetriFunctions, AppendToTheAnswerInOrder) {
  start();
  put(8, "abcdef");
  EXPECT_EQ(call("petri.output_write", {8, 3}), 3);
  EXPECT_EQ(call("petri.output_write", {11, 3}), 3);
  EXPECT_EQ(call("petri.output_write", {131'072, 0}), 0);
  EXPECT_EQ(context_->output.text(), "abcdef");
}

// Q17
TEST_P(PetriFunctions, CutTheAnswerAtOutputBytesMax) {
  settings_.limits.output_bytes_max = 10;
  start();
  put(0, "0123456789ab");
  EXPECT_EQ(call("petri.output_write", {0, 8}), 8);
  EXPECT_EQ(call("petri.output_write", {0, 8}), 2);
  EXPECT_EQ(call("petri.output_write", {0, 8}), 0);
  EXPECT_EQ(context_->output.text(), "0123456701");
  EXPECT_EQ(context_->output.bytes_cut(), 14U);
}

// The memory peak counts the answer, and never exceeds its limit.
TEST_P(PetriFunctions, LeaveNoRoomForTheAnswerThatMemoryHasTaken) {
  settings_.limits.memory_bytes_max = 2 * 65'536 + 10;
  start();
  EXPECT_EQ(call("petri.output_write", {0, 100}), 10);
  EXPECT_TRUE(context_->output_cut_by_memory);
}

TEST_P(PetriFunctions, LogLinesWithTheirLevel) {
  std::vector<std::pair<LogLevel, std::string>> lines;
  settings_.on_log = [&lines](LogLevel level, std::string_view line) { lines.emplace_back(level, line); };
  start();
  put(0, "one");
  EXPECT_EQ(call("petri.log", {0, 0, 3}), 3);
  EXPECT_EQ(call("petri.log", {4, 1, 2}), 2);
  EXPECT_EQ(call("petri.log", {5, 0, 3}), kInvalid);
  EXPECT_EQ(call("petri.log", {0xffff'ffff, 0, 3}), kInvalid);
  EXPECT_THAT(lines, ElementsAre(std::pair(LogLevel::trace, "one"), std::pair(LogLevel::error, "ne")));
  EXPECT_EQ(context_->counts.calls_refused, 2U);
}

// F10
TEST_P(PetriFunctions, CutLongLinesAndDropTooManyOfThem) {
  std::size_t bytes = 0;
  settings_.on_log = [&bytes](LogLevel, std::string_view line) { bytes += line.size(); };
  settings_.limits.log_bytes_per_second_max = 10'000;
  start();
  EXPECT_EQ(call("petri.log", {0, 0, 131'072}), 4'096);
  EXPECT_EQ(context_->counts.log_bytes_dropped, 131'072U - 4'096U);
  int dropped = 0;
  for (int i = 0; i < 100; ++i) dropped += call("petri.log", {0, 0, 1'000}) == kLimitExceeded ? 1 : 0;
  EXPECT_EQ(bytes, 4'096U + 5'000U);
  EXPECT_EQ(dropped, 95);
  EXPECT_EQ(context_->counts.log_lines_dropped, 95U);
}

// F11: the line comes as it was sent; the code that shows it escapes it.
TEST_P(PetriFunctions, PassOnWhateverALineHolds) {
  std::string seen;
  settings_.on_log = [&seen](LogLevel, std::string_view line) { seen = line; };
  start();
  const std::string line("\x1b[2J\n\0\xff</script>", 16);
  put(0, line);
  EXPECT_EQ(call("petri.log", {2, 0, line.size()}), 16);
  EXPECT_EQ(seen, line);
}

TEST_P(PetriFunctions, SurviveCallbacksThatThrow) {
  settings_.on_log = [](LogLevel, std::string_view) { throw 7; };
  start();
  EXPECT_EQ(call("petri.log", {0, 0, 3}), 3);
  EXPECT_EQ(context_->counts.host_functions_threw, 1U);
}

TEST_P(PetriFunctions, TellTheTimeInWholeMilliseconds) {
  clock_.set_wall(WallTime(std::chrono::nanoseconds(1'234'567'890)));
  start();
  EXPECT_EQ(call_raw("petri.clock_ms", {}), 1'234U);
}

// F12, B13: a million of fuel is a millisecond.
TEST_P(PetriFunctions, TellVirtualTimeInDeterministicRuns) {
  settings_.deterministic = true;
  start();
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(call_raw("petri.clock_ms", {}), 0U);
  context_->fuel_before = 2'999'900;
  EXPECT_EQ(call_raw("petri.clock_ms", {}), 2U);
  context_->fuel_before = 3'000'000;
  EXPECT_EQ(call_raw("petri.clock_ms", {}), 3U);
}

TEST_P(PetriFunctions, GiveRandomNumbersOfTheSeed) {
  start();
  SeededRandom expected(7);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(call_raw("petri.random", {}), expected.next());
}

// R09
TEST_P(PetriFunctions, EndWithTheCodeTheGuestGives) {
  start();
  for (const std::int32_t code : {0, -1, 2'147'483'647, 3}) {
    call_raw("petri.exit", {static_cast<std::uint32_t>(code)});
    EXPECT_EQ(last_.kind, EndKind::exited);
    EXPECT_EQ(last_.code, code);
  }
}

// A08: one unit for each local.get and the call, and what the function declares.
TEST_P(PetriFunctions, CostWhatTheyDeclare) {
  start("0123456789");
  call("petri.input_size", {});
  EXPECT_EQ(fuel_, 1U + 4U);
  call("petri.input_read", {0, 0, 10});
  EXPECT_EQ(fuel_, 4U + 8U);
  call("petri.output_write", {0, 640});
  EXPECT_EQ(fuel_, 3U + 8U + 10U);
  call_raw("math.sin", {std::bit_cast<std::uint64_t>(1.0)});
  EXPECT_EQ(fuel_, 2U + find_builtin("math", "sin")->import.fuel);
}

TEST_P(PetriFunctions, ComputeMathematics) {
  start();
  const auto math = [this](std::string_view name, double x) {
    return std::bit_cast<double>(call_raw("math." + std::string(name), {std::bit_cast<std::uint64_t>(x)}));
  };
  EXPECT_DOUBLE_EQ(math("sin", 0.5), std::sin(0.5));
  EXPECT_DOUBLE_EQ(math("exp", 1.5), std::exp(1.5));
  EXPECT_EQ(math("cbrt", 27), 3);
  EXPECT_EQ(std::bit_cast<double>(
                call_raw("math.pow", {std::bit_cast<std::uint64_t>(2.0), std::bit_cast<std::uint64_t>(10.0)})),
            1'024);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(math("log", -1)), 0x7ff8'0000'0000'0000U);  // the one canonical NaN
}

PETRI_IN_BOTH_TIERS(PetriFunctions);

}  // namespace
}  // namespace petri
