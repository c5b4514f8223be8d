#include "engine/instance/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <bit>
#include <string>

#include "engine/engine.h"
#include "engine/engine_tables.h"
#include "engine/fault_injection.h"
#include "engine/loadable_artifact.h"

namespace petri {
namespace {

struct Loaded {
  ArtifactPtr artifact;
  std::unique_ptr<Instance> instance;

  std::uint32_t number(std::string_view name) const { return *loadable(*artifact).export_number(name); }
  End call(std::string_view name, std::vector<std::uint64_t>& slots, Budget budget = {.fuel = 1'000'000}) {
    const auto end = instance->call(number(name), budget, nullptr, slots);
    EXPECT_TRUE(end) << end.error().message;
    return end.value_or(End{});
  }
};

class WasmInstanceTest : public testing::TestWithParam<Tier> {
 protected:
  static ArtifactPtr prepare(std::string_view text) {
    auto artifact = Artifact::from_wat(text, 1 << 20);
    EXPECT_TRUE(artifact) << artifact.error().message;
    return *artifact;
  }
  static CodePtr load(const ArtifactPtr& artifact, BoundImports imports = {}) {
    auto code = loadable(*artifact).load(GetParam(), std::move(imports));
    EXPECT_TRUE(code) << code.error().message;
    return *code;
  }
  static Loaded make(std::string_view text, const HostHooks& hooks = {}) {
    Loaded loaded{.artifact = prepare(text), .instance = nullptr};
    auto made = load(loaded.artifact)->instantiate(hooks, 16 << 20);
    EXPECT_TRUE(made) << made.error().message;
    loaded.instance = std::move(made->instance);
    EXPECT_NE(loaded.instance, nullptr);
    return loaded;
  }
};

TEST_P(WasmInstanceTest, GivesAndTakesNumbersBitForBit) {
  Loaded loaded = make(R"((module (func (export "turn") (param i32 i64 f32 f64) (result f64 f32 i64 i32)
    local.get 3 local.get 2 local.get 1 local.get 0)))");
  std::vector<std::uint64_t> slots{0xffff'fffeU, 0x8000'0000'0000'0001U, 0x7fa0'0001U, 0xfff0'0000'0000'0000U};
  EXPECT_EQ(loaded.call("turn", slots).kind, EndKind::returned);
  EXPECT_EQ(slots[0], 0xfff0'0000'0000'0000U);
  EXPECT_EQ(slots[1] & 0xffff'ffffU, 0x7fa0'0001U);
  EXPECT_EQ(slots[2], 0x8000'0000'0000'0001U);
  EXPECT_EQ(slots[3] & 0xffff'ffffU, 0xffff'fffeU);
}

TEST_P(WasmInstanceTest, CountsFuelOfEachCall) {
  Loaded loaded = make(R"((module (func (export "f") (result i32) (i32.add (i32.const 1) (i32.const 2)))))");
  std::vector<std::uint64_t> slots(1);
  EXPECT_EQ(loaded.call("f", slots, {.fuel = 3}).fuel_used, 3U);
  EXPECT_EQ(loaded.call("f", slots, {.fuel = 3}).kind, EndKind::returned);
  const End end = loaded.call("f", slots, {.fuel = 2});
  EXPECT_EQ(end.kind, EndKind::out_of_fuel);
  EXPECT_EQ(end.fuel_used, 2U);
}

TEST_P(WasmInstanceTest, IsCalledInASeriesWithAWholeBudgetEach) {
  Loaded loaded = make(R"((module (global $n (mut i32) (i32.const 0))
    (func (export "f") (param i32 i32) (result i32)
      (global.set $n (i32.add (global.get $n) (local.get 0)))
      (if (i32.eq (local.get 1) (i32.const 9)) (then unreachable)) (global.get $n))))");
  std::vector<std::uint64_t> slots{1, 0, 10, 0, 100, 0, 1'000, 9, 10'000, 0};
  const std::uint32_t number = loaded.number("f");
  const auto series = loaded.instance->call_series(number, {.fuel = 20}, nullptr, slots, 5, Budget::kNever);
  ASSERT_TRUE(series) << series.error().message;
  EXPECT_EQ(series->returned, 3U);
  EXPECT_EQ(series->fuel_used, 3 * (series->fuel_used / 3)) << "the same each time";
  EXPECT_EQ(series->end.kind, EndKind::trapped);
  EXPECT_THAT(slots, testing::ElementsAre(1, 0, 11, 0, 111, 0, 1'000, 9, 10'000, 0));
}

TEST_P(WasmInstanceTest, EndsASeriesOnceItHasUsedEnough) {
  Loaded loaded = make(R"((module (func (export "f") (result i32) (i32.add (i32.const 1) (i32.const 2)))))");
  std::vector<std::uint64_t> slots(6);
  const auto series = loaded.instance->call_series(loaded.number("f"), {.fuel = 3}, nullptr, slots, 6, 7);
  ASSERT_TRUE(series) << series.error().message;
  EXPECT_EQ(series->returned, 3U);
  EXPECT_EQ(series->fuel_used, 9U);
  EXPECT_EQ(series->end, (End{.fuel_used = 3}));
  EXPECT_THAT(slots, testing::ElementsAre(3, 3, 3, 0, 0, 0));
}

TEST_P(WasmInstanceTest, ReadsAndWritesMemory) {
  Loaded loaded = make(R"((module (memory 1) (data (i32.const 4) "abc")
    (func (export "load") (result i32) (i32.load8_u (i32.const 7)))))");
  std::span<std::uint8_t> memory = loaded.instance->memory();
  ASSERT_EQ(memory.size(), 65'536U);
  EXPECT_EQ(memory[6], 'c');
  memory[7] = 42;
  std::vector<std::uint64_t> slots(1);
  loaded.call("load", slots);
  EXPECT_EQ(slots[0] & 0xffff'ffffU, 42U);
}

TEST_P(WasmInstanceTest, ReachesMutableAndExportedGlobals) {
  Loaded loaded = make(R"((module (global (mut i32) (i32.const 5)) (global (export "k") i64 (i64.const -1))
    (global $hidden i32 (i32.const 9)) (func (export "get") (result i32) global.get 0)))");
  EXPECT_EQ(loaded.instance->global(0).value() & 0xffff'ffffU, 5U);
  EXPECT_EQ(loaded.instance->global(1).value(), ~std::uint64_t{0});
  EXPECT_FALSE(loaded.instance->global(2));
  EXPECT_FALSE(loaded.instance->global(3));
  ASSERT_TRUE(loaded.instance->set_global(0, 7));
  EXPECT_FALSE(loaded.instance->set_global(1, 7));
  std::vector<std::uint64_t> slots(1);
  loaded.call("get", slots);
  EXPECT_EQ(slots[0] & 0xffff'ffffU, 7U);
}

TEST_P(WasmInstanceTest, ReadsExportedConstantsOfEveryType) {
  Loaded loaded =
      make(R"((module (global (export "petri_state") i32 (i32.const 4096)) (global (export "l") i64 (i64.const -2))
    (global (export "f") f32 (f32.const 0.5)) (global (export "d") f64 (f64.const 0.25))
    (global (export "sum") i32 (i32.add (i32.const 2) (i32.const 3))) (global (export "r") funcref (ref.null func))))");
  EXPECT_EQ(loaded.instance->global(0), 4096U);
  EXPECT_EQ(loaded.instance->global(1), static_cast<std::uint64_t>(-2));
  EXPECT_EQ(loaded.instance->global(2), std::bit_cast<std::uint32_t>(0.5F));
  EXPECT_EQ(loaded.instance->global(3), std::bit_cast<std::uint64_t>(0.25));
  EXPECT_EQ(loaded.instance->global(4), 5U);
  EXPECT_EQ(loaded.instance->global(5).error().code, ErrorCode::not_found) << "a reference is no number";
  EXPECT_EQ(loaded.instance->set_global(0, 7).error().code, ErrorCode::not_found) << "it is a constant";
}

TEST_P(WasmInstanceTest, RunsTheStartFunctionOnlyWhenAsked) {
  Loaded loaded = make(R"((module (global $n (mut i32) (i32.const 0)) (start $s)
    (func $s (global.set $n (i32.const 3))) (func (export "n") (result i32) global.get $n)))");
  std::vector<std::uint64_t> slots(1);
  loaded.call("n", slots);
  EXPECT_EQ(slots[0] & 0xffff'ffffU, 0U);
  const auto end = loaded.instance->call(Instance::kStartFunction, {.fuel = 100}, nullptr, {});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->fuel_used, 2U);
  loaded.call("n", slots);
  EXPECT_EQ(slots[0] & 0xffff'ffffU, 3U);
}

TEST_P(WasmInstanceTest, SaysWhyThereIsNone) {
  const ArtifactPtr large = prepare("(module (memory 4))");
  const auto refused = load(large)->instantiate({}, 3 * 65'536);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->instance, nullptr);
  EXPECT_EQ(refused->end.kind, EndKind::memory_limit);

  const ArtifactPtr outside = prepare("(module (memory 1) (data (i32.const 65535) \"ab\"))");  // hostile B08
  const auto trapped = load(outside)->instantiate({}, 1 << 20);
  ASSERT_TRUE(trapped);
  EXPECT_EQ(trapped->instance, nullptr);
  EXPECT_EQ(trapped->end.kind, EndKind::trapped);
  EXPECT_EQ(trapped->end.code, static_cast<std::int32_t>(TrapCode::memory_out_of_bounds));
}

TEST_P(WasmInstanceTest, EndsWhenInterrupted) {
  std::atomic<std::uint32_t> interrupt{1};
  Loaded loaded = make(R"((module (func (export "spin") (loop br 0))))", {.interrupt = &interrupt});
  std::vector<std::uint64_t> slots;
  EXPECT_EQ(loaded.call("spin", slots, {.fuel = std::uint64_t{1} << 62}).kind, EndKind::cancelled);
}

TEST_P(WasmInstanceTest, AsksBeforeItGrows) {
  struct Seen {
    std::uint64_t have = 0, want = 0;
  } seen;
  const HostHooks hooks{.grow = [](void* context, std::uint64_t have, std::uint64_t want) -> std::uint32_t {
    *static_cast<Seen*>(context) = {have, want};
    return want <= 3 * 65'536 ? 1 : 0;
  }};
  Loaded loaded =
      make(R"((module (memory 1) (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))))", hooks);
  std::uint64_t slot = 2;
  auto end = loaded.instance->call(0, {.fuel = 1'000}, &seen, {&slot, 1});
  EXPECT_EQ(slot & 0xffff'ffffU, 1U);
  EXPECT_EQ(seen.have, 65'536U);
  EXPECT_EQ(seen.want, 3 * 65'536U);
  EXPECT_EQ(end->memory_bytes, 3 * 65'536U);
  slot = 1;
  end = loaded.instance->call(0, {.fuel = 1'000}, &seen, {&slot, 1});
  EXPECT_EQ(slot & 0xffff'ffffU, 0xffff'ffffU);
  EXPECT_EQ(end->memory_bytes, 3 * 65'536U);
}

TEST_P(WasmInstanceTest, CallsHostFunctionsWithTheirFuelCharged) {
  const HostImport import{.callback =
                              [](void* data, Caller& caller, const std::uint64_t* arguments, std::uint64_t* results) {
                                *static_cast<void**>(data) = caller.context();
                                results[0] = static_cast<std::uint32_t>(arguments[0]) * 2;
                                return caller.charge(100);
                              },
                          .data = nullptr,
                          .fuel = 10};
  void* context = nullptr;
  HostImport bound = import;
  bound.data = &context;
  const ArtifactPtr artifact = prepare(R"((module (import "a" "b" (func $b (param i32) (result i32)))
    (func (export "f") (result i32) (call $b (i32.const 21)))))");
  auto made = load(artifact, {.functions = {&bound}, .owner = nullptr})->instantiate({}, 1 << 20);
  std::uint64_t slot = 0;
  int marker = 0;
  const auto end = made->instance->call(*loadable(*artifact).export_number("f"), {.fuel = 112}, &marker, {&slot, 1});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, EndKind::returned);
  EXPECT_EQ(end->fuel_used, 112U);
  EXPECT_EQ(slot & 0xffff'ffffU, 42U);
  EXPECT_EQ(context, &marker);
  EXPECT_EQ(made->instance->call(0, {.fuel = 111}, &marker, {&slot, 1})->kind, EndKind::out_of_fuel);
}

TEST_P(WasmInstanceTest, OutlivesItsCode) {
  const ArtifactPtr artifact = prepare(R"((module (func (export "f") (result i32) i32.const 6)))");
  CodePtr code = load(artifact);
  auto made = code->instantiate({}, 1 << 20);
  code.reset();
  std::uint64_t slot = 0;
  EXPECT_TRUE(made->instance->call(0, {.fuel = 10}, nullptr, {&slot, 1}));
  EXPECT_EQ(slot & 0xffff'ffffU, 6U);
}

// A03, A05: on a thread whose own stack would be far too small.
struct SmallStack {
  Tier tier;
  End end;
  static void* run(void* data) {
    auto& self = *static_cast<SmallStack*>(data);
    std::string locals;
    for (int index = 0; index < 500; ++index) locals += " i64";
    const auto artifact =
        Artifact::from_wat("(module (func $f (export \"f\") (local" + locals + ") (call $f)))", 1 << 20);
    const auto code = loadable(**artifact).load(self.tier, {});
    const auto made = (*code)->instantiate({}, 1 << 20);
    self.end = made->instance->call(0, {.fuel = 1'000'000, .call_depth = 8'192}, nullptr, {}).value();
    return nullptr;
  }
};

TEST_P(WasmInstanceTest, HasStackEnoughOnAnyThread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  SmallStack small{.tier = GetParam(), .end = {}};
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, &SmallStack::run, &small), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(small.end.kind, EndKind::stack_overflow);
}

// HF17
TEST_P(WasmInstanceTest, TurnsAPanicInTheCrateIntoAnEngineFault) {
  Loaded loaded = make(R"((module (func (export "f"))))");
  const auto spare = load(loaded.artifact);

  panic_at_next(EngineStep::call);
  const auto call = loaded.instance->call(0, {.fuel = 10}, nullptr, {});
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().code, ErrorCode::engine_fault);

  panic_at_next(EngineStep::instantiate);
  EXPECT_EQ(spare->instantiate({}, 1 << 20).error().code, ErrorCode::engine_fault);
  EXPECT_TRUE(spare->instantiate({}, 1 << 20));

  panic_at_next(EngineStep::prepare);
  EXPECT_EQ(Artifact::from_wasm(loaded.artifact->bytes(), 1 << 20).error().code, ErrorCode::engine_fault);
  EXPECT_TRUE(Artifact::from_wasm(loaded.artifact->bytes(), 1 << 20));

  panic_at_next(EngineStep::scan);
  EXPECT_EQ(loadable(*loaded.artifact).scan(10).error().code, ErrorCode::engine_fault);
  EXPECT_TRUE(loadable(*loaded.artifact).scan(10));

  panic_at_next(EngineStep::drop);
  loaded.instance.reset();
  panic_at_next(EngineStep::none);
  EXPECT_TRUE(spare->instantiate({}, 1 << 20));
}

TEST_P(WasmInstanceTest, TrapsWithATraceWhereTheTierKeepsOne) {
  Loaded loaded = make(R"((module (func $inner unreachable) (func $outer (export "f") (call $inner))))");
  std::vector<std::uint64_t> slots;
  const End end = loaded.call("f", slots);
  EXPECT_EQ(end.kind, EndKind::trapped);
  EXPECT_EQ(end.code, static_cast<std::int32_t>(TrapCode::unreachable));
  const std::vector<TracePoint> trace = loaded.instance->backtrace();
  if (GetParam() == Tier::interpreted) {
    EXPECT_TRUE(trace.empty());
    return;
  }
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace[0].function, 0U);
  EXPECT_EQ(trace[1].function, 1U);
  EXPECT_EQ(loaded.artifact->bytes()[trace[0].offset], 0x00);  // unreachable
  EXPECT_EQ(loaded.artifact->bytes()[trace[1].offset], 0x10);  // call
}

INSTANTIATE_TEST_SUITE_P(BothTiers, WasmInstanceTest, testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

TEST(WasmCode, IsLoadedByTheOtherEngineWhenOneCannot) {
  const auto artifact = Artifact::from_wat(R"((module (func (export "f"))))", 1 << 20);
  for (const auto& [asked, given] :
       {std::pair{Tier::interpreted, Tier::compiled}, {Tier::compiled, Tier::interpreted}}) {
    const std::uint64_t before = wasm_engine().statistics().fallbacks;
    panic_at_next(EngineStep::load);
    const auto code = loadable(**artifact).load(asked, {});
    ASSERT_TRUE(code) << code.error().message;
    EXPECT_EQ((*code)->tier(), given);
    EXPECT_EQ(wasm_engine().statistics().fallbacks, before + 1);
    EXPECT_EQ(loadable(**artifact).load(asked, {}).value()->tier(), asked);
    EXPECT_EQ(wasm_engine().statistics().fallbacks, before + 1);
  }
}

TEST(EngineTables, AreNotEmptyAndTellTheirVersion) {
  EXPECT_EQ(fuel_table_version(), 1U);
  EXPECT_FALSE(fuel_rules().empty());
  EXPECT_FALSE(engine_bounds().empty());
  EXPECT_THAT(std::string(engine_versions()), testing::HasSubstr("wasmi"));
  EXPECT_THAT(std::string(engine_versions()), testing::HasSubstr("wasmtime"));
  EXPECT_GE(math_functions().size(), 18U);
}

}  // namespace
}  // namespace petri
