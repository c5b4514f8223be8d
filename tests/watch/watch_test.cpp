// Area C: what is saved in a folder becomes running code.
#include "watch_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class WatchTest : public WatchFixture {};

// C22
TEST_F(WatchTest, ASavedEditRunsAndKeepsItsState) {
  folder_.write("counter.wat", counter_wat(1));
  Sandbox sandbox = create("a", "counter", "counter.wat");
  watch_folder("a");
  EXPECT_EQ(call(sandbox, "next"), 1);
  folder_.write("counter.wat", counter_wat(10));
  const EventPtr reloaded = await(EventKind::watch_reloaded);
  EXPECT_EQ(reloaded->sandbox, "a");
  EXPECT_EQ(reloaded->text("modules"), "counter");
  EXPECT_EQ(call(sandbox, "next"), 11);
  EXPECT_EQ(sandbox.versions("counter")->front().text, counter_wat(10));
}

// C23
TEST_F(WatchTest, ARenameOverTheFileIsASave) {
  folder_.write("counter.wat", counter_wat(1));
  Sandbox sandbox = create("a", "counter", "counter.wat");
  watch_folder("a");
  folder_.write(".counter.wat.swp", counter_wat(10));
  std::filesystem::rename(folder_ / ".counter.wat.swp", folder_ / "counter.wat");
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(sandbox, "next"), 10);
}

// C23: the file that counts is saved last, and what it brings is the first compile.
TEST_F(WatchTest, AFileOutsideThePatternsOrBehindALinkTriggersNothing) {
  const TemporaryFolder outside;
  outside.write("other.wat", counter_wat(3));
  folder_.write("counter.wat", counter_wat(1));
  Sandbox sandbox = create("a", "counter", "counter.wat");
  std::filesystem::create_directory_symlink(outside.path(), folder_ / "linked");
  ASSERT_TRUE(runtime_->watch(
      "a", {.folder = folder_.path().string(), .patterns = {"counter.*", "linked/**"}, .debounce = kDebounce}));
  outside.write("other.wat", counter_wat(4));
  folder_.write("notes.wat", "not even wat");
  std::filesystem::remove(folder_ / "notes.wat");
  folder_.write("counter.wat", counter_wat(10));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(seen(EventKind::compile_start), 1U);
  EXPECT_EQ(call(sandbox, "next"), 10);
}

// C24, H08
TEST_F(WatchTest, ABrokenEditLeavesCodeAndStateAndTheNextGoodOneReloads) {
  folder_.write("counter.wat", counter_wat(1));
  Sandbox sandbox = create("a", "counter", "counter.wat");
  watch_folder("a");
  EXPECT_EQ(call(sandbox, "next"), 1);
  folder_.write("counter.wat", "(module\n  (func (export \"next\") (result i32) (i32.cons 1)))");
  const EventPtr failed = await(EventKind::watch_failed);
  EXPECT_EQ(failed->text("error"), "parse_failed");
  EXPECT_EQ(failed->text("file"), "counter.wat");
  EXPECT_EQ(failed->count("line"), 2U);
  EXPECT_EQ(call(sandbox, "next"), 2);

  const SandboxInfo info = sandbox.info();
  ASSERT_NE(info.compile, nullptr);
  EXPECT_EQ(info.compile->status, CompileOutcome::failed);
  ASSERT_THAT(info.compile->diagnostics, SizeIs(1));
  EXPECT_EQ(info.compile->diagnostics[0].line, 2U);
  ASSERT_THAT(info.watched, SizeIs(1));
  EXPECT_EQ(info.watched[0].failures, 1U);
  EXPECT_THAT(info.watched[0].last_error, HasSubstr("line 2, column 39"));

  folder_.write("counter.wat", counter_wat(10));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(sandbox, "next"), 12);
  EXPECT_EQ(sandbox.info().watched[0].reloads, 1U);
  EXPECT_EQ(sandbox.info().watched[0].last_error, "");
}

// C25
TEST_F(WatchTest, OneSaveReloadsThreeSandboxesWithOneCompile) {
  folder_.write("counter.wat", counter_wat(1));
  std::vector<Sandbox> all;
  for (const std::string id : {"a", "b", "c"}) {
    all.push_back(create(id, "counter", "counter.wat"));
    watch_folder(id);
  }
  EXPECT_EQ(runtime_->info().watched, 1U);
  folder_.write("counter.wat", counter_wat(10));
  for (int reload = 0; reload < 3; ++reload) await(EventKind::watch_reloaded);
  EXPECT_EQ(seen(EventKind::compile_start), 1U);
  for (Sandbox& sandbox : all) EXPECT_EQ(call(sandbox, "next"), 10);
}

// C25: the last sandbox that watches is waited for, so that a reload of the others would have come, too.
TEST_F(WatchTest, AfterUnwatchAndDestroyNoReloadComesAndNoDescriptorStays) {
  folder_.write("counter.wat", counter_wat(1));
  Sandbox first = create("a", "counter", "counter.wat");
  Sandbox second = create("b", "counter", "counter.wat");
  Sandbox last = create("c", "counter", "counter.wat");
  watch_folder("a");
  ASSERT_TRUE(runtime_->unwatch("a"));
  testing::LeakCheck leaks(runtime_.get());
  for (const std::string id : {"a", "b", "c"}) watch_folder(id);
  ASSERT_TRUE(runtime_->unwatch("a", folder_.path().string()));
  ASSERT_TRUE(runtime_->destroy("b"));
  folder_.write("counter.wat", counter_wat(10));
  EXPECT_EQ(await(EventKind::watch_reloaded)->sandbox, "c");
  EXPECT_EQ(call(first, "next"), 1);
  EXPECT_THAT(first.info().watched, SizeIs(0));
  ASSERT_TRUE(runtime_->unwatch("c"));
  EXPECT_EQ(runtime_->info().watched, 0U);
  EXPECT_EQ(leaks.leaks(), "");
}

// One sandbox, many folders.
TEST_F(WatchTest, ASandboxWatchesSeveralFolders) {
  const TemporaryFolder other;
  folder_.write("left.wat", counter_wat(1));
  other.write("right.wat", counter_wat(1));
  auto sandbox = runtime_->create_sandbox(
      {.id = "a", .modules = {{"left", Source::file(path("left.wat"))}, {"right", Source::file(other / "right.wat")}}});
  ASSERT_TRUE(sandbox);
  watch_folder("a");
  ASSERT_TRUE(runtime_->watch("a", {.folder = other.path().string(), .debounce = kDebounce}));
  EXPECT_THAT(sandbox->info().watched, SizeIs(2));
  other.write("right.wat", counter_wat(5));
  EXPECT_EQ(await(EventKind::watch_reloaded)->text("modules"), "right");
  folder_.write("left.wat", counter_wat(7));
  EXPECT_EQ(await(EventKind::watch_reloaded)->text("modules"), "left");
  EXPECT_EQ(call(*sandbox, "next", "left"), 7);
  EXPECT_EQ(call(*sandbox, "next", "right"), 5);
}

// A module is found by where it was read, whatever its name is.
TEST_F(WatchTest, AutoReloadFollowsTheFileThatAModuleWasReadFrom) {
  folder_.write("counter.wat", counter_wat(1));
  auto sandbox = runtime_->create_sandbox(
      {.id = "a", .modules = {{"orders", Source::file(path("counter.wat"))}}, .auto_reload = true});
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  ASSERT_THAT(sandbox->info().watched, SizeIs(1));
  EXPECT_TRUE(sandbox->info().watched[0].automatic);
  folder_.write("counter.wat", counter_wat(10));
  EXPECT_EQ(await(EventKind::watch_reloaded)->text("modules"), "orders");
  EXPECT_EQ(call(*sandbox, "next"), 10);
  ASSERT_TRUE(runtime_->disable_auto_reload("a"));
  EXPECT_THAT(sandbox->info().watched, SizeIs(0));
  ASSERT_TRUE(runtime_->enable_auto_reload("a", {.debounce = kDebounce}));
  folder_.write("counter.wat", counter_wat(100));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(call(*sandbox, "next"), 110);
}

// H06
TEST_F(WatchTest, AFolderThatWasDeletedIsWatchedAgainOnceItIsBack) {
  std::filesystem::create_directory(folder_ / "src");
  folder_.write("src/counter.wat", counter_wat(1));
  Sandbox sandbox = create("a", "counter", "src/counter.wat");
  ASSERT_TRUE(runtime_->watch("a", {.folder = path("src"), .debounce = kDebounce}));
  std::filesystem::remove_all(folder_ / "src");
  EXPECT_THAT(await(EventKind::watch_problem)->text("message"), HasSubstr("is gone"));
  EXPECT_EQ(call(sandbox, "next"), 1);
  folder_.write("counter.wat", counter_wat(10));
  std::filesystem::create_directory(folder_ / "src");
  std::filesystem::rename(folder_ / "counter.wat", folder_ / "src/counter.wat");  // whole, whenever it is looked at
  while (await(EventKind::watch_reloaded)->count("reloaded") == 0) {
  }
  EXPECT_EQ(call(sandbox, "next"), 11);
}

// A sandbox whose code never compiled has nothing to reload: the first good edit starts it.
TEST_F(WatchTest, ASandboxThatFailedToCompileIsStartedByTheFirstGoodEdit) {
  folder_.write("counter.wat", "(module (");
  const auto refused =
      runtime_->create_sandbox({.id = "a", .modules = {{"counter", Source::file(path("counter.wat"))}}});
  ASSERT_FALSE(refused);
  Sandbox sandbox = *runtime_->find("a");
  EXPECT_EQ(sandbox.status(), SandboxStatus::failed);
  EXPECT_EQ(sandbox.info().failure, ErrorCategory::compilation);
  watch_folder("a");
  folder_.write("counter.wat", counter_wat(10));
  await(EventKind::watch_reloaded);
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
  EXPECT_EQ(call(sandbox, "next"), 10);
}

TEST_F(WatchTest, SaysWhatIsWrongWithAWatch) {
  folder_.write("counter.wat", counter_wat(1));
  create("a", "counter", "counter.wat");
  auto in_text = runtime_->create_sandbox({.id = "text", .modules = {{"counter", Source::wat(counter_wat(1))}}});
  ASSERT_TRUE(in_text);
  const auto refusal = [&](const WatchSpec& spec) {
    const auto watched = runtime_->watch("a", spec);
    return watched ? std::string("nothing") : watched.error().message;
  };
  const std::string folder = folder_.path().string();
  EXPECT_EQ(refusal({}), "a watch is for one folder or for some files; name either a folder or files");
  EXPECT_EQ(refusal({.folder = folder, .files = {path("counter.wat")}}),
            "a watch is for one folder or for some files; name either a folder or files");
  EXPECT_THAT(refusal({.folder = folder + "/nowhere"}), HasSubstr("there is no such folder"));
  EXPECT_THAT(refusal({.folder = path("counter.wat")}), HasSubstr("this is no folder; name it among the files"));
  EXPECT_THAT(refusal({.files = {folder}}), HasSubstr("this is a folder and no file"));
  EXPECT_THAT(refusal({.files = {path("missing.c")}}), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal({.folder = folder, .patterns = {"../*.c"}}), HasSubstr("../*.c"));
  EXPECT_EQ(refusal({.folder = folder, .debounce = 0ns}), "the debounce is 0 s; it may be 1 ms to 10 s");
  EXPECT_EQ(runtime_->watch("nobody", {.folder = folder}).error().code, ErrorCode::not_found);
  EXPECT_EQ(runtime_->unwatch("a", folder).error().code, ErrorCode::not_found);
  EXPECT_THAT(runtime_->enable_auto_reload("text").error().message, HasSubstr("was read from a file or folder"));
  EXPECT_EQ(runtime_->info().watched, 0U);
}

TEST_F(WatchTest, AFolderWithoutAModuleOfTheSandboxIsReported) {
  folder_.write("counter.wat", counter_wat(1));
  auto sandbox = runtime_->create_sandbox({.id = "a", .modules = {{"orders", Source::wat(counter_wat(1))}}});
  ASSERT_TRUE(sandbox);
  watch_folder("a");
  folder_.write("counter.wat", counter_wat(10));
  EXPECT_THAT(
      await(EventKind::watch_failed)->text("message"),
      HasSubstr("has the modules counter and the sandbox has orders; name a source after the module it is for"));
}

// C22: time stands still but for the debounce. The other folder's change is read after all saves of the first one.
class WatchTimeTest : public WatchFixture {
 protected:
  WatchTimeTest() : WatchFixture(with_clock(time().clock())) {}
  static testing::ManualTime& time() {
    static testing::ManualTime time;
    return time;
  }
};

TEST_F(WatchTimeTest, TwentySavesWithinTheDebounceAreOneReloadWithTheLastContent) {
  const TemporaryFolder other;
  folder_.write("counter.wat", counter_wat(1));
  other.write("other.wat", counter_wat(1));
  Sandbox sandbox = create("a", "counter", "counter.wat");
  auto second = runtime_->create_sandbox({.id = "b", .modules = {{"other", Source::file(other / "other.wat")}}});
  ASSERT_TRUE(second);
  ASSERT_TRUE(runtime_->watch("a", {.folder = folder_.path().string(), .debounce = 10s}));
  ASSERT_TRUE(runtime_->watch("b", {.folder = other.path().string(), .debounce = 1ms}));
  for (int step = 1; step <= 20; ++step) folder_.write("counter.wat", counter_wat(step));
  other.write("other.wat", counter_wat(2));
  const auto reloads = [](const std::string& id, Runtime& runtime) { return runtime.info(id)->watched[0].reloads; };
  EXPECT_EQ(testing::eventually(*runtime_,
                                [&]() -> std::string {
                                  time().advance(*runtime_, 1ms);
                                  return reloads("b", *runtime_) == 1 ? "" : "the other folder was not reloaded";
                                }),
            "");
  EXPECT_EQ(reloads("a", *runtime_), 0U);
  time().advance(*runtime_, 10s);
  while (await(EventKind::watch_reloaded)->sandbox != "a") {
  }
  EXPECT_EQ(seen(EventKind::compile_start), 2U);
  EXPECT_EQ(call(sandbox, "next"), 20);
}

}  // namespace
}  // namespace petri
