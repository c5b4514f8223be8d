// A fault at every step of restore and fork: afterwards code, state, versions, mailbox, usage and the list of sandboxes
// are what they were.
#include "engine/fault_injection.h"
#include "fault_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

class SnapshotFaultTest : public FaultTest {
 protected:
  static constexpr std::int64_t kNotReady = 13, kTraps = 14, kSpins = 15;

  // Its petri_ready does what the count says.
  static std::string readier(int version) {
    return recorder(version, std::string(R"((func (export "petri_ready") (result i32)
      (if (i32.eq (global.get $count) (i32.const 14)) (then unreachable))
      (if (i32.eq (global.get $count) (i32.const 15)) (then (loop $again (br $again))))
      (i32.eq (global.get $count) (i32.const 13))))") +
                                 data_at(2'000, std::string(2'000, 'x')));  // beyond the least module_bytes_max
  }
  static void set_count(Sandbox& sandbox, std::int64_t count, std::string_view process = "z") {
    ASSERT_TRUE(sandbox.update_state({{"count", count}}, process));
  }
  static std::int64_t count_of(Sandbox& sandbox, std::string_view process = "z") {
    return std::get<std::int64_t>(*sandbox.state(process)->get("count"));
  }
  static Snapshot snapshot_with(Sandbox& sandbox, std::int64_t count) {
    set_count(sandbox, count);
    const auto snapshot = sandbox.snapshot();
    EXPECT_TRUE(snapshot) << snapshot.error().message;
    set_count(sandbox, 7);
    return *snapshot;
  }
  static auto restoring(Sandbox& sandbox, const Snapshot& snapshot, const RestoreOptions& options = {}) {
    return [&sandbox, snapshot, options] { return sandbox.restore(snapshot, options); };
  }
  // The first such step of the change fails inside the engine.
  template <typename Change>
  static auto with_panic(EngineStep step, const Change& change) {
    return [step, change] {
      panic_at_next(step);
      auto changed = change();
      panic_at_next(EngineStep::none);
      return changed;
    };
  }
};

TEST_F(SnapshotFaultTest, AtAnyStepOfARestoreChangesNothing) {
  Sandbox sandbox = create(three(readier(1)));
  const Snapshot good = snapshot_with(sandbox, 3);
  const Snapshot not_ready = snapshot_with(sandbox, kNotReady);
  const Snapshot traps = snapshot_with(sandbox, kTraps);
  const Snapshot spins = snapshot_with(sandbox, kSpins);
  ASSERT_TRUE(sandbox.reload("service", Source::wat(readier(2))));
  Sandbox other = create({.id = "other", .modules = {{"elsewhere", code(1)}}});
  SandboxSpec more = with_children({"x", "y", "z", "zz"});
  more.id = "more";
  Sandbox larger = create(more);

  expect_untouched(sandbox, "of other modules", ErrorCode::not_found, restoring(sandbox, *other.snapshot()));
  expect_untouched(sandbox, "of another tree", ErrorCode::state_incompatible, restoring(sandbox, *larger.snapshot()));
  expect_untouched(sandbox, "bad wait", ErrorCode::validation_failed,
                   restoring(sandbox, good, {.quiet_wait_max = std::chrono::nanoseconds(0)}));
  expect_untouched(sandbox, "quiet", ErrorCode::busy,
                   restoring(sandbox, good, {.quiet_wait_max = std::chrono::milliseconds(30)}), Hold::for_ever);
  expect_untouched(sandbox, "instance", ErrorCode::engine_fault,
                   with_panic(EngineStep::instantiate, restoring(sandbox, good)));
  expect_untouched(sandbox, "not ready", ErrorCode::start_failed, restoring(sandbox, not_ready));
  expect_untouched(sandbox, "ready traps", ErrorCode::start_failed, restoring(sandbox, traps));
  expect_untouched(sandbox, "ready spins", ErrorCode::start_failed, restoring(sandbox, spins));
  expect_untouched(sandbox, "ready panics", ErrorCode::engine_fault,
                   with_panic(EngineStep::call, restoring(sandbox, good)));
  ASSERT_TRUE(sandbox.update_limits({.module_bytes_max = 1'024}));
  expect_untouched(sandbox, "the gate", ErrorCode::module_too_large, restoring(sandbox, good));

  ASSERT_TRUE(sandbox.update_limits({.module_bytes_max = 1 << 20}));
  const auto restored = sandbox.restore(good);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(count_of(sandbox), 3);
  EXPECT_EQ(active(sandbox), 1U);
}

TEST_F(SnapshotFaultTest, OfMemoryThatIsShortRestoresNothing) {
  SandboxSpec wanted = three(readier(1));
  wanted.limits.memory_bytes_max = wanted.limits.process_memory_bytes_max = std::uint64_t{5} * 65'536;
  Sandbox sandbox = create(wanted);
  const Snapshot snapshot = snapshot_with(sandbox, 3);
  expect_untouched(sandbox, "the third instance", ErrorCode::limit_exceeded, restoring(sandbox, snapshot));
}

TEST_F(SnapshotFaultTest, OfCodeThatWasForgottenBringsBackNoVersion) {
  SandboxSpec wanted = three(readier(1));
  wanted.limits.versions_max = 1;
  Sandbox sandbox = create(wanted);
  const Snapshot snapshot = snapshot_with(sandbox, 3);
  ASSERT_TRUE(sandbox.reload("service", Source::wat(readier(2))));
  EXPECT_THAT(numbers(sandbox), ElementsAre(2));
  expect_untouched(sandbox, "instance", ErrorCode::engine_fault,
                   with_panic(EngineStep::instantiate, restoring(sandbox, snapshot)));
  ASSERT_TRUE(sandbox.restore(snapshot));
  EXPECT_THAT(numbers(sandbox), ElementsAre(3));
}

TEST_F(SnapshotFaultTest, AtAnyStepOfAForkChangesNothingAndLeavesNoTwin) {
  SandboxSpec wanted = three(readier(1));
  wanted.reload = impatient();
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.reload("service", Source::wat(readier(2))));
  set_count(sandbox, 7);
  const auto fork = [&](const std::string& id = "twin", const ForkOptions& options = {}) {
    return [this, id, options] { return runtime_->fork("a", id, options); };
  };
  expect_untouched(sandbox, "no such sandbox", ErrorCode::not_found, [&] { return runtime_->fork("b", "twin"); });
  expect_untouched(sandbox, "used id", ErrorCode::already_exists, fork("a"));
  expect_untouched(sandbox, "bad id", ErrorCode::validation_failed, fork("not an id"));
  expect_untouched(sandbox, "bad label", ErrorCode::validation_failed, fork("twin", {.labels = {"not a label"}}));
  expect_untouched(sandbox, "quiet", ErrorCode::busy, fork(), Hold::for_ever);
  expect_untouched(sandbox, "instance", ErrorCode::start_failed, with_panic(EngineStep::instantiate, fork()));
  const auto with_limit = [&](std::string_view limit, std::uint64_t value, std::uint64_t usual, ErrorCode code) {
    const auto set = [&](std::uint64_t number) {
      LimitChanges changes;
      ASSERT_TRUE(set_limit(changes, limit, number));
      ASSERT_TRUE(sandbox.update_limits(changes));
    };
    set(value);
    expect_untouched(sandbox, std::string(limit), code, fork());
    set(usual);
  };
  with_limit("state_bytes_max", 64, 16 << 20, ErrorCode::limit_exceeded);
  with_limit("module_bytes_max", 1'024, 1 << 20, ErrorCode::module_too_large);
  // A twin has as many processes as the other, who has them already.
  EXPECT_EQ(sandbox.update_limits({.processes_max = 2}).error().message,
            "processes_max is 2 but 3 processes live; stop some of them first");

  auto twin = runtime_->fork("a", "twin");
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_EQ(count_of(*twin), 7);
}

// One fails for its own reason, another inside the engine; what is made beside them is whole.
TEST_F(SnapshotFaultTest, OfOneTwinOfManyLeavesTheOthers) {
  Sandbox sandbox = create(three(readier(1)));
  set_count(sandbox, 7);
  const Everything before = everything(sandbox);
  panic_at_next(EngineStep::instantiate);
  const auto twins = runtime_->fork("a", {"first", "a", "second", "not an id", "third"});
  panic_at_next(EngineStep::none);
  ASSERT_EQ(twins.size(), 5U);
  EXPECT_EQ(code_of(twins[0]), ErrorCode::start_failed);
  EXPECT_EQ(code_of(twins[1]), ErrorCode::already_exists);
  EXPECT_EQ(code_of(twins[3]), ErrorCode::validation_failed);
  for (const std::size_t index : {2U, 4U}) {
    ASSERT_TRUE(twins[index]) << twins[index].error().message;
    Sandbox twin = *twins[index];
    EXPECT_EQ(count_of(twin), 7);
    EXPECT_EQ(twin.children().size(), 3U);
  }
  EXPECT_EQ(runtime_->list().total, 3U);
  for (const char* id : {"second", "third"}) ASSERT_TRUE(runtime_->destroy(id));
  EXPECT_EQ(everything(sandbox), before);
}

}  // namespace
}  // namespace petri
