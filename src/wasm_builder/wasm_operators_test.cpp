#include "petri/wasm_builder/wasm_operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace petri {
namespace {

TEST(WasmOperators, AreAllThere) {
  EXPECT_EQ(wasm_operators().size(), 136U);  // 123 of the MVP, 5 sign extensions, 8 saturating conversions
  EXPECT_EQ(wasm_memory_operators().size(), 23U);
}

TEST(WasmOperators, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const WasmOperatorInfo& info : wasm_operators()) names.insert(info.name);
  for (const WasmMemoryOperatorInfo& info : wasm_memory_operators()) names.insert(info.name);
  EXPECT_EQ(names.size(), wasm_operators().size() + wasm_memory_operators().size());
}

TEST(WasmOperators, AreNamedAsInTheTextForm) {
  EXPECT_EQ(name_of(WasmOperator::f64_mul), "f64.mul");
  EXPECT_EQ(name_of(WasmOperator::i32_and), "i32.and");
  EXPECT_EQ(name_of(WasmOperator::i64_trunc_sat_f64_u), "i64.trunc_sat_f64_u");
  EXPECT_EQ(name_of(WasmMemoryOperator::i64_load32_u), "i64.load32_u");
}

TEST(WasmOperators, TellTheirTypes) {
  const WasmOperatorInfo& compare = info_of(WasmOperator::f64_lt);
  EXPECT_EQ(compare.operands, 2U);
  EXPECT_EQ(compare.operand, ValueType::f64);
  EXPECT_EQ(compare.result, ValueType::i32);
  const WasmMemoryOperatorInfo& store = info_of(WasmMemoryOperator::i64_store16);
  EXPECT_EQ(store.type, ValueType::i64);
  EXPECT_EQ(store.bytes, 2U);
  EXPECT_TRUE(store.stores);
  EXPECT_FALSE(info_of(WasmMemoryOperator::f32_load).stores);
}

// A typed mutation replaces an operator by another of the same type.
TEST(WasmOperators, CanBeChosenByType) {
  const auto same = [](const WasmOperatorInfo& info) {
    return info.operands == 2 && info.operand == ValueType::f64 && info.result == ValueType::f64;
  };
  EXPECT_EQ(std::count_if(wasm_operators().begin(), wasm_operators().end(), same), 7);
}

}  // namespace
}  // namespace petri
