// Area Q: each limit stops what it names, in both tiers, with its cause on record.
#include <future>

#include "host/files/temporary_folder.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

class LimitsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  Sandbox limited(const LimitChanges& limits) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"c"}, 1'000);
    spec.limits = limits;
    spec.tier = GetParam();
    return create(spec);
  }
  std::uint64_t met(const Sandbox& sandbox, const std::string& limit) { return sandbox.info().limits_met[limit]; }
};

TEST_P(LimitsTest, AreThoseOfTheProfileWhereTheSpecNamesNone) {  // Q01, Q02
  for (const Profile profile : {Profile::strict, Profile::standard, Profile::trusted}) {
    SandboxSpec spec = counter(std::string(name_of(profile)));
    spec.profile = profile;
    spec.tier = GetParam();
    EXPECT_EQ(create(spec).info().limits, SandboxLimits::of(profile)) << name_of(profile);
    spec.id += "-own";
    spec.limits = {.processes_max = 7};
    SandboxLimits expected = SandboxLimits::of(profile);
    expected.processes_max = 7;
    EXPECT_EQ(create(spec).info().limits, expected) << "setting one keeps the others";
  }
  Sandbox sandbox = create(counter());
  EXPECT_EQ(sandbox.info().limits, SandboxLimits::of(Profile::standard));
}

// Q02: a run has its 10⁹; a live process burns on.
TEST_P(LimitsTest, GiveALiveProcessFuelWithoutEndAndARunABillion) {
  RuntimeOptions options = without_containment();
  ASSERT_TRUE(options.host.define("test", "expensive", [] {}, {.fuel = 1'000'000}));
  runtime_ = *Runtime::create(std::move(options));
  SandboxSpec spec = counter();
  spec.tier = GetParam();
  spec.modules[0].source = Source::wat(R"((module (import "test" "expensive" (func $expensive))
    (func (export "burn") (param $n i32)
      (loop $again (call $expensive) (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))))");
  Sandbox sandbox = create(spec);
  const auto run = sandbox.run("counter", "burn", {1'001});
  ASSERT_EQ(testing::not_kind(run, OutcomeKind::out_of_fuel), "");
  EXPECT_EQ(run->fuel_used, 1'000'000'000U);
  const auto live = sandbox.call("burn", {1'001});
  ASSERT_EQ(testing::not_kind(live, OutcomeKind::ok), "");
  EXPECT_GT(live->fuel_used, 1'000'000'000U);
}

TEST_P(LimitsTest, RefusesMemoryBeyondTheLimit) {  // Q05
  Sandbox sandbox = limited({.memory_bytes_max = 3 * 65'536});
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {2}), 1), "");
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {1}), -1), "");
  EXPECT_EQ(sandbox.usage().memory_bytes, 3 * 65'536U);
  EXPECT_EQ(next(sandbox), 1);
}

TEST_P(LimitsTest, EndsAModuleWhoseMinimumDoesNotFit) {  // Q06
  SandboxSpec spec = counter();
  spec.tier = GetParam();
  spec.modules[0].source = Source::wat("(module (memory 3) (func $s unreachable) (start $s))");
  spec.limits = {.memory_bytes_max = 2 * 65'536};
  const auto failed = runtime_->create_sandbox(spec);
  EXPECT_EQ(failed.error().detail("outcome"), "memory_limit");
}

TEST_P(LimitsTest, EndsAnEndlessLoopInEveryPlace) {  // Q09
  const std::string loop = "(loop $l (br $l))";
  const LimitChanges quick{.execution_time_max = std::chrono::milliseconds(10)};
  for (const std::string& body : {"(func $s " + loop + ") (start $s)", "(func (export \"_initialize\") " + loop + ")",
                                  "(func (export \"petri_init\") (result i32) " + loop + " (i32.const 0))"}) {
    SandboxSpec spec = counter(testing::unique_id("loop"));
    spec.tier = GetParam();
    spec.limits = quick;
    spec.modules[0].source = Source::wat("(module " + body + ")");
    EXPECT_EQ(runtime_->create_sandbox(spec).error().detail("outcome"), "deadline") << body;
  }
  SandboxSpec spec = tree(Strategy::one_for_one, {"c"}, 100);
  spec.tier = GetParam();
  spec.limits = quick;
  spec.modules[0].source = Source::wat("(module (func (export \"f\") " + loop +
                                       ") (func (export \"petri_handle\") (result i32) " + loop + " (i32.const 0)))");
  Sandbox sandbox = create(spec);
  auto events = *runtime_->subscribe({.kinds = {EventKind::killed_timeout}});
  EXPECT_EQ(testing::not_kind(sandbox.call("f"), OutcomeKind::deadline), "");
  EXPECT_EQ(testing::not_kind(sandbox.call(""), OutcomeKind::deadline), "");
  EXPECT_EQ(testing::not_kind(sandbox.run("counter", "f"), OutcomeKind::deadline), "");
  EXPECT_EQ(met(sandbox, "execution_time_max"), 3U);  // Q23
  EXPECT_EQ(names(events).size(), 3U);
}

TEST_P(LimitsTest, EndsACallThatWouldBurnMoreFuel) {  // Q10
  Sandbox sandbox = limited({.fuel_max = 5'000});
  const auto outcome = sandbox.call("spin");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(outcome->fuel_used, 5'000U);
  EXPECT_EQ(next(sandbox), 1);
  EXPECT_EQ(met(sandbox, "fuel_max"), 1U);
}

TEST_P(LimitsTest, RefusesModulesThatAreTooLarge) {  // Q15
  const std::string wat =
      "(module (func (export \"f\")) (memory 1) (data (i32.const 0) \"" + std::string(1'000, 'x') + "\"))";
  const auto artifact = Artifact::from_wat(wat, 1 << 20);
  const std::uint64_t size = (*artifact)->bytes().size();
  std::vector<std::uint8_t> bytes((*artifact)->bytes().begin(), (*artifact)->bytes().end());
  SandboxSpec spec = counter();
  spec.tier = GetParam();
  spec.modules[0].source = Source::wasm(bytes);
  spec.limits = {.module_bytes_max = size};
  create(spec);
  spec.id = "b";
  spec.limits = {.module_bytes_max = size - 1};
  EXPECT_EQ(runtime_->create_sandbox(spec).error().code, ErrorCode::module_too_large);
}

TEST_P(LimitsTest, CutsAnAnswerAndLetsTheProcessLive) {  // Q17
  SandboxSpec spec = counter();
  spec.tier = GetParam();
  spec.limits = {.output_bytes_max = 10};
  spec.modules[0].source = Source::wat(R"((module (import "petri" "output_write" (func $w (param i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "0123456789abcdef")
    (func (export "petri_handle") (result i32) (drop (call $w (i32.const 0) (i32.const 16))) (i32.const 0))))");
  Sandbox sandbox = create(spec);
  for (int i = 0; i < 2; ++i) {
    const auto outcome = sandbox.call("");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->kind, OutcomeKind::output_limit);
    EXPECT_EQ(outcome->output, "0123456789");
    EXPECT_EQ(outcome->output_bytes_cut, 6U);
  }
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

TEST_P(LimitsTest, EndsEndlessRecursion) {  // Q19
  Sandbox sandbox = limited({});
  EXPECT_EQ(testing::not_value(sandbox.call("recurse", {1'000}), 1'000), "");
  EXPECT_EQ(testing::not_kind(sandbox.call("recurse", {1'100}), OutcomeKind::stack_overflow), "");
  EXPECT_EQ(met(sandbox, "call_depth_max"), 1U);
}

TEST_P(LimitsTest, ChangeOnALiveSandboxWithItsStateKept) {  // Q21, Q22
  Sandbox sandbox = limited({});
  EXPECT_EQ(next(sandbox), 1);
  const SandboxLimits before = sandbox.info().limits;
  const auto refused = sandbox.update_limits({.fuel_max = 1'000, .call_depth_max = 15, .processes_max = 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(refused.error().message,
            "call_depth_max is 15 but goes from 16 to 8,192; processes_max is 0 but goes from 1 to 1,000,000");
  EXPECT_EQ(sandbox.info().limits, before) << "not one of the three";
  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 2 * 65'536, .fuel_max = 1'000}));
  EXPECT_EQ(sandbox.info().limits.fuel_max, 1'000U);
  EXPECT_EQ(sandbox.info().limits.memory_bytes_max, 2 * 65'536U);
  const auto audited = runtime_->audit({.sandbox = "a", .kind = AuditKind::limits_changed}).entries;
  ASSERT_EQ(audited.size(), 1U) << "what was refused changed nothing";
  EXPECT_EQ(audited[0].cause, "update_limits");
  EXPECT_EQ(std::get<std::string>(*audited[0].detail("changes")), "memory_bytes_max=131072 fuel_max=1000");
  EXPECT_EQ(next(sandbox), 2);
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {2}), -1), "");
  const auto ended = sandbox.call("spin");
  ASSERT_EQ(testing::not_kind(ended, OutcomeKind::out_of_fuel), "");
  EXPECT_EQ(ended->fuel_used, 1'000U);
}

// Spawns a child of its own module, of the name it is given.
constexpr std::string_view kSpawns = R"((module
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (memory 1) (global $count (mut i32) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "spin") (loop $again (br $again)))
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "spawn") (result i32)
    (call $spawn (i32.const 0) (call $read (i32.const 0) (i32.const 0) (i32.const 1000))))))";

TEST_P(LimitsTest, LetARefusedSpawnSucceedOnceTheyAreRaised) {  // Q21
  Sandbox sandbox = create({.id = "a",
                            .modules = {{"m", Source::wat(std::string(kSpawns))}},
                            .limits = {.processes_max = 2},
                            .tier = GetParam()});
  const auto spawn = [&](const std::string& id) {
    return sandbox.call("spawn", {}, {.process = "m", .input = R"({"id": ")" + id + R"(", "module": "m"})"});
  };
  EXPECT_EQ(next(sandbox, "m"), 1);
  EXPECT_EQ(testing::not_value(spawn("x"), 0), "");
  EXPECT_EQ(testing::not_value(spawn("y"), static_cast<std::int32_t>(GuestError::limit_exceeded)), "");
  EXPECT_EQ(sandbox.usage().processes, 2U);
  ASSERT_TRUE(sandbox.update_limits({.processes_max = 3}));
  EXPECT_EQ(testing::not_value(spawn("y"), 0), "");
  EXPECT_EQ(testing::not_value(spawn("z"), static_cast<std::int32_t>(GuestError::limit_exceeded)), "");
  EXPECT_EQ(sandbox.usage().processes, 3U);
  EXPECT_EQ(next(sandbox, "m"), 2) << "its state is kept";
  EXPECT_EQ(next(sandbox, "y"), 1);
}

TEST_P(LimitsTest, CountsSpawnedChildrenWaitingMessagesAndRunsInUsage) {  // Q25
  runtime_ = *Runtime::create({.workers = 2, .sampling_interval = std::chrono::milliseconds(10)});
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(std::string(kSpawns))}}, .tier = GetParam()});
  EXPECT_EQ(testing::not_value(sandbox.call("spawn", {}, {.input = R"({"id": "kid", "module": "m"})"}), 0), "");
  const Usage before = sandbox.usage();
  EXPECT_EQ(before.processes, 2U);
  EXPECT_EQ(before.memory_bytes, 131'072U);
  EXPECT_EQ(before.messages, 0U);
  std::vector<std::uint64_t> spinning;
  for (const std::string process : {"m", "kid"}) {
    spinning.push_back(*sandbox.call_async("spin", {}, {.process = process}, nullptr));
  }
  std::promise<Result<Outcome>> run_ended;
  const auto run =
      sandbox.run_async("m", "spin", {}, {}, [&](Result<Outcome> how) { run_ended.set_value(std::move(how)); });
  ASSERT_TRUE(run);
  expect_soon([&] { return sandbox.usage().messages == 0 ? "" : "both calls wait"; });
  for (const std::string process : {"m", "m", "kid"}) ASSERT_TRUE(sandbox.send("x", process));
  expect_soon([&] { return sandbox.usage().memory_bytes == 196'608U ? "" : "the run has no memory yet"; });
  EXPECT_EQ(sandbox.usage().messages, 3U) << "over the tree";
  EXPECT_EQ(sandbox.usage().processes, 2U) << "a run is no process";
  expect_soon([&] {
    const Usage now = sandbox.usage();
    return now.cpu_percent > 0 && now.fuel_used > before.fuel_used + 100'000 && now.cpu_time > before.cpu_time
               ? ""
               : "not yet";
  });
  for (const std::uint64_t call : spinning) EXPECT_TRUE(sandbox.cancel(call));
  EXPECT_TRUE(sandbox.cancel(*run));
  EXPECT_EQ(testing::not_kind(run_ended.get_future().get(), OutcomeKind::cancelled), "");
  expect_soon([&] { return sandbox.usage().messages == 0 ? "" : "messages wait"; });
  expect_soon([&] { return sandbox.usage().memory_bytes == 131'072U ? "" : "memory of the run or of a restart"; });
}

TEST_P(LimitsTest, CountsTheWholeTreeInUsage) {  // Q25, Q26
  SandboxSpec spec = tree(Strategy::one_for_one, {"a", "b", "c"});
  spec.tier = GetParam();
  Sandbox sandbox = create(spec);
  EXPECT_EQ(next(sandbox, "a"), 1);
  const Usage usage = sandbox.usage();
  EXPECT_EQ(usage.processes, 3U);
  EXPECT_EQ(usage.memory_bytes, 196'608U);
  EXPECT_GT(usage.fuel_used, 0U);
  EXPECT_GT(usage.cpu_time.count(), 0);
  const Usage later = sandbox.usage();
  EXPECT_EQ(later.fuel_used, usage.fuel_used);
  EXPECT_EQ(later.cpu_time, usage.cpu_time);
  ASSERT_TRUE(sandbox.stop_child("b"));
  EXPECT_EQ(sandbox.usage().processes, 2U);
  EXPECT_EQ(sandbox.usage().memory_bytes, 131'072U);
}

// Q12, A18; how exactly it is held is measured in measures_test.cpp
TEST_P(LimitsTest, EndsWhoIsHeldToItsShareForLongerThanItsGrace) {
  SandboxSpec spec = tree(Strategy::one_for_one, {"burner", "idler"}, 10);
  spec.tier = GetParam();
  spec.limits = {.cpu_percent_max = 20, .cpu_grace = std::chrono::milliseconds(20)};
  Sandbox sandbox = create(spec);
  EXPECT_EQ(next(sandbox, "idler"), 1);
  const auto ended = call(sandbox, "spin", "burner");
  ASSERT_EQ(testing::not_kind(ended, OutcomeKind::cpu_limit), "");
  EXPECT_EQ(ended->cause, "cpu_percent_max");
  EXPECT_EQ(met(sandbox, "cpu_percent_max"), 1U);
  EXPECT_EQ(next(sandbox, "idler"), 2);
  ASSERT_TRUE(sandbox.update_limits(
      {.execution_time_max = std::chrono::milliseconds(60), .cpu_grace = std::chrono::nanoseconds(0)}));
  expect_restarts(sandbox, 1);
  EXPECT_EQ(testing::not_kind(call(sandbox, "spin", "burner"), OutcomeKind::deadline), "") << "only held";
}

// Q02: in place of a refusal.
TEST_P(LimitsTest, EndsAGuestWhereTheSpecSaysSo) {
  SandboxSpec spec = tree(Strategy::one_for_one, {"c"}, 10);
  spec.tier = GetParam();
  spec.limits = {.memory_bytes_max = 3 * 65'536};
  spec.on_limit = {{"memory_bytes_max", OnLimit::kill}, {"timers_max", OnLimit::refuse}};
  Sandbox sandbox = create(spec);
  EXPECT_EQ(sandbox.info().on_limit, spec.on_limit);
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {2}), 1), "");
  const auto ended = sandbox.call("grow", {1});
  ASSERT_EQ(testing::not_kind(ended, OutcomeKind::memory_limit), "");
  EXPECT_EQ(ended->cause, "memory_bytes_max");
  expect_restarts(sandbox, 1);
  EXPECT_EQ(next(sandbox), 1);
  EXPECT_EQ(met(sandbox, "memory_bytes_max"), 1U);
}

// Makes files by their number, and fills the one it made last.
constexpr std::string_view kWriter = R"((module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 0) "abc")
  (func (export "make") (param $file i32) (result i32)
    (call $open (i32.const 3) (i32.const 0) (local.get $file) (i32.const 1) (i32.const 1) (i64.const 66) (i64.const 66)
                (i32.const 0) (i32.const 100)))
  (func (export "fill") (param $bytes i32) (result i32)
    (i32.store (i32.const 200) (i32.const 1000)) (i32.store (i32.const 204) (local.get $bytes))
    (call $write (i32.load (i32.const 100)) (i32.const 200) (i32.const 1) (i32.const 208)))))";

// Q16: reported like any other limit, and as deadly where the spec says so.
TEST_P(LimitsTest, TellOfFilesThatAreTooManyOrTooLong) {
  constexpr std::int32_t kTooLong = 22, kNoSpace = 51;
  const auto writer = [&](const TemporaryFolder& folder, const LimitActions& on_limit) {
    SandboxSpec spec{.id = testing::unique_id("writer"), .modules = {{"m", Source::wat(std::string(kWriter))}}};
    spec.tier = GetParam();
    spec.permissions = Permissions::standard().with(Permission::file_write);
    spec.folder = folder.path().string();
    spec.limits = {.file_bytes_max = 10, .files_max = 2, .disk_bytes_max = 15};
    spec.on_limit = on_limit;
    return create(spec);
  };
  const TemporaryFolder folder;
  Sandbox sandbox = writer(folder, {});
  EXPECT_EQ(testing::not_value(sandbox.call("make", {0}), 0), "");
  EXPECT_EQ(testing::not_value(sandbox.call("fill", {11}), kTooLong), "");
  EXPECT_EQ(testing::not_value(sandbox.call("fill", {10}), 0), "");
  EXPECT_EQ(testing::not_value(sandbox.call("make", {1}), 0), "");
  EXPECT_EQ(testing::not_value(sandbox.call("fill", {6}), kNoSpace), "");
  EXPECT_EQ(testing::not_value(sandbox.call("make", {2}), kNoSpace), "");
  for (const std::string limit : {"file_bytes_max", "files_max", "disk_bytes_max"}) {
    EXPECT_EQ(met(sandbox, limit), 1U) << limit;
    const TemporaryFolder another;
    Sandbox killed = writer(another, {{limit, OnLimit::kill}});
    EXPECT_EQ(testing::not_value(killed.call("make", {0}), 0), "");
    const bool is_size = limit == "file_bytes_max";
    if (!is_size) {
      EXPECT_EQ(testing::not_value(killed.call("fill", {10}), 0), "");
      EXPECT_EQ(testing::not_value(killed.call("make", {1}), 0), "");
    }
    const auto ended = limit == "files_max" ? killed.call("make", {2}) : killed.call("fill", {is_size ? 11 : 6});
    ASSERT_EQ(testing::not_kind(ended, OutcomeKind::cancelled), "") << limit;
    EXPECT_EQ(ended->cause, limit);
  }
}

INSTANTIATE_TEST_SUITE_P(BothTiers, LimitsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
