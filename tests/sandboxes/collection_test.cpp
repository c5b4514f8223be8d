// Area G: what is over is collected, and what lives and is used stays.
#include <fmt/format.h>

#include "batches_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class CollectionTest : public BatchesTest {
 protected:
  CollectionTest() { start({}); }
  ~CollectionTest() override { runtime_.reset(); }  // before its clock

  void start(RuntimeOptions options) {
    runtime_.reset();
    options.workers = 2;
    options.clock = time_.clock();
    runtime_ = *Runtime::create(std::move(options));
  }
  void advance(std::chrono::nanoseconds duration) { time_.advance(*runtime_, duration); }
  // Without a handle that stays.
  void make(SandboxSpec spec) { EXPECT_TRUE(runtime_->create_sandbox(std::move(spec))); }
  static SandboxSpec idle(const std::string& id, std::chrono::nanoseconds keep) {
    SandboxSpec spec = counter(id);
    spec.idle_keep = keep;
    return spec;
  }
  static SandboxSpec individual(const std::string& id, std::uint64_t generation, std::string label = "pop") {
    SandboxSpec spec = counter(id);
    spec.generation = generation;
    if (!label.empty()) spec.labels = {std::move(label)};
    return spec;
  }
  std::vector<std::string> listed() const {
    std::vector<std::string> all;
    for (const SandboxInfo& info : runtime_->list().sandboxes) all.push_back(info.id);
    return all;
  }

  testing::ManualTime time_;
};

// Only the one test that moves time on by itself has collections of its own.
TEST_F(CollectionTest, ADeadSandboxStaysUntilItsKeepTimeIsOver) {  // G07
  start({.gc_interval = 0s, .dead_keep = 10min});
  make(counter("stopped"));
  ASSERT_TRUE(runtime_->stop("stopped"));
  SandboxSpec bad = counter("failed");
  bad.modules[0].source = Source::wat("(module (func $f unreachable) (start $f))");
  bad.dead_keep = 1min;
  EXPECT_FALSE(runtime_->create_sandbox(bad));
  make(counter("alive"));

  EXPECT_EQ(runtime_->collect().dead, 0U);
  EXPECT_EQ(runtime_->info("failed")->status, SandboxStatus::failed);
  EXPECT_THAT(runtime_->info("failed")->cause, HasSubstr("unreachable"));
  advance(1min);
  EXPECT_EQ(runtime_->collect().dead, 1U);
  EXPECT_EQ(testing::not_error(runtime_->info("failed"), ErrorCode::not_found), "");
  advance(9min - 1ns);
  EXPECT_EQ(runtime_->collect(), CollectionReport{});
  advance(1ns);
  const Sandbox handle = *runtime_->find("stopped");  // which does not keep what is dead
  EXPECT_EQ(runtime_->collect().dead, 1U);
  EXPECT_THAT(listed(), ElementsAre("alive"));
}

TEST_F(CollectionTest, AChangeOfTheWallClockKeepsNothingAndEndsNothing) {  // G07, HF10
  start({.gc_interval = 0s, .dead_keep = 10min});
  make(counter("stopped"));
  ASSERT_TRUE(runtime_->stop("stopped"));
  time_.set_wall(WallTime(24h * 365 * 100));
  EXPECT_EQ(runtime_->collect(), CollectionReport{});
  time_.set_wall(WallTime(1h));
  advance(10min);
  EXPECT_EQ(runtime_->collect().dead, 1U);
}

TEST_F(CollectionTest, OfOldGenerationsTheMembersGo) {  // G08
  start({.gc_interval = 0s, .gc_retain_generations = 3});
  for (std::uint64_t generation = 1; generation <= 10; ++generation)
    make(individual(fmt::format("g{}", generation), generation));
  make(individual("other", 1, "another"));
  make(individual("unlabelled", 1, ""));
  EXPECT_EQ(runtime_->collect().generations, 7U);
  for (std::uint64_t generation = 1; generation <= 10; ++generation)
    EXPECT_EQ(runtime_->info(fmt::format("g{}", generation)).has_value(), generation > 7) << generation;
  EXPECT_TRUE(runtime_->info("other"));
  EXPECT_TRUE(runtime_->info("unlabelled"));
}

TEST_F(CollectionTest, AMemberOfAnOldGenerationThatIsUsedStays) {  // G08
  start({.gc_interval = 0s});
  Sandbox used = create(individual("used", 1));
  make(individual("new", 10));
  EXPECT_EQ(runtime_->collect(), CollectionReport{});
  EXPECT_EQ(next(used), 1);
}

TEST_F(CollectionTest, KeptSandboxesStayUntilTheyAreReleased) {  // G08 G14
  start({.gc_interval = 0s, .dead_keep = 0s});
  make(individual("old", 1));
  make(individual("new", 10));
  make(counter("dead"));
  ASSERT_TRUE(runtime_->stop("dead"));
  Population population = runtime_->population();
  const std::vector<std::string> kept{"old", "dead"};
  for (const auto& row : population.keep(kept)) EXPECT_TRUE(row);
  const CollectionReport before = runtime_->collect();
  EXPECT_EQ(before.generations + before.dead, 0U);
  for (const auto& row : population.release(kept)) EXPECT_TRUE(row);
  const CollectionReport after = runtime_->collect();
  EXPECT_EQ(after.generations, 1U);
  EXPECT_EQ(after.dead, 1U);
  EXPECT_FALSE(runtime_->info("old"));
}

TEST_F(CollectionTest, AllGenerationsStayWhenTheRuntimeRetainsAll) {  // G08
  start({.gc_interval = 0s, .gc_retain_generations = 0});
  make(individual("old", 1));
  make(individual("new", 1'000'000));
  EXPECT_EQ(runtime_->collect(), CollectionReport{});
}

TEST_F(CollectionTest, ForgetsArtifactsThatNobodyUses) {  // G09
  start({.gc_interval = 0s});
  Sandbox alive = create(counter("alive"));
  make({.id = "gone", .modules = {{"m", Source::wat("(module (func (export \"f\")))")}}});
  ASSERT_TRUE(runtime_->destroy("gone"));
  const CollectionReport report = runtime_->collect();
  EXPECT_EQ(report.artifacts, 1U);
  EXPECT_EQ(report.code, 1U);
  EXPECT_EQ(runtime_->info().artifacts, 1U);
  EXPECT_EQ(next(alive), 1);
}

TEST_F(CollectionTest, RunsAtEachIntervalAndReportsWhatItAnswers) {  // G10
  start({.gc_interval = 60s, .dead_keep = 0s});
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::gc_collected}});
  const auto collected = [&] {
    const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + 30s);
    EXPECT_NE(event, nullptr);
    return event == nullptr ? Event{} : *event;
  };
  make(counter("a"));
  ASSERT_TRUE(runtime_->stop("a"));
  advance(60s);
  const Event first = collected();
  EXPECT_EQ(first.text("cause"), "interval");
  EXPECT_EQ(first.count("dead"), 1U);
  EXPECT_THAT(listed(), IsEmpty());

  make(counter("b"));
  ASSERT_TRUE(runtime_->stop("b"));
  const CollectionReport report = runtime_->collect();
  const Event second = collected();
  EXPECT_EQ(second.text("cause"), "collect");
  EXPECT_EQ(second.count("dead"), report.dead);
  EXPECT_EQ(second.count("abandoned"), report.abandoned);
  EXPECT_EQ(second.count("generations"), report.generations);
  EXPECT_EQ(second.count("artifacts"), report.artifacts);
  EXPECT_EQ(second.count("code"), report.code);
  EXPECT_EQ(second.count("folders"), report.folders);
  EXPECT_EQ(second.count("rows"), report.rows);
  EXPECT_THAT(runtime_->metrics(), HasSubstr("petri_collections_total 2\n"));
  EXPECT_THAT(runtime_->metrics(), HasSubstr("petri_collected_sandboxes_total{cause=\"dead\"} 2\n"));
}

// The next is due an interval after the last one has ended.
TEST_F(CollectionTest, RunsAgainAtEachInterval) {  // G10
  start({.gc_interval = 60s});
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::gc_collected}});
  for (int turn = 0; turn < 5; ++turn) {
    expect_soon([&] {
      advance(60s);
      return events.next() != nullptr ? "" : "no collection has come";
    });
  }
}

TEST_F(CollectionTest, ALiveSandboxThatNobodyUsesIsAbandoned) {  // G13
  start({.gc_interval = 0s});
  for (const char* id : {"called", "ran", "changed", "left"}) make(idle(id, 1h));
  make(counter("endless"));
  Subscription events = *runtime_->subscribe({.kinds = {EventKind::sandbox_destroyed}});
  advance(30min);
  EXPECT_EQ(testing::not_value(runtime_->call_all({"called"}, CallPayload{.function = "next"}).front(), 1), "");
  EXPECT_TRUE(runtime_->run_all({"ran"}, RunPayload{.module = "counter", .function = "next"}).front());
  EXPECT_TRUE(runtime_->find("changed")->update_limits({.processes_max = 7}));
  advance(30min);
  EXPECT_EQ(runtime_->collect().abandoned, 1U);
  EXPECT_THAT(listed(), ElementsAre("called", "ran", "changed", "endless"));
  const EventPtr event = events.next();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->sandbox, "left");
  EXPECT_EQ(event->text("cause"), "abandoned");
  advance(30min);
  EXPECT_EQ(runtime_->collect().abandoned, 3U);
}

TEST_F(CollectionTest, ASandboxWithAHandleOrWorkOfItsOwnIsNotAbandoned) {  // G13
  start({.gc_interval = 0s});
  const Sandbox held = create(idle("held", 1min));
  SandboxSpec alarm = idle("alarm", 1min);
  alarm.modules[0].source = Source::wat(R"((module
    (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (func (export "petri_handle") (result i32) (i32.const 0))
    (func (export "set") (drop (call $timer (i32.const 86400000) (i64.const 1))))))");
  make(alarm);
  EXPECT_TRUE(runtime_->call_all({"alarm"}, CallPayload{.function = "set"}).front());
  advance(1h);
  EXPECT_EQ(runtime_->collect(), CollectionReport{});
  EXPECT_EQ(held.status(), SandboxStatus::running);
}

TEST_F(CollectionTest, OptionsBelowNothingAreRefused) {  // L11
  const auto refused = Runtime::create({.gc_interval = -1s, .dead_keep = -1s});
  EXPECT_EQ(refused.error().message, "gc_interval is below 0; dead_keep is below 0");
  SandboxSpec spec = idle("a", 0s);
  spec.dead_keep = -1ns;
  EXPECT_EQ(runtime_->create_sandbox(spec).error().message, "idle_keep is not above 0; dead_keep is below 0");
}

TEST_F(CollectionTest, BesideABatchEndsOnlyWhatIsOver) {  // G07
  start({.gc_interval = 0s, .dead_keep = 0s});
  const testing::Pending collecting([&]() -> Result<void> {
    for (int turn = 0; turn < 50; ++turn) runtime_->collect();
    return {};
  });
  while (!collecting.done()) {
    for (const std::string& word : words(runtime_->create_all(counters(20)))) ASSERT_EQ(word, "ok");
    for (const auto& row : runtime_->call_all(ids(20), CallPayload{.function = "next"}))
      ASSERT_EQ(testing::not_value(row, 1), "");
    for (const std::string& word : words(runtime_->destroy_all(ids(20)))) ASSERT_EQ(word, "ok");
  }
}

}  // namespace
}  // namespace petri
