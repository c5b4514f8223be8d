// Area C: sources in C and folders of several modules, with the real compiler in its jail.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "compiling/live_workers.h"
#include "watch_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string counter_c(int step) {
  return "#include \"petri.h\"\n#include \"step.h\"\nstatic petri_i32 count;\nPETRI_STATE(PETRI_FIELD(count));\n"
         "int next(void) { count += STEP * " +
         std::to_string(step) + "; return count; }\n";
}

// The cache is one of the test's own.
class WatchSourcesTest : public WatchFixture {
 protected:
  void SetUp() override {
    ::setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
    folder_.write("step.h", "#define STEP 1\n");
  }
  // Three modules in a row: the last imports from the middle, which imports from the first.
  void write_chain(int number) const {
    const std::string text = std::to_string(number);
    folder_.write("first.wat", "(module (func (export \"one\") (result i32) (i32.const " + text + ")))");
    folder_.write("middle.wat", R"((module (import "first" "one" (func $one (result i32)))
      (func (export "two") (result i32) (i32.add (call $one) (i32.const )" +
                                    text + "))))");
    folder_.write("last.wat", R"((module (import "middle" "two" (func $two (result i32)))
      (func (export "three") (result i32) (i32.add (call $two) (i32.const )" +
                                  text + "))))");
  }
  Sandbox create_chain() {
    write_chain(1);
    std::vector<ModuleSpec> modules;
    for (const std::string name : {"first", "middle", "last"}) {
      modules.push_back({name, Source::file(path(name + ".wat")), {}});
    }
    auto sandbox = runtime_->create_sandbox({.id = "a", .modules = std::move(modules)});
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    return *sandbox;
  }
  static void kill_compile_servers() {
    for (const WorkerIds& ids : live_workers()) {
      ::kill(ids.process, SIGKILL);
      siginfo_t how{};
      while (::waitid(P_PID, static_cast<id_t>(ids.process), &how, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
      }
    }
  }

  const TemporaryFolder cache_;
};

// C22, C24
TEST_F(WatchSourcesTest, AnEditInCRunsWithItsStateAndABrokenOneDoesNot) {
  folder_.write("counter.c", counter_c(1));
  Sandbox sandbox = create("a", "counter", "counter.c");
  watch_folder("a");
  EXPECT_EQ(call(sandbox, "next"), 1);
  folder_.write("counter.c", counter_c(10));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(sandbox, "next"), 11);
  EXPECT_EQ(sandbox.versions("counter")->front().language, "c");
  EXPECT_EQ(sandbox.versions("counter")->front().text, counter_c(10));

  folder_.write("counter.c", "int next(void) { return undeclared; }\n");
  const EventPtr failed = await(EventKind::watch_failed);
  EXPECT_EQ(failed->text("error"), "compilation_failed");
  EXPECT_EQ(failed->text("file"), "counter.c");
  EXPECT_EQ(failed->count("line"), 1U);
  EXPECT_EQ(call(sandbox, "next"), 21);
}

// C15: a header of a watched file is watched with it.
TEST_F(WatchSourcesTest, AnEditedHeaderReloadsTheFileThatIncludesIt) {
  folder_.write("counter.c", counter_c(1));
  Sandbox sandbox = create("a", "counter", "counter.c");
  ASSERT_TRUE(runtime_->watch("a", {.files = {path("counter.c")}, .debounce = kDebounce}));
  folder_.write("step.h", "#define STEP 100\n");
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(sandbox, "next"), 100);
}

// C11: whatever becomes of the compile servers, the next edit runs.
TEST_F(WatchSourcesTest, AnEditAfterTheCompileServersWereKilledRuns) {
  folder_.write("counter.c", counter_c(1));
  Sandbox sandbox = create("a", "counter", "counter.c");
  watch_folder("a");
  kill_compile_servers();
  folder_.write("counter.c", counter_c(7));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(sandbox, "next"), 7);
}

// C16: the compile of an edit that was seen before comes from a cache in which every file is damaged.
TEST_F(WatchSourcesTest, ADamagedCacheGivesNoWrongCode) {
  folder_.write("counter.c", counter_c(1));
  Sandbox sandbox = create("a", "counter", "counter.c");
  watch_folder("a");
  folder_.write("counter.c", counter_c(2));
  await(EventKind::watch_reloaded);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_.path())) {
    if (!entry.is_regular_file() || entry.file_size() < 100) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
    file.put('\x5a').put('\xa5');
  }
  folder_.write("counter.c", counter_c(1));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(sandbox, "next"), 1);
}

// Without a cache every edit is compiled anew, and runs all the same.
TEST_F(WatchSourcesTest, AnEditRunsAfterTheCacheWasReplacedByAFile) {
  folder_.write("counter.c", counter_c(1));
  Sandbox sandbox = create("a", "counter", "counter.c");
  watch_folder("a");
  std::filesystem::remove_all(cache_ / "petri");
  cache_.write("petri", "no folder");
  folder_.write("counter.c", counter_c(3));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(sandbox, "next"), 3);
}

// C25: its edit is being compiled when the sandbox goes.
TEST_F(WatchSourcesTest, ASandboxDestroyedDuringACompileIsGone) {
  folder_.write("counter.c", counter_c(1));
  Sandbox sandbox = create("a", "counter", "counter.c");
  Sandbox other = create("b", "counter", "counter.c");
  watch_folder("a");
  watch_folder("b");
  folder_.write("counter.c", counter_c(3));
  while (!await(EventKind::compile_start)->sandbox.empty()) {
  }
  ASSERT_TRUE(runtime_->destroy("a"));
  while (await(EventKind::watch_reloaded)->sandbox != "b") {
  }
  EXPECT_EQ(call(other, "next"), 3);
  EXPECT_FALSE(runtime_->find("a"));
}

// The end of a runtime does not wait for a compile that takes long.
TEST_F(WatchSourcesTest, TheEndOfARuntimeEndsACompile) {
  folder_.write("counter.c", counter_c(1));
  create("a", "counter", "counter.c");
  watch_folder("a");
  folder_.write("counter.c", counter_c(3));
  while (!await(EventKind::compile_start)->sandbox.empty()) {
  }
  runtime_.reset();
  while (events_.next() != nullptr) {
  }
  EXPECT_EQ(events_.wait(), nullptr);
}

// C26
TEST_F(WatchSourcesTest, AFolderOfThreeModulesSwitchesAllOrNone) {
  Sandbox sandbox = create_chain();
  watch_folder("a");
  EXPECT_EQ(call(sandbox, "three"), 3);
  write_chain(10);
  EventPtr reloaded = await(EventKind::watch_reloaded);
  while (call(sandbox, "three") != 30) reloaded = await(EventKind::watch_reloaded);
  EXPECT_LE(reloaded->count("reloaded"), 3U);
  for (const std::string name : {"first", "middle", "last"}) {
    EXPECT_THAT(sandbox.versions(name)->front().text, HasSubstr("10"));
    EXPECT_EQ(sandbox.versions(name)->front().language, "wat");
  }
}

// C26: one of three is broken, or does not fit the others.
TEST_F(WatchSourcesTest, AFolderWithOneBadModuleSwitchesNone) {
  Sandbox sandbox = create_chain();
  write_chain(10);
  folder_.write("middle.wat", "(module (func");
  EXPECT_EQ(sandbox.reload_all(Source::folder(folder_.path().string())).error().code, ErrorCode::parse_failed);
  EXPECT_EQ(call(sandbox, "three"), 3);
  write_chain(10);
  folder_.write("first.wat", "(module (func (export \"other\")))");
  EXPECT_FALSE(sandbox.reload_all(Source::folder(folder_.path().string())));
  EXPECT_EQ(call(sandbox, "three"), 3);

  write_chain(10);
  const auto reports = sandbox.reload_all(Source::folder(folder_.path().string()));
  ASSERT_TRUE(reports) << reports.error().message;
  std::vector<std::string> modules;
  for (const ReloadReport& report : *reports) modules.push_back(report.module);
  EXPECT_THAT(modules, UnorderedElementsAre("first", "middle", "last"));
  EXPECT_EQ(call(sandbox, "three"), 30);
}

// While a sandbox compiles its status says so, and its failure is of that class.
TEST_F(WatchSourcesTest, ASandboxThatCompilesHasTheStatusCompiling) {
  auto statuses = *runtime_->subscribe({.kinds = {EventKind::sandbox_status, EventKind::compile_start}});
  folder_.write("counter.c", counter_c(1));
  create("a", "counter", "counter.c");
  std::vector<std::string> seen;
  while (const EventPtr event = statuses.next()) {
    seen.emplace_back(event->kind == EventKind::compile_start ? "(compile)" : event->text("to"));
  }
  EXPECT_THAT(seen, ElementsAre("compiling", "(compile)", "starting", "running"));

  folder_.write("broken.c", "int next(void) { return undeclared; }\n");
  EXPECT_FALSE(runtime_->create_sandbox({.id = "b", .modules = {{"broken", Source::file(path("broken.c"))}}}));
  const SandboxInfo info = runtime_->find("b")->info();
  EXPECT_EQ(info.status, SandboxStatus::failed);
  EXPECT_EQ(info.failure, ErrorCategory::compilation);
  ASSERT_NE(info.compile, nullptr);
  EXPECT_EQ(info.compile->errors, 1U);
  EXPECT_EQ(info.compile->diagnostics.front().file, "broken.c");
}

// C18: it was blocked after it was loaded.
TEST_F(WatchSourcesTest, ABlockedArtifactIsRefusedByEveryVerbAndWhatRunsContinues) {
  folder_.write("counter.wat", counter_wat(1));
  Sandbox sandbox = create("a", "counter", "counter.wat");
  const ArtifactId first = sandbox.info().modules[0].artifact;
  ASSERT_TRUE(sandbox.reload("counter", Source::wat(counter_wat(10))));
  const auto archive = sandbox.export_module("counter");
  ASSERT_TRUE(archive);
  ASSERT_TRUE(runtime_->block_artifact(first, "ticket 42"));

  const auto rolled_back = sandbox.rollback("counter");
  EXPECT_EQ(rolled_back.error().code, ErrorCode::rejected);
  EXPECT_THAT(rolled_back.error().message, HasSubstr("is blocked: ticket 42"));
  auto other = runtime_->create_sandbox({.id = "b", .modules = {{"other", Source::wat(counter_wat(10))}}});
  EXPECT_EQ(other->import_module(*archive).error().code, ErrorCode::rejected);
  EXPECT_EQ(sandbox.run(Source::wat(counter_wat(1)), "next").error().code, ErrorCode::rejected);
  EXPECT_EQ(runtime_->create_sandbox({.id = "c", .modules = {{"counter", Source::wat(counter_wat(1))}}}).error().code,
            ErrorCode::rejected);
  EXPECT_EQ(call(sandbox, "next"), 10);

  EXPECT_EQ(runtime_->blocked_artifacts().size(), 1U);
  ASSERT_TRUE(runtime_->unblock_artifact(first));
  EXPECT_EQ(runtime_->unblock_artifact(first).error().code, ErrorCode::not_found);
  EXPECT_TRUE(sandbox.rollback("counter"));
  EXPECT_EQ(call(sandbox, "next"), 11);
}

}  // namespace
}  // namespace petri
