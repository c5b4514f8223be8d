// Every operator against its text form, and in both tiers.
#include <fmt/format.h>

#include <bit>
#include <limits>

#include "built_module.h"

namespace petri {
namespace {

using enum ValueType;

void build_numeric(WasmBuilder& module, const WasmOperatorInfo& info) {
  module.clear();
  auto f = module.function("f", {.params = WasmTypes::repeated(info.operand, info.operands), .results = {info.result}});
  for (std::uint32_t i = 0; i < info.operands; ++i) f.local_get(i);
  f.op(info.op).end();
}

std::string numeric_text(const WasmOperatorInfo& info) {
  const std::string_view type = name_of(info.operand);
  const bool binary = info.operands == 2;
  return fmt::format("(module (func (export \"f\") (param {}{}) (result {}) local.get 0 {}{}))", type,
                     binary ? fmt::format(" {}", type) : "", name_of(info.result), binary ? "local.get 1 " : "",
                     info.name);
}

TEST(EveryOperator, IsWrittenAsInText) {
  WasmBuilder module;
  for (const WasmOperatorInfo& info : wasm_operators()) {
    build_numeric(module, info);
    EXPECT_EQ(module.build().value(), bytes_of_text(numeric_text(info))) << info.name;
  }
}

// Numbers at which operators differ from each other and from themselves in another type.
std::vector<Value> edges(ValueType type) {
  if (type == i32) return {7, -3, 0, std::numeric_limits<std::int32_t>::min()};
  if (type == i64)
    return {std::int64_t{7}, std::int64_t{-3}, std::int64_t{0}, std::numeric_limits<std::int64_t>::min()};
  if (type == f32) return {2.5F, -0.0F, 3e10F, std::numeric_limits<float>::quiet_NaN()};
  return {2.5, -0.0, -3e300, std::numeric_limits<double>::quiet_NaN()};
}

TEST(EveryOperator, GivesTheSameInBothTiers) {
  WasmBuilder module;
  for (const WasmOperatorInfo& info : wasm_operators()) {
    build_numeric(module, info);
    const ArtifactPtr artifact = accepted(module);
    ASSERT_NE(artifact, nullptr) << info.name;
    for (const Value value : edges(info.operand)) {
      SCOPED_TRACE(fmt::format("{} {}", info.name, to_text(value)));
      run_both(artifact, "f", std::vector<Value>(info.operands, value));
    }
  }
}

void build_memory(WasmBuilder& module, const WasmMemoryOperatorInfo& info) {
  module.clear();
  module.memory({.pages_min = 1});
  WasmSignature signature{.params = {i32}};
  (info.stores ? signature.params : signature.results).push_back(info.type);
  auto f = module.function("f", signature);
  f.local_get(0);
  if (info.stores) f.local_get(1);
  f.op(info.op, 300).end();
}

TEST(EveryMemoryOperator, IsWrittenAsInText) {
  WasmBuilder module;
  for (const WasmMemoryOperatorInfo& info : wasm_memory_operators()) {
    build_memory(module, info);
    const std::string types = info.stores ? fmt::format("(param i32 {})", name_of(info.type))
                                          : fmt::format("(param i32) (result {})", name_of(info.type));
    EXPECT_EQ(module.build().value(),
              bytes_of_text(fmt::format("(module (func (export \"f\") {} local.get 0 {}{} offset=300) (memory 1))",
                                        types, info.stores ? "local.get 1 " : "", info.name)))
        << info.name;
  }
}

// The methods are made from the same table as the data, but named apart: these are the ones with words of their own.
TEST(EveryOtherOperator, IsWrittenAsInText) {
  WasmBuilder module;
  module.memory({.pages_min = 1, .pages_max = 2});
  const WasmGlobal global = module.global({.initial = 7, .is_mutable = true});
  const WasmTable table = module.table({.slots_min = 2, .slots_max = 3});
  auto f = module.function("f", {.params = {i32}, .results = {i32}});
  module.elements(table, 1, {f.index()});
  f.local(i32);
  f.nop().local_get(0).local_tee(1).local_set(1).global_get(global).global_set(global);
  f.memory_size().memory_grow().drop();
  f.i32_const(0).i32_const(1).i32_const(2).memory_copy();
  f.i32_const(0).i32_const(255).i32_const(-1).memory_fill();
  f.i32_const(1).i32_const(2).local_get(0).select().drop();
  f.block().loop().local_get(0).br_if(1).local_get(0).br_table({0, 1}, 1).end().end();
  f.local_get(0).if_(i32).i32_const(1).else_().i32_const(2).end().drop();
  f.local_get(0).call(f.index()).drop();
  f.local_get(0).i32_const(1).call_indirect({.params = {i32}, .results = {i32}}, table).drop();
  f.local_get(0).if_().unreachable().end().i64_const(-1).drop().f32_const(0.5F).drop().f64_const(-0.5).drop();
  f.local_get(0).return_().end();
  EXPECT_EQ(module.build().value(), bytes_of_text(R"((module
    (memory 1 2) (global (mut i32) (i32.const 7)) (table 2 3 funcref) (elem (i32.const 1) func 0)
    (func (export "f") (param i32) (result i32) (local i32)
      nop local.get 0 local.tee 1 local.set 1 global.get 0 global.set 0
      memory.size memory.grow drop
      i32.const 0 i32.const 1 i32.const 2 memory.copy
      i32.const 0 i32.const 255 i32.const -1 memory.fill
      i32.const 1 i32.const 2 local.get 0 select drop
      block loop local.get 0 br_if 1 local.get 0 br_table 0 1 1 end end
      local.get 0 if (result i32) i32.const 1 else i32.const 2 end drop
      local.get 0 call 0 drop
      local.get 0 i32.const 1 call_indirect (param i32) (result i32) drop
      local.get 0 if unreachable end i64.const -1 drop f32.const 0.5 drop f64.const -0.5 drop
      local.get 0 return)))"));
  accepted(module);
}

template <typename T>
void expect_kept(T value) {
  WasmBuilder module;
  const Value constant(value);
  module.function("f", {.params = {}, .results = {constant.type()}}).constant(constant).end();
  EXPECT_EQ(values_of(accepted(module), "f"), std::vector<Value>{constant});
}

TEST(Constants, ComeBackAsTheyWereGiven) {
  for (const std::int32_t value : {0, -1, 63, 64, -64, -65, 8191, 8192, INT32_MIN, INT32_MAX}) expect_kept(value);
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-65}, std::int64_t{1} << 62, INT64_MIN, INT64_MAX}) {
    expect_kept(value);
  }
  for (const float value : {0.0F, -0.0F, 1e-45F, std::numeric_limits<float>::infinity()}) expect_kept(value);
  for (const double value : {-0.0, 5e-324, 0.1, -std::numeric_limits<double>::infinity()}) expect_kept(value);
}

// As bits: a NaN that leaves the guest as a float may be made canonical.
TEST(Constants, KeepThePayloadOfNaNs) {
  WasmBuilder module;
  module.function("f", {.params = {}, .results = {i32, i64}})
      .f32_const(std::bit_cast<float>(0x7fa0'1234U))
      .i32_reinterpret_f32()
      .f64_const(std::bit_cast<double>(std::uint64_t{0xfff0'0000'0000'0001}))
      .i64_reinterpret_f64()
      .end();
  EXPECT_EQ(values_of(accepted(module), "f"),
            (std::vector<Value>{0x7fa0'1234, static_cast<std::int64_t>(0xfff0'0000'0000'0001)}));
}

}  // namespace
}  // namespace petri
