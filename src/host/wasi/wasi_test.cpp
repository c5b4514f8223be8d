// WASI without files, called by a real guest.
#include <gmock/gmock.h>

#include <thread>

#include "host/guest/kill_flag.h"
#include "host/host_function_fixture.h"
#include "host/wasi/errno.h"

namespace petri {
namespace {

using testing::ElementsAre;

constexpr int kBadf = static_cast<int>(WasiErrno::badf);
constexpr int kInval = static_cast<int>(WasiErrno::inval);
constexpr int kSpipe = static_cast<int>(WasiErrno::spipe);
constexpr int kFault = static_cast<int>(WasiErrno::fault);
constexpr int kNotcapable = static_cast<int>(WasiErrno::notcapable);

class Wasi : public HostFunctionFixture {
 protected:
  // Writes text to a descriptor and gives the errno; how many bytes were taken stands at 3000.
  int write(std::uint32_t descriptor, std::string_view bytes) {
    put(2'000, bytes);
    put_buffer(1'000, 2'000, static_cast<std::uint32_t>(bytes.size()));
    return wasi("fd_write", {descriptor, 1'000, 1, 3'000});
  }
  void put_clock(std::uint32_t address, std::uint64_t userdata, std::uint32_t clock, std::uint64_t timeout_ns,
                 bool absolute) {
    std::memset(memory().data() + address, 0, 48);
    put_number(address, userdata);
    put_number(address + 16, clock);
    put_number(address + 24, timeout_ns);
    put_number(address + 40, static_cast<std::uint16_t>(absolute ? 1 : 0));
  }
};

TEST_P(Wasi, GivesArgumentsAndEnvironment) {
  const std::vector<std::string> arguments{"", "x y"};  // its name, "guest", is the same everywhere
  const std::map<std::string, std::string> environment{{"A", "1"}, {"B", ""}};
  settings_.program_arguments = &arguments;
  settings_.environment = &environment;
  start();
  EXPECT_EQ(wasi("args_sizes_get", {0, 4}), 0);
  EXPECT_EQ(number<std::uint32_t>(0), 3U);
  EXPECT_EQ(number<std::uint32_t>(4), 11U);
  EXPECT_EQ(wasi("args_get", {100, 201}), 0);
  EXPECT_EQ(number<std::uint32_t>(100), 201U);
  EXPECT_EQ(number<std::uint32_t>(104), 207U);
  EXPECT_EQ(text(201, 11), std::string_view("guest\0\0x y\0", 11));
  EXPECT_EQ(wasi("environ_sizes_get", {0, 4}), 0);
  EXPECT_EQ(number<std::uint32_t>(0), 2U);
  EXPECT_EQ(wasi("environ_get", {100, 200}), 0);
  EXPECT_EQ(text(200, 7), std::string_view("A=1\0B=\0", 7));
  EXPECT_EQ(wasi("args_get", {131'060, 200}), 0);
  EXPECT_EQ(wasi("args_get", {131'061, 200}), kFault);
}

// It is put together for each call, and guests that have had their turn hold it until they continue.
TEST_P(Wasi, GivesNoEnvironmentThatMemoryHasNoRoomFor) {
  const std::map<std::string, std::string> environment{{"A", "1"}, {"B", std::string(1'000'000, 'x')}};
  settings_.environment = &environment;
  settings_.limits.memory_bytes_max = 512 * 1'024;
  start();
  EXPECT_EQ(wasi("environ_sizes_get", {0, 4}), static_cast<int>(WasiErrno::nomem));
  EXPECT_EQ(wasi("environ_get", {100, 200}), static_cast<int>(WasiErrno::nomem));
}

TEST_P(Wasi, ReadsTheInputAsStandardInput) {
  start("abcdef");
  put_buffer(1'000, 2'000, 2);
  put_buffer(1'008, 2'100, 2);
  EXPECT_EQ(wasi("fd_read", {0, 1'000, 2, 3'000}), 0);
  EXPECT_EQ(number<std::uint32_t>(3'000), 4U);
  EXPECT_EQ(text(2'000, 2) + text(2'100, 2), "abcd");
  EXPECT_EQ(wasi("fd_read", {0, 1'000, 2, 3'000}), 0);
  EXPECT_EQ(number<std::uint32_t>(3'000), 2U);
  EXPECT_EQ(wasi("fd_read", {0, 1'000, 2, 3'000}), 0);
  EXPECT_EQ(number<std::uint32_t>(3'000), 0U);
}

TEST_P(Wasi, MakesStandardOutputTheAnswer) {
  start();
  put(2'000, "hello world");
  put_buffer(1'000, 2'000, 6);
  put_buffer(1'008, 2'006, 5);
  EXPECT_EQ(wasi("fd_write", {1, 1'000, 2, 3'000}), 0);
  EXPECT_EQ(number<std::uint32_t>(3'000), 11U);
  EXPECT_EQ(context_->output.text(), "hello world");
}

TEST_P(Wasi, GivesStandardOutputToWhoeverWantsIt) {
  std::string seen;
  const HostSettings::OnBytes see = [&seen](std::string_view bytes) { seen += bytes; };
  settings_.on_stdout = &see;
  settings_.limits.output_bytes_max = 5;
  start();
  EXPECT_EQ(write(1, "abc"), 0);
  EXPECT_EQ(write(1, "defg"), 0);
  EXPECT_EQ(number<std::uint32_t>(3'000), 4U);  // the program continues as if all had been taken
  EXPECT_EQ(seen, "abcde");
  EXPECT_EQ(context_->output.text(), "");
  EXPECT_EQ(context_->output.bytes_cut(), 2U);
}

TEST_P(Wasi, MakesStandardErrorLinesOfTheLog) {
  std::vector<std::string> lines;
  settings_.on_log = [&lines](LogLevel, std::string_view line) { lines.emplace_back(line); };
  start();
  EXPECT_EQ(write(2, "one\ntw"), 0);
  EXPECT_EQ(write(2, "o\n\nthree"), 0);
  EXPECT_THAT(lines, ElementsAre("one", "two", ""));
  context_->finish(0);
  EXPECT_THAT(lines, ElementsAre("one", "two", "", "three"));
}

TEST_P(Wasi, SplitsLinesThatAreTooLong) {
  std::vector<std::size_t> sizes;
  settings_.on_log = [&sizes](LogLevel, std::string_view line) { sizes.push_back(line.size()); };
  start();
  EXPECT_EQ(write(2, std::string(10'000, 'x') + "\n"), 0);
  EXPECT_THAT(sizes, ElementsAre(4'096, 4'096, 1'808));
}

TEST_P(Wasi, LetsNobodyLogThroughStandardErrorWithoutPermission) {
  settings_.permissions = all().without(Permission::log);
  start();
  EXPECT_EQ(write(2, "x\n"), kNotcapable);
  EXPECT_EQ(context_->counts.calls_refused, 1U);
}

TEST_P(Wasi, GivesStandardErrorToWhoeverWantsItWithinTheRate) {
  std::string seen;
  const HostSettings::OnBytes see = [&seen](std::string_view bytes) { seen += bytes; };
  settings_.on_stderr = &see;
  settings_.limits.log_bytes_per_second_max = 10;
  settings_.permissions = all().without(Permission::log);
  start();
  EXPECT_EQ(write(2, "12345"), 0);
  EXPECT_EQ(write(2, "12345"), 0);
  EXPECT_EQ(seen, "12345");
  EXPECT_EQ(context_->counts.log_bytes_dropped, 5U);
}

// E13
TEST_P(Wasi, KnowsOnlyDescriptorsThatAreOpen) {
  start();
  for (const std::uint32_t descriptor : {3U, 4U, 64U, 0x7fff'ffffU, 0x8000'0000U, 0xffff'ffffU}) {
    EXPECT_EQ(write(descriptor, "x"), kBadf);
    EXPECT_EQ(wasi("fd_read", {descriptor, 1'000, 1, 3'000}), kBadf);
    EXPECT_EQ(wasi("fd_close", {descriptor}), kBadf);
    EXPECT_EQ(wasi("fd_seek", {descriptor, 0, 0, 3'000}), kBadf);
    EXPECT_EQ(wasi("fd_tell", {descriptor, 3'000}), kBadf);
    EXPECT_EQ(wasi("fd_fdstat_get", {descriptor, 3'000}), kBadf);
    EXPECT_EQ(wasi("fd_filestat_get", {descriptor, 3'000}), kBadf);
    EXPECT_EQ(wasi("fd_prestat_get", {descriptor, 3'000}), kBadf);
    EXPECT_EQ(wasi("fd_prestat_dir_name", {descriptor, 3'000, 9}), kBadf);
    EXPECT_EQ(wasi("fd_readdir", {descriptor, 2'000, 100, 0, 3'000}), kBadf);
    EXPECT_EQ(wasi("fd_sync", {descriptor}), kBadf);
    EXPECT_EQ(wasi("path_unlink_file", {descriptor, 2'000, 1}), kBadf);
  }
  EXPECT_EQ(wasi("fd_seek", {0, std::uint64_t{1} << 63, 0, 3'000}), kSpipe);
  EXPECT_EQ(wasi("fd_seek", {1, 0, 1, 3'000}), kSpipe);
  EXPECT_EQ(wasi("fd_pread", {0, 1'000, 1, 0, 3'000}), kSpipe);
  EXPECT_EQ(write(0, "x"), kBadf);
  EXPECT_EQ(wasi("fd_read", {1, 1'000, 1, 3'000}), kBadf);
}

TEST_P(Wasi, ClosesStreamsForGood) {
  start();
  EXPECT_EQ(wasi("fd_close", {1}), 0);
  EXPECT_EQ(wasi("fd_close", {1}), kBadf);
  EXPECT_EQ(write(1, "x"), kBadf);
}

TEST_P(Wasi, DescribesStreams) {
  start();
  EXPECT_EQ(wasi("fd_fdstat_get", {1, 100}), 0);
  EXPECT_EQ(number<std::uint8_t>(100), 2);  // a character device: libc writes line by line
  EXPECT_EQ(number<std::uint64_t>(108) & (1U << 6), 1U << 6);
  EXPECT_EQ(number<std::uint64_t>(108) & (1U << 2), 0U);
  EXPECT_EQ(wasi("fd_fdstat_set_flags", {1, 4}), 0);
  EXPECT_EQ(wasi("fd_fdstat_set_flags", {1, 16}), static_cast<int>(WasiErrno::notsup));
  EXPECT_EQ(wasi("fd_filestat_get", {1, 200}), 0);
  EXPECT_EQ(number<std::uint8_t>(216), 2);
}

TEST_P(Wasi, HasTimeWithAGrainOfAMillisecond) {
  clock_.set_wall(WallTime(std::chrono::nanoseconds(5'000'123'456)));
  start();
  clock_.advance(std::chrono::microseconds(2'999));
  EXPECT_EQ(wasi("clock_res_get", {0, 100}), 0);
  EXPECT_EQ(number<std::uint64_t>(100), 1'000'000U);
  EXPECT_EQ(wasi("clock_time_get", {0, 1, 100}), 0);
  EXPECT_EQ(number<std::uint64_t>(100), 5'003'000'000U);
  EXPECT_EQ(wasi("clock_time_get", {1, 1, 100}), 0);
  EXPECT_EQ(number<std::uint64_t>(100), 2'000'000U);
  EXPECT_EQ(wasi("clock_time_get", {2, 1, 100}), kInval);
  EXPECT_EQ(wasi("clock_res_get", {3, 100}), kInval);
}

TEST_P(Wasi, GivesBytesOfTheSeed) {
  start();
  SeededRandom expected(7);
  std::vector<std::uint8_t> bytes(100'000);
  expected.fill(std::span(bytes).first(65'536));
  expected.fill(std::span(bytes).subspan(65'536));
  EXPECT_EQ(wasi("random_get", {1, 100'000}), 0);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), memory().begin() + 1));
}

TEST_P(Wasi, EndsWithTheCodeOfTheProgram) {
  start();
  call_raw("wasi.proc_exit", {42});
  EXPECT_EQ(last_.kind, EndKind::exited);
  EXPECT_EQ(last_.code, 42);
  EXPECT_EQ(wasi("sched_yield", {}), 0);
}

// ---- waiting ----

TEST_P(Wasi, LetsVirtualTimePassWithoutWaiting) {
  settings_.deterministic = true;
  start();
  put_clock(0, 11, 1, 3'600'000'000'000, false);
  put_clock(48, 22, 1, 7'200'000'000'000, false);
  EXPECT_EQ(wasi("poll_oneoff", {0, 200, 2, 300}), 0);
  EXPECT_EQ(number<std::uint32_t>(300), 1U);
  EXPECT_EQ(number<std::uint64_t>(200), 11U);
  EXPECT_EQ(number<std::uint16_t>(208), 0U);
  EXPECT_EQ(call_raw("petri.clock_ms", {}), 3'600'000U);
  put_clock(0, 33, 0, 3'600'500'000'000, true);
  EXPECT_EQ(wasi("poll_oneoff", {0, 200, 1, 300}), 0);
  EXPECT_EQ(call_raw("petri.clock_ms", {}), 3'600'500U);
  put_clock(0, 33, 1, ~std::uint64_t{0}, false);
  EXPECT_EQ(wasi("poll_oneoff", {0, 200, 1, 300}), 0);
  EXPECT_EQ(wasi("poll_oneoff", {0, 200, 1, 300}), 0);
}

TEST_P(Wasi, WaitsForRealTimeToPass) {
  start();
  const auto before = std::chrono::steady_clock::now();
  put_clock(0, 11, 1, 1'000'000, false);
  EXPECT_EQ(wasi("poll_oneoff", {0, 200, 1, 300}), 0);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(1));
  EXPECT_TRUE(context_->waited);
}

TEST_P(Wasi, EndsAWaitAtTheDeadline) {
  start();
  guest_->begin({.fuel = kFuel, .deadline_ns = 1}, {});
  put_clock(0, 11, 1, ~std::uint64_t{0}, false);
  call_raw("wasi.poll_oneoff", {0, 200, 1, 300});
  EXPECT_EQ(last_.kind, EndKind::deadline);
}

TEST_P(Wasi, EndsAWaitWhenItIsStopped) {
  KillFlag kill;
  start();
  context_->kill = &kill.flag();
  put_clock(0, 11, 1, ~std::uint64_t{0}, false);
  const std::jthread stopper([&kill] { kill.raise(); });
  call_raw("wasi.poll_oneoff", {0, 200, 1, 300});
  EXPECT_EQ(last_.kind, EndKind::cancelled);
}

TEST_P(Wasi, AnswersAtOnceForStreamsAndMistakes) {
  start();
  put_clock(0, 1, 1, ~std::uint64_t{0}, false);
  put_clock(48, 2, 0, 0, false);
  put_number<std::uint8_t>(48 + 8, 1);  // can descriptor 0 be read?
  put_clock(96, 3, 9, 5, false);        // there is no clock 9
  put_clock(144, 4, 77, 0, false);
  put_number<std::uint8_t>(144 + 8, 2);  // nor a descriptor 77
  EXPECT_EQ(wasi("poll_oneoff", {0, 400, 4, 300}), 0);
  EXPECT_EQ(number<std::uint32_t>(300), 3U);
  EXPECT_EQ(number<std::uint64_t>(400), 2U);
  EXPECT_EQ(number<std::uint64_t>(432), 3U);
  EXPECT_EQ(number<std::uint16_t>(432 + 8), kInval);
  EXPECT_EQ(number<std::uint64_t>(464), 4U);
  EXPECT_EQ(number<std::uint16_t>(464 + 8), kBadf);
  EXPECT_EQ(wasi("poll_oneoff", {0, 400, 0, 300}), kInval);
  EXPECT_EQ(wasi("poll_oneoff", {0, 400, 65, 300}), kInval);
}

PETRI_IN_BOTH_TIERS(Wasi);

}  // namespace
}  // namespace petri
