// Sandboxes whose code is compiled from source: what a broken edit, a compiler without end and a server that is killed
// do to the version that runs, which is nothing.
#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "compiling/live_workers.h"
#include "petri/compile.h"
#include "petri/testing/testing.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

// Counts by a step, and keeps the count in a described field.
std::string counter_source(int step, std::string_view further = "") {
  return "#include \"petri.h\"\nstatic petri_i32 count;\nPETRI_STATE(PETRI_FIELD(count));\n"
         "petri_i32 next(void) { return count += " +
         std::to_string(step) + "; }\n" + std::string(further);
}

Source counter(int step, std::string_view further = "") { return Source::code("c", counter_source(step, further)); }

// A cache of the test's own.
class CacheVariable {
 public:
  CacheVariable() : path_(::testing::TempDir() + "petri_faults_XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
    ::setenv("XDG_CACHE_HOME", path_.c_str(), 1);
  }
  ~CacheVariable() {
    ::unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(path_);
  }
  CacheVariable(const CacheVariable&) = delete;
  CacheVariable& operator=(const CacheVariable&) = delete;

 private:
  std::string path_;
};

class SourceFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    auto sandbox = testing::ScopedSandbox::create(*runtime_, {.modules = {{"counter", counter(1)}}});
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(*std::move(sandbox));
    expect_next(1);
  }
  void expect_next(int wanted) { EXPECT_EQ(testing::not_value((*sandbox_)->call("next"), wanted), ""); }
  Error reload_error(const Source& source) {
    const auto report = (*sandbox_)->reload("counter", source);
    EXPECT_FALSE(report);
    return report ? Error{} : report.error();
  }
  const CacheVariable cache_;
  std::unique_ptr<Runtime> runtime_ = std::move(*Runtime::create({.workers = 2}));
  std::optional<testing::ScopedSandbox> sandbox_;
};

// C04
TEST_F(SourceFaults, ABrokenEditLeavesCodeAndStateRunning) {
  const Error error = reload_error(counter(1, "int f(void) { return g(); }\n"));
  EXPECT_EQ(error.code, ErrorCode::compilation_failed);
  EXPECT_THAT(error.message, HasSubstr(":5:22: error: call to undeclared function 'g'"));
  expect_next(2);
  EXPECT_EQ(testing::not_version(**sandbox_, "counter", 1), "");
}

// C05
TEST_F(SourceFaults, AnEmptyTextBecomesNoVersion) {
  EXPECT_EQ(reload_error(Source::code("c", "")).code, ErrorCode::parse_failed);
  EXPECT_EQ(testing::not_version(**sandbox_, "counter", 1), "");
  expect_next(2);
}

// C14
TEST_F(SourceFaults, AnEditOfBlanksAloneChangesNothing) {
  const auto report = (*sandbox_)->reload("counter", counter(1, "  \n\n"));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->no_change);
  expect_next(2);
}

TEST_F(SourceFaults, AGoodEditKeepsTheState) {
  const auto report = (*sandbox_)->reload("counter", counter(10));
  ASSERT_TRUE(report) << report.error().message;
  expect_next(11);
}

// C06 C11: servers are killed again and again while modules are built and reloaded. Each build ends, with code or with
// an error that says so; the running guest counts on, and once nobody kills any more everything compiles.
TEST_F(SourceFaults, ServersThatAreKilledInTheMiddleDisturbNothing) {
  std::atomic<bool> done = false;
  std::thread killer([&done] {
    while (!done) {
      for (const WorkerIds& worker : live_workers()) ::kill(worker.process, SIGKILL);
      std::this_thread::yield();
    }
  });
  CompileOptions fresh;
  fresh.cache = false;
  for (int round = 0; round < 4; ++round) {
    const auto report = compile(counter(round + 2), fresh);
    const std::optional<Error> error = report ? report->error : report.error();
    if (error) {
      EXPECT_TRUE(error->code == ErrorCode::compilation_failed || error->code == ErrorCode::host_fault)
          << name_of(error->code);
      EXPECT_THAT(error->message, ::testing::Not(HasSubstr("/work")));
    }
    expect_next(round + 2);
  }
  done = true;
  killer.join();
  const auto report = compile(counter(100), fresh);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->error) << report->error->message;
  expect_next(6);
}

}  // namespace
}  // namespace petri
