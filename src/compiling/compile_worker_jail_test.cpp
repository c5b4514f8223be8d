//
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <thread>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"
#include "compiling/compile_workers_fixture.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

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
