// M30, M31 and what else is about snapshots, restoring and forking.
#include "host/files/temporary_folder.h"
#include "versions/versions_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Counts in an unexported global and in memory, draws numbers, starts timers, and counts messages as they come.
constexpr std::string_view kKeeper = R"((module
  (import "petri" "random" (func $random (result i64)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "message_tag" (func $tag (result i64)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (global $handled (mut i32) (i32.const 0))
  (global $rung (mut i64) (i64.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.store (i32.const 4096) (global.get $count))
    (i32.add (global.get $count) (i32.sub (i32.load (i32.const 4096)) (global.get $count))))
  (func (export "grow") (result i32) (memory.grow (i32.const 1)))
  (func (export "size") (result i32) (memory.size))
  (func (export "draw") (result i64) (call $random))
  (func (export "later") (result i32) (call $timer (i32.const 3600000) (i64.const 77)))
  (func (export "handled") (result i32) (global.get $handled))
  (func (export "petri_handle") (result i32)
    (global.set $handled (i32.add (global.get $handled) (i32.const 1))) (i32.const 0))))";

class SnapshotTest : public VersionsFixture {
 protected:
  static SandboxSpec keeper(std::string id = "a") {
    return {.id = std::move(id), .modules = {{"keeper", Source::wat(std::string(kKeeper))}}};
  }
};

TEST_F(SnapshotTest, BringsBackWhatProcessesKnew) {  // M30
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec wanted = keeper(std::string(name_of(tier)));
    wanted.tier = tier;
    Sandbox sandbox = create(wanted);
    EXPECT_EQ(ask(sandbox, "next"), 1);
    EXPECT_EQ(ask(sandbox, "grow"), 1);
    const auto snapshot = sandbox.snapshot();
    ASSERT_TRUE(snapshot) << snapshot.error().message;
    const std::int64_t drawn = ask(sandbox, "draw");
    for (int i = 0; i < 10; ++i) ask(sandbox, "next");
    EXPECT_EQ(ask(sandbox, "grow"), 2);
    const auto restored = sandbox.restore(*snapshot);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(ask(sandbox, "size"), 2);
    EXPECT_EQ(ask(sandbox, "next"), 2);
    EXPECT_EQ(ask(sandbox, "draw"), drawn);
    EXPECT_EQ(sandbox.status(), SandboxStatus::running);
  }
}

// Random state, messages and timers came back only where all processes were switched at once.
TEST_F(SnapshotTest, BringsBackAllAtOnceThoughReloadsGoFromProcessToProcess) {  // M30
  SandboxSpec wanted = keeper();
  wanted.reload = ReloadPolicy{.rolling = true};
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(ask(sandbox, "later"), 0);
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  const std::int64_t drawn = ask(sandbox, "draw");
  EXPECT_EQ(ask(sandbox, "later"), 0);
  ASSERT_TRUE(sandbox.restore(*snapshot));
  EXPECT_EQ(ask(sandbox, "draw"), drawn);
  EXPECT_EQ(sandbox.snapshot()->info().timers, 1U);
}

TEST_F(SnapshotTest, BringsBackTheVersionToo) {  // M30
  Sandbox sandbox = create(spec());
  ask(sandbox, "next");
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot);
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ASSERT_EQ(snapshot->code().size(), 1U);
  EXPECT_EQ(snapshot->code()[0]->id(), sandbox.versions("service")->back().artifact) << "that of version 1";
  ask(sandbox, "next");
  ASSERT_TRUE(sandbox.restore(*snapshot));
  EXPECT_EQ(active(sandbox), 1U);
  EXPECT_EQ(ask(sandbox, "version"), 1);
  EXPECT_EQ(ask(sandbox, "next"), 2);
  EXPECT_EQ(sandbox.history("service")->switches.back().cause, SwitchCause::restore);
}

TEST_F(SnapshotTest, IsAsGoodFromAFile) {
  TemporaryFolder folder;
  const std::string path = (folder.path() / "a.snapshot").string();
  Sandbox sandbox = create(keeper());
  ask(sandbox, "next");
  ASSERT_EQ(ask(sandbox, "later"), 0);
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->info().timers, 1U);
  ASSERT_TRUE(snapshot->write(path));
  const auto read = Snapshot::read(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->to_bytes(), snapshot->to_bytes());
  const auto elsewhere = Runtime::create();
  auto twin = (*elsewhere)->create_sandbox({.id = "b"}, *read);
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_EQ(ask(*twin, "next"), 2);
  EXPECT_EQ(twin->snapshot()->info().timers, 1U);
}

TEST_F(SnapshotTest, IsRefusedCutShortOrChangedOrOfAnotherFormat) {  // hostile G08
  Sandbox sandbox = create(keeper());
  const std::string bytes = sandbox.snapshot()->to_bytes();
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    EXPECT_EQ(code_of(Snapshot::from_bytes(bytes.substr(0, size))), ErrorCode::parse_failed);
  }
  for (std::size_t at = 20; at < bytes.size(); at += 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_EQ(code_of(Snapshot::from_bytes(changed)), ErrorCode::parse_failed);
  }
  for (const std::string format : {"1", "9"}) {  // an older one, and a newer one
    std::string other = bytes;
    other.replace(bytes.find('\n') - 1, 1, format);
    const auto refused = Snapshot::from_bytes(other);
    EXPECT_EQ(code_of(refused), ErrorCode::rejected);
    EXPECT_THAT(refused.error().message, HasSubstr("format " + format));
  }
}

TEST_F(SnapshotTest, OfAnotherTreeIsRefusedAndNothingChanges) {
  Sandbox sandbox = create(keeper());
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(sandbox.start_child({ChildSpec{.id = "more", .module = "keeper"}}));
  ask(sandbox, "next", "keeper");
  const auto refused = sandbox.restore(*snapshot);
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message, HasSubstr("more"));
  EXPECT_EQ(ask(sandbox, "next", "keeper"), 2);
}

TEST_F(SnapshotTest, IsRefusedWhereAModuleIsNotMovable) {  // X14
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(R"((module
    (table $t 2 funcref) (elem declare func $f)
    (func $f) (func (export "set") (table.set $t (i32.const 0) (ref.func $f)))))")}}});
  const auto refused = sandbox.snapshot();
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_THAT(refused.error().message, HasSubstr("not movable"));
  EXPECT_EQ(code_of(runtime_->fork("a", "b")), ErrorCode::state_incompatible);
}

TEST_F(SnapshotTest, IsRefusedWhenItWouldBeTooLarge) {
  SandboxSpec wanted = keeper();
  wanted.limits.state_bytes_max = 100;
  Sandbox sandbox = create(wanted);
  ask(sandbox, "next");
  const auto refused = sandbox.snapshot();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit_exceeded);
  EXPECT_THAT(refused.error().message,
              ::testing::MatchesRegex("the process .* of the module .* cannot be kept: its memory holds "
                                      "[0-9]+ bytes and state_bytes_max allows 100"));
  EXPECT_EQ(ask(sandbox, "next"), 2);
}

// The first message is handled until the test lets it go; whatever waits meanwhile is in the snapshot, or was handled
// before it.
TEST_F(SnapshotTest, LosesNoMessageThatWaits) {  // M30
  std::promise<void> entered, go;
  std::once_flag once;
  RuntimeOptions options;
  ASSERT_TRUE(options.host.define("test", "wait", [&]() -> std::int32_t {
    std::call_once(once, [&] {
      entered.set_value();
      go.get_future().wait();
    });
    return 0;
  }));
  runtime_ = std::move(*Runtime::create(std::move(options)));
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(R"((module
    (import "test" "wait" (func $wait (result i32)))
    (global $handled (mut i32) (i32.const 0))
    (func (export "handled") (result i32) (global.get $handled))
    (func (export "petri_handle") (result i32)
      (drop (call $wait))
      (global.set $handled (i32.add (global.get $handled) (i32.const 1))) (i32.const 0))))")}}});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(sandbox.send("x"));
  entered.get_future().wait();
  auto taking = std::async(std::launch::async, [&] { return sandbox.snapshot(); });
  expect_soon([&] { return sandbox.status() == SandboxStatus::reloading ? "" : "not yet"; });
  go.set_value();
  const auto snapshot = taking.get();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  expect_soon([&] { return ask(sandbox, "handled") == 4 ? "" : "not all"; });
  ASSERT_TRUE(sandbox.restore(*snapshot));
  expect_soon([&] { return ask(sandbox, "handled") == 4 ? "" : "not all after restoring"; });
  auto twin = runtime_->create_sandbox({.id = "b"}, *Snapshot::from_bytes(snapshot->to_bytes()));
  ASSERT_TRUE(twin) << twin.error().message;
  expect_soon([&] { return ask(*twin, "handled") == 4 ? "" : "not all in the twin"; });
}

TEST_F(SnapshotTest, ForksATwinThatGoesItsOwnWay) {  // M31
  SandboxSpec wanted = keeper();
  wanted.labels = {"old"};
  Sandbox sandbox = create(wanted);
  ask(sandbox, "next");
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = 123'456}));
  auto twin = runtime_->fork("a", "b", {.labels = {"new"}});
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_EQ(ask(*twin, "next"), 2);
  EXPECT_EQ(ask(*twin, "next"), 3);
  EXPECT_EQ(ask(sandbox, "next"), 2);
  EXPECT_NE(ask(*twin, "draw"), ask(sandbox, "draw"));
  EXPECT_EQ(twin->info().limits.fuel_max, 123'456U);
  EXPECT_THAT(twin->info().labels, ElementsAre("old", "new"));
  EXPECT_EQ(code_of(runtime_->fork("a", "b")), ErrorCode::already_exists);
  EXPECT_EQ(code_of(runtime_->fork("nobody", "c")), ErrorCode::not_found);
}

TEST_F(SnapshotTest, ForksShareTheRandomStateWhenAsked) {  // M31
  Sandbox sandbox = create(keeper());
  ask(sandbox, "draw");
  auto twin = runtime_->fork("a", "b", {.share_random = true});
  ASSERT_TRUE(twin);
  EXPECT_EQ(ask(*twin, "draw"), ask(sandbox, "draw"));
}

// The seed is the parent's and the first eight bytes of the id's SHA-256, whatever petri was built with.
TEST_F(SnapshotTest, ForksHaveTheSameSeedEverywhere) {  // M31
  SandboxSpec wanted = keeper();
  wanted.seed = 7;
  create(wanted);
  EXPECT_EQ(runtime_->fork("a", "b")->info().seed, 0x4a59'3900'16e8'233eU ^ 7U);
  EXPECT_EQ(runtime_->fork("a", "twin-12")->info().seed, 0x586f'b829'6cef'16daU ^ 7U);
  EXPECT_EQ(runtime_->fork("a", "c", {.share_random = true})->info().seed, 7U);
}

TEST_F(SnapshotTest, ForksManyAtOnceWithAResultForEach) {
  Sandbox sandbox = create(keeper());
  ask(sandbox, "next");
  const auto twins = runtime_->fork("a", {"x", "a", "not an id", "y"});
  ASSERT_EQ(twins.size(), 4U);
  EXPECT_EQ(code_of(twins[1]), ErrorCode::already_exists);
  EXPECT_EQ(code_of(twins[2]), ErrorCode::validation_failed);
  for (const std::size_t index : {0U, 3U}) {
    ASSERT_TRUE(twins[index]) << twins[index].error().message;
    Sandbox twin = *twins[index];
    EXPECT_EQ(ask(twin, "next"), 2);
  }
}

TEST_F(SnapshotTest, ForksVersionsAndTreeWithWhatGuestsSpawned) {
  SandboxSpec wanted = with_children({"x", "y"});
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ASSERT_TRUE(sandbox.start_child({ChildSpec{.id = "z", .module = "service"}}));
  ask(sandbox, "next", "y");
  auto twin = runtime_->fork("a", "b");
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_THAT(numbers(*twin), ElementsAre(2, 1));
  EXPECT_EQ(ask(*twin, "version", "x"), 2);
  EXPECT_EQ(ask(*twin, "next", "y"), 2);
  ASSERT_TRUE(twin->rollback("service", 1));
  EXPECT_EQ(ask(*twin, "version", "x"), 1);
  EXPECT_EQ(ask(sandbox, "version", "x"), 2);
}

TEST_F(SnapshotTest, RestartsAForkFromItsStart) {
  Sandbox sandbox = create(keeper());
  ask(sandbox, "next");
  auto twin = runtime_->fork("a", "b");
  ASSERT_TRUE(twin);
  ASSERT_TRUE(twin->restart());
  EXPECT_EQ(ask(*twin, "next"), 1);
}

TEST_F(SnapshotTest, OfOneModuleGivesAnotherSandboxTheSameVersions) {  // M29
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2), {.metadata = {{"by", "ann"}}}));
  ASSERT_TRUE(sandbox.reload("service", code(3)));
  ASSERT_TRUE(sandbox.rollback("service", 2));
  const auto archive = sandbox.export_module("service");
  ASSERT_TRUE(archive);
  const auto read = ModuleArchive::from_bytes(archive->to_bytes());
  ASSERT_TRUE(read) << read.error().message;
  const auto elsewhere = std::move(*Runtime::create());
  Sandbox other = *elsewhere->create_sandbox({.id = "other", .modules = {{"first", code(9)}}});
  const auto imported = other.import_module(*read);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->number, 2U);
  const auto here = sandbox.history("service"), there = other.history("service");
  EXPECT_EQ(there->active, here->active);
  EXPECT_EQ(there->total, here->total);
  EXPECT_EQ(there->switches, here->switches);
  ASSERT_EQ(there->versions.size(), here->versions.size());
  for (std::size_t index = 0; index < here->versions.size(); ++index) {
    EXPECT_EQ(there->versions[index].number, here->versions[index].number);
    EXPECT_EQ(there->versions[index].artifact, here->versions[index].artifact);
    EXPECT_EQ(there->versions[index].source, here->versions[index].source);
    EXPECT_EQ(there->versions[index].text, here->versions[index].text);
    EXPECT_EQ(there->versions[index].metadata, here->versions[index].metadata);
  }
  EXPECT_EQ(code_of(other.import_module(*read)), ErrorCode::already_exists);
  EXPECT_EQ(code_of(ModuleArchive::from_bytes(sandbox.snapshot()->to_bytes())), ErrorCode::parse_failed);
}

TEST_F(SnapshotTest, OfOneVersionIsStagedElsewhere) {
  Sandbox one = create(spec("one"));
  Sandbox two = create(spec("two"));
  ASSERT_TRUE(one.reload("service", code(2)));
  const auto copied = two.copy_version(one, "service");
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copied->origin, VersionOrigin::copy);
  EXPECT_EQ(copied->text, service(2));
  EXPECT_EQ(ask(two, "version"), 1);
  ASSERT_TRUE(two.activate("service", copied->number));
  EXPECT_EQ(ask(two, "version"), 2);
  EXPECT_EQ(code_of(two.copy_version(one, "service", 9)), ErrorCode::version_not_found);
}

}  // namespace
}  // namespace petri
