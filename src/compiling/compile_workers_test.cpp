#include "compiling/compile_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "compiling/compile_fault.h"
#include "compiling/worker_path.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kMiB = 1 << 20;

// (module (func (export "f")))
const Bytes kModule{0, 'a', 's', 'm', 1, 0, 0,   0, 1, 4,  1, 0x60, 0, 0, 3,   2,
                    1, 0,   7,   5,   1, 1, 'f', 0, 0, 10, 4, 1,    2, 0, 0x0b};

void append_number(Bytes& bytes, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

void append_section(Bytes& module, std::uint8_t id, const Bytes& content) {
  module.push_back(id);
  append_number(module, static_cast<std::uint32_t>(content.size()));
  module.insert(module.end(), content.begin(), content.end());
}

// Functions with a branch over a table of nested blocks, and locals that are different behind each of them: what one
// costs to compile grows with the product.
Bytes branch_bomb(std::uint32_t targets, std::uint32_t locals, std::uint8_t functions = 1) {
  Bytes body;
  append_number(body, 1);
  append_number(body, locals);
  body.push_back(0x7f);
  for (std::uint32_t i = 0; i < targets; ++i) body.insert(body.end(), {0x02, 0x40});  // block
  body.insert(body.end(), {0x20, 0, 0x0e});                                           // local.get 0, br_table
  append_number(body, targets - 1);
  for (std::uint32_t i = 0; i < targets; ++i) append_number(body, i);
  for (std::uint32_t i = 0; i < targets; ++i) {
    body.insert(body.end(), {0x0b, 0x41});  // end, i32.const
    append_number(body, i % 64);
    body.push_back(0x21);  // local.set
    append_number(body, 1 + i % locals);
  }
  body.push_back(0x41);
  body.push_back(0);
  for (std::uint32_t i = 1; i <= locals; ++i) {
    body.push_back(0x20);  // local.get
    append_number(body, i);
    body.push_back(0x6a);  // i32.add
  }
  body.push_back(0x0b);
  Bytes types{functions}, code{functions};
  for (std::uint8_t i = 0; i < functions; ++i) {
    types.push_back(0);
    append_number(code, static_cast<std::uint32_t>(body.size()));
    code.insert(code.end(), body.begin(), body.end());
  }
  Bytes module{0, 'a', 's', 'm', 1, 0, 0, 0};
  append_section(module, 1, {1, 0x60, 1, 0x7f, 1, 0x7f});
  append_section(module, 3, types);
  append_section(module, 10, code);
  return module;
}

struct ThreadStatus {
  std::string filters;  // "2": only system calls that a filter allows
  std::string state;    // "S": it waits
  int nice = 0;
};

// Empty if there is no such thread any more.
ThreadStatus status_of(const std::filesystem::path& thread) {
  ThreadStatus status;
  std::ifstream lines(thread / "status");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Seccomp:\t")) status.filters = line.substr(9);
    if (line.starts_with("State:\t")) status.state = line.substr(7, 1);
  }
  std::ifstream numbers(thread / "stat");
  std::string text;
  std::getline(numbers, text);
  std::istringstream behind_name(text.substr(text.rfind(')') + 1));
  constexpr int kNice = 17;  // the word that it is
  for (int word = 0; word < kNice && behind_name >> text; ++word) status.nice = std::atoi(text.c_str());
  return status;
}

std::vector<std::filesystem::path> compilations_of(pid_t worker) {
  const std::string process = std::to_string(worker);
  std::ifstream children("/proc/" + process + "/task/" + process + "/children");
  std::vector<std::filesystem::path> found;
  for (std::string child; children >> child;) found.push_back("/proc/" + child);
  return found;
}

// The process that compiles and never ends, once it is jailed and waits.
std::filesystem::path endless_compilation() {
  for (;;) {
    for (const WorkerIds& worker : live_workers()) {
      for (const auto& child : compilations_of(worker.process)) {
        const ThreadStatus status = status_of(child);
        if (status.filters == "2" && status.state == "S") return child;
      }
    }
    std::this_thread::yield();
  }
}

class CompileWorkersTest : public testing::Test {
 protected:
  ~CompileWorkersTest() override { inject_compile_fault(CompileFault::none, 0); }

  Result<Bytes> compile(const MachineCodeOptions& options = {}, const Bytes& module = kModule,
                        std::stop_token stop = {}) {
    return compile_in_worker(module, false, options, std::chrono::steady_clock::now() + options.time_max, stop);
  }
  Result<Bytes> compile_with(CompileFault fault, const MachineCodeOptions& options = {}) {
    inject_compile_fault(fault);
    return compile(options);
  }
  // Waits until no worker is left that was told to end, and none that is dead.
  static std::vector<pid_t> children() {
    EXPECT_TRUE(settle_compile_workers(seconds(10)));
    std::vector<pid_t> known;
    for (const WorkerIds& ids : live_workers()) known.push_back(ids.process);
    return known;
  }
  static bool has_zombies() {
    siginfo_t about{};
    return ::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid != 0;
  }
  static void wait_until_zombie(pid_t worker) {
    siginfo_t about{};
    ::waitid(P_PID, static_cast<id_t>(worker), &about, WEXITED | WNOWAIT);
  }
  // Waits until this many workers live. One of them is at work, the others are idle.
  static void wait_for_workers(std::size_t count) {
    while (live_workers().size() < count) std::this_thread::yield();
  }
};

TEST_F(CompileWorkersTest, AModuleBecomesMachineCode) {
  const auto code = compile();
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_THAT(std::string(code->begin(), code->end()), StartsWith("\x7f"
                                                                  "ELF"));
}

TEST_F(CompileWorkersTest, OneWorkerServesOneAfterTheOther) {
  ASSERT_TRUE(compile());
  const auto before = children();
  for (int times = 0; times < 20; ++times) ASSERT_TRUE(compile());
  EXPECT_EQ(children(), before);
}

TEST_F(CompileWorkersTest, WhatIsNoModuleIsTheCompilersFailure) {
  const auto code = compile({}, {1, 2, 3});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::engine_fault);
  EXPECT_THAT(code.error().message, HasSubstr("the compiler failed"));
}

// Output that an engine's panic prints must not be taken for anything by the other children.
TEST_F(CompileWorkersTest, WhatACompilerPrintsGoesNowhere) {
  for (int times = 0; times < 5; ++times) {
    const auto printed = compile_with(CompileFault::prints);
    ASSERT_FALSE(printed);
    EXPECT_THAT(printed.error().message, HasSubstr("Broken pipe"));
    EXPECT_TRUE(compile());
  }
}

// HF08
TEST_F(CompileWorkersTest, ACompilationThatNeverEndsIsKilledAtItsDeadline) {
  const auto code = compile_with(CompileFault::never_ends, {.time_max = milliseconds(100)});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::timeout);
  EXPECT_THAT(code.error().message, HasSubstr("100 ms"));
  EXPECT_TRUE(compile());
  children();
  EXPECT_FALSE(has_zombies());
}

// 14 KB that the compiler took 110 seconds for, and another that took 1.8 GiB.
TEST_F(CompileWorkersTest, ABranchBombIsKilledAtItsDeadline) {
  const auto start = std::chrono::steady_clock::now();
  const auto code = compile({.time_max = milliseconds(300), .memory_bytes_max = 4096 * kMiB}, branch_bomb(500, 8'192));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::timeout) << code.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
}

// One of each thread's, and one on both at a time.
TEST_F(CompileWorkersTest, ABranchBombGetsNoMoreMemoryThanItMayHave) {
  for (const std::uint8_t functions : {1, 4}) {
    const Bytes bomb = branch_bomb(500, 2'000, functions);
    const auto code = compile({.time_max = seconds(120), .memory_bytes_max = 32 * kMiB}, bomb);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::limit_exceeded) << code.error().message;
  }
}

TEST_F(CompileWorkersTest, MemoryIsLimited) {
  const auto code = compile_with(CompileFault::eats_memory, {.memory_bytes_max = 64 * kMiB});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::limit_exceeded);
  EXPECT_THAT(code.error().message, HasSubstr("64 MiB"));
}

// HF08
TEST_F(CompileWorkersTest, ACompilerThatCrashesTakesNobodyWithIt) {
  const auto code = compile_with(CompileFault::crashes);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::engine_fault);
  EXPECT_TRUE(compile());
}

// HF08
TEST_F(CompileWorkersTest, ACompilationThatIsKilledFromOutsideIsAnError) {
  const auto code = compile_with(CompileFault::kills_itself);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::host_fault);
  EXPECT_THAT(code.error().message, HasSubstr("signal 9"));
  EXPECT_TRUE(compile());
  children();
  EXPECT_FALSE(has_zombies());
}

// HF08
TEST_F(CompileWorkersTest, AWorkerThatIsKilledWhileItCompilesIsAnError) {
  ASSERT_TRUE(compile());
  inject_compile_fault(CompileFault::never_ends);
  std::jthread killer([] {
    while (compile_faults_left() > 0) std::this_thread::yield();  // until the request is on its way
    for (const WorkerIds& ids : live_workers()) ::kill(ids.process, SIGKILL);
  });
  const auto code = compile({.time_max = seconds(100)});
  killer.join();
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::host_fault) << code.error().message;
  const auto again = compile();
  EXPECT_TRUE(again) << again.error().message;
  children();
  EXPECT_FALSE(has_zombies());
}

// HF08
TEST_F(CompileWorkersTest, AnIdleWorkerThatWasKilledIsReplaced) {
  ASSERT_TRUE(compile());
  const auto before = children();
  for (const pid_t worker : before) ::kill(worker, SIGKILL);
  for (const pid_t worker : before) wait_until_zombie(worker);
  const auto code = compile();
  EXPECT_TRUE(code) << code.error().message;
  EXPECT_NE(children(), before);
  EXPECT_FALSE(has_zombies());
}

TEST_F(CompileWorkersTest, AStopAbandonsTheCompilation) {
  std::stop_source stop;
  inject_compile_fault(CompileFault::never_ends);
  const std::jthread stopper([&stop] {
    wait_for_workers(1);
    stop.request_stop();
  });
  const auto code = compile({.time_max = seconds(100)}, kModule, stop.get_token());
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::cancelled);
  children();
  EXPECT_FALSE(has_zombies());
}

TEST_F(CompileWorkersTest, WhoeverWaitsForAWorkerKeepsToTheDeadlineAndToTheStop) {
  const std::size_t all = CompileWorkers::workers_max();
  std::stop_source stop;
  inject_compile_fault(CompileFault::never_ends, static_cast<int>(all));
  std::vector<std::jthread> busy;
  for (std::size_t i = 0; i < all; ++i) {
    busy.emplace_back([&] { EXPECT_FALSE(compile({.time_max = seconds(100)}, kModule, stop.get_token())); });
  }
  wait_for_workers(all);
  const auto late = compile({.time_max = milliseconds(50)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
  stop.request_stop();
  busy.clear();
  inject_compile_fault(CompileFault::none, 0);
  EXPECT_TRUE(compile());
}

TEST_F(CompileWorkersTest, ManyAtATimeShareTheWorkers) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([this] {
      for (int times = 0; times < 10; ++times) EXPECT_TRUE(compile());
    });
  }
  threads.clear();
  EXPECT_LE(children().size(), CompileWorkers::workers_max());
}

TEST_F(CompileWorkersTest, ACompilationHasNoFilesNoNetworkAndNoProcesses) {
  for (const CompileFault fault : {CompileFault::opens_a_file, CompileFault::connects, CompileFault::forks}) {
    const auto code = compile_with(fault);
    ASSERT_FALSE(code);
    EXPECT_THAT(code.error().message, HasSubstr("Operation not permitted"));
  }
}

TEST_F(CompileWorkersTest, EveryThreadOfACompilationIsFilteredAndComesBehindTheGuests) {
  Bytes large = kModule;
  append_section(large, 0, Bytes(4'096, 0));
  const std::size_t two = std::thread::hardware_concurrency() > 1 ? 2 : 1;
  for (const auto& [module, threads] : {std::pair(kModule, std::size_t{1}), std::pair(large, two)}) {
    std::stop_source stop;
    inject_compile_fault(CompileFault::never_ends);
    const std::jthread busy([&] { EXPECT_FALSE(compile({.time_max = seconds(100)}, module, stop.get_token())); });
    std::size_t seen = 0;
    for (const auto& task : std::filesystem::directory_iterator(endless_compilation() / "task")) {
      const ThreadStatus thread = status_of(task.path());
      EXPECT_EQ(thread.filters, "2");
      EXPECT_GE(thread.nice, 5);
      ++seen;
    }
    EXPECT_EQ(seen, threads);
    stop.request_stop();
  }
}

// Four modules that take seconds kept every other from being compiled.
TEST_F(CompileWorkersTest, SmallModulesDoNotWaitBehindLargeOnes) {
  Bytes large = kModule;
  append_section(large, 0, Bytes(CompileWorkers::kSmallBytes, 0));
  const std::size_t many = CompileWorkers::workers_max() + 1;
  inject_compile_fault(CompileFault::never_ends, static_cast<int>(many));
  std::stop_source stop;
  std::vector<std::jthread> bombs;
  for (std::size_t i = 0; i < many; ++i) {
    bombs.emplace_back([&] { EXPECT_FALSE(compile({.time_max = seconds(100)}, large, stop.get_token())); });
  }
  while (static_cast<std::size_t>(compile_faults_left()) > many - (CompileWorkers::workers_max() - 1)) {
    std::this_thread::yield();
  }
  inject_compile_fault(CompileFault::none, 0);
  const auto small = compile();
  EXPECT_TRUE(small) << small.error().message;
  const auto waits = compile({.time_max = milliseconds(20)}, large);
  ASSERT_FALSE(waits);
  EXPECT_EQ(
      waits.error().message,
      "the module waited 20 ms for a compile worker, all of which are busy; try again later, or run it interpreted");
  stop.request_stop();
}

TEST_F(CompileWorkersTest, AWorkerHasTheSocketAndNothingElseOfTheHosts) {
  ASSERT_TRUE(compile());
  const std::string process = "/proc/" + std::to_string(children().front());
  int sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(process + "/fd")) {
    const std::string target = std::filesystem::read_symlink(entry.path()).string();
    sockets += target.starts_with("socket:") ? 1 : 0;
    // Pipes and process descriptors are its own, to its children.
    EXPECT_THAT(target, testing::AnyOf(StartsWith("socket:"), StartsWith("pipe:"), StartsWith("anon_inode:")));
  }
  EXPECT_EQ(sockets, 1);
  EXPECT_EQ(std::filesystem::read_symlink(process + "/cwd"), "/");
  std::ifstream environment(process + "/environ");
  std::string variables;
  std::getline(environment, variables);
  EXPECT_EQ(variables, std::string("MIMALLOC_ARENA_RESERVE=16MiB\0", 29));
}

TEST_F(CompileWorkersTest, AWorkerThatIsNoneIsNamed) {
  for (const char* program : {"/bin/true", "/bin/cat"}) {
    const auto code = compile({.worker = program});
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::host_fault);
    EXPECT_THAT(code.error().message, HasSubstr(program));
  }
}

TEST_F(CompileWorkersTest, NoWorkerIsAnErrorThatSaysWhereItWasLookedFor) {
  const auto code = compile({.worker = "/nowhere/worker"});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::not_found);
  EXPECT_THAT(code.error().message, HasSubstr("/nowhere/worker"));
}

TEST_F(CompileWorkersTest, NoTimeIsATimeoutWithoutAWorker) {
  const auto code = compile({.time_max = milliseconds(0)});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::timeout);
}

TEST_F(CompileWorkersTest, AForkedProcessHasWorkersOfItsOwn) {
  ASSERT_TRUE(compile());
  const auto before = children();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool knows_none = live_workers().empty();
    const auto code = compile();
    const bool another = live_workers().size() == 1 && live_workers().front().process != before.front();
    ::_exit(knows_none && code && another ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(compile());
  EXPECT_EQ(children(), before);
}

}  // namespace
}  // namespace petri
