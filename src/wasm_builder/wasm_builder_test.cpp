#include "petri/wasm_builder/wasm_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace petri {
namespace {

using enum ValueType;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

Bytes built(const WasmBuilder& module) {
  auto bytes = module.build();
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or(Bytes{});
}

std::string problem(const WasmBuilder& module) {
  const auto bytes = module.build();
  if (bytes) return "";
  EXPECT_EQ(bytes.error().code, ErrorCode::validation_failed);
  return bytes.error().message;
}

// A module is its preamble and these.
Bytes module_of(std::initializer_list<Bytes> sections) {
  Bytes bytes{0, 'a', 's', 'm', 1, 0, 0, 0};
  for (const Bytes& section : sections) bytes.insert(bytes.end(), section.begin(), section.end());
  return bytes;
}

const Bytes kUnitType{1, 4, 1, 0x60, 0, 0};

WasmFunction add_empty(WasmBuilder& module) {
  auto body = module.function({});
  body.end();
  return body.index();
}

TEST(WasmBuilder, StartsWithTheEmptyModule) { EXPECT_EQ(built(WasmBuilder()), module_of({})); }

TEST(WasmBuilder, WritesAFunctionByteForByte) {
  WasmBuilder module;
  auto f = module.function("f", {.params = {f64}, .results = {f64}});
  f.local_get(0).f64_const(2.0).f64_mul().end();
  EXPECT_EQ(built(module), module_of({{1, 6, 1, 0x60, 1, 0x7c, 1, 0x7c},
                                      {3, 2, 1, 0},
                                      {7, 5, 1, 1, 'f', 0, 0},
                                      {10, 16, 1, 14, 0, 0x20, 0, 0x44, 0, 0, 0, 0, 0, 0, 0, 0x40, 0xa2, 0x0b}}));
}

TEST(WasmBuilder, MakesOneTypeOfEqualSignatures) {
  WasmBuilder module;
  const WasmType binary = module.type({.params = {i32, i32}, .results = {i32}});
  const WasmType unary = module.type({.params = {i32}, .results = {i32}});
  EXPECT_NE(binary.index, unary.index);
  EXPECT_EQ(module.type({.params = {i32, i32}, .results = {i32}}).index, binary.index);
  // The same bytes in a row, cut differently, are another type.
  EXPECT_EQ(module.type({.params = {}, .results = {i32, i32, i32}}).index, 2U);
  EXPECT_EQ(module.type({.params = WasmTypes::repeated(i32, 1), .results = {i32}}).index, unary.index);
  EXPECT_EQ(
      built(module),
      module_of({{1, 18, 3, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 3, 0x7f, 0x7f, 0x7f}}));
}

TEST(WasmBuilder, PutsImportsBeforeFunctions) {
  WasmBuilder module;
  const WasmFunction imported = module.import_function("m", "g", {});
  auto f = module.function({});
  EXPECT_EQ(imported.index, 0U);
  EXPECT_EQ(f.index().index, 1U);
  f.call(imported).end();
  EXPECT_EQ(built(module),
            module_of({kUnitType, {2, 7, 1, 1, 'm', 1, 'g', 0, 0}, {3, 2, 1, 0}, {10, 6, 1, 4, 0, 0x10, 0, 0x0b}}));
}

TEST(WasmBuilder, RefusesAnImportAfterAFunction) {
  WasmBuilder module;
  add_empty(module);
  module.import_function("m", "g", {});
  EXPECT_THAT(problem(module), HasSubstr("imports come first"));
}

TEST(WasmBuilder, DeclaresLocalsInRuns) {
  WasmBuilder module;
  auto f = module.function({.params = {i32}});
  EXPECT_EQ(f.local(f64).index, 1U);
  EXPECT_EQ(f.local(f64).index, 2U);
  f.nop();
  EXPECT_EQ(f.local(i32).index, 3U);
  f.end();
  // The next function's first local does not join the run of the one before.
  auto g = module.function({});
  EXPECT_EQ(g.local(i32).index, 0U);
  g.end();
  EXPECT_EQ(built(module), module_of({{1, 8, 2, 0x60, 1, 0x7f, 0, 0x60, 0, 0},
                                      {3, 3, 2, 0, 1},
                                      {10, 14, 2, 7, 2, 2, 0x7c, 1, 0x7f, 0x01, 0x0b, 4, 1, 1, 0x7f, 0x0b}}));
}

TEST(WasmBuilder, WritesMemoryAndData) {
  WasmBuilder module;
  module.memory({.pages_min = 1, .pages_max = 300});
  module.export_memory("m");
  module.data(8, "hi");
  module.data(0xffff'fff0, Bytes{7});
  EXPECT_EQ(built(module), module_of({{5, 5, 1, 1, 1, 0xac, 0x02},
                                      {7, 5, 1, 1, 'm', 2, 0},
                                      {11, 14, 2, 0, 0x41, 8, 0x0b, 2, 'h', 'i', 0, 0x41, 0x70, 0x0b, 1, 7}}));
}

TEST(WasmBuilder, WritesGlobals) {
  WasmBuilder module;
  const WasmGlobal counter = module.global({.initial = std::int64_t{-1}, .is_mutable = true});
  const WasmGlobal constant = module.global({.initial = 1.0F});
  module.export_global("c", constant);
  EXPECT_EQ(counter.index, 0U);
  EXPECT_EQ(built(module), module_of({{6, 14, 2, 0x7e, 1, 0x42, 0x7f, 0x0b, 0x7d, 0, 0x43, 0, 0, 0x80, 0x3f, 0x0b},
                                      {7, 5, 1, 1, 'c', 3, 1}}));
}

TEST(WasmBuilder, WritesTablesAndElements) {
  WasmBuilder module;
  const WasmFunction f = add_empty(module);
  const WasmTable first = module.table({.slots_min = 2});
  const WasmTable second = module.table({.slots_min = 1, .slots_max = 1});
  module.export_table("t", second);
  module.elements(first, 1, {f});
  module.elements(second, 0, std::vector{f});
  EXPECT_EQ(built(module), module_of({kUnitType,
                                      {3, 2, 1, 0},
                                      {4, 8, 2, 0x70, 0, 2, 0x70, 1, 1, 1},
                                      {7, 5, 1, 1, 't', 1, 1},
                                      {9, 15, 2, 0, 0x41, 1, 0x0b, 1, 0, 2, 1, 0x41, 0, 0x0b, 0, 1, 0},
                                      {10, 4, 1, 2, 0, 0x0b}}));
}

TEST(WasmBuilder, WritesTheStartFunction) {
  WasmBuilder module;
  module.start(add_empty(module));
  EXPECT_EQ(built(module), module_of({kUnitType, {3, 2, 1, 0}, {8, 1, 0}, {10, 4, 1, 2, 0, 0x0b}}));
}

TEST(WasmBuilder, WritesNamesInTheOrderOfFunctionsAndKeepsTheLast) {
  WasmBuilder module;
  const WasmFunction first = add_empty(module);
  const WasmFunction second = add_empty(module);
  module.name_function(second, "old");
  module.name_function(first, "a");
  module.name_function(second, "bc");
  EXPECT_EQ(built(module), module_of({kUnitType,
                                      {3, 3, 2, 0, 0},
                                      {10, 7, 2, 2, 0, 0x0b, 2, 0, 0x0b},
                                      {0, 15, 4, 'n', 'a', 'm', 'e', 1, 8, 2, 0, 1, 'a', 1, 2, 'b', 'c'}}));
}

TEST(WasmBuilder, LetsFunctionsCallEachOther) {
  WasmBuilder module;
  const WasmFunction even = module.declare({});
  const WasmFunction odd = module.declare({});
  // Emitted in the other order; the module has them by index.
  module.body(odd).call(even).nop().end();
  module.body(even).call(odd).end();
  EXPECT_EQ(built(module),
            module_of({kUnitType, {3, 3, 2, 0, 0}, {10, 12, 2, 4, 0, 0x10, 1, 0x0b, 5, 0, 0x10, 0, 0x01, 0x0b}}));
}

TEST(WasmBuilder, BuildsAgainAfterAdding) {
  WasmBuilder module;
  add_empty(module);
  const Bytes before = built(module);
  EXPECT_EQ(built(module), before);
  add_empty(module);
  EXPECT_GT(built(module).size(), before.size());
}

TEST(WasmBuilder, IsAsNewAfterClear) {
  WasmBuilder module;
  module.import_function("m", "g", {.params = {f32}});
  module.memory({});
  module.global({.initial = 1});
  module.elements(module.table({}), 0, {});
  auto f = module.function("f", {.params = {i32}});
  module.start(f.index());
  module.name_function(f.index(), "f");
  f.local(f64);
  f.block().local_get(99);
  EXPECT_THAT(problem(module), HasSubstr("local 99"));

  module.clear();
  EXPECT_EQ(built(module), module_of({}));
  EXPECT_EQ(add_empty(module).index, 0U);
  EXPECT_EQ(built(module), module_of({kUnitType, {3, 2, 1, 0}, {10, 4, 1, 2, 0, 0x0b}}));
}

TEST(WasmBuilder, CanBeMovedWithItsBodiesOpen) {
  WasmBuilder first;
  auto f = first.function({});
  WasmBuilder second = std::move(first);
  f.end();
  EXPECT_EQ(built(second), module_of({kUnitType, {3, 2, 1, 0}, {10, 4, 1, 2, 0, 0x0b}}));
}

TEST(WasmBuilder, WritesLargeFunctions) {
  WasmBuilder module;
  auto f = module.function({});
  for (int i = 0; i < 100'000; ++i) f.nop();
  f.end();
  Bytes code{10, 0xa6, 0x8d, 0x06, 1, 0xa2, 0x8d, 0x06, 0};
  code.insert(code.end(), 100'000, 0x01);
  code.push_back(0x0b);
  EXPECT_EQ(built(module), module_of({kUnitType, {3, 2, 1, 0}, code}));
}

TEST(WasmBuilder, WritesManyFunctions) {
  WasmBuilder module;
  for (int i = 0; i < 1000; ++i) add_empty(module);
  const Bytes bytes = built(module);
  EXPECT_EQ(bytes.size(), 8U + 6 + (1 + 2 + 2 + 1000) + (1 + 2 + 2 + 3000));
}

TEST(WasmBuilder, LeavesTheBufferAloneOnFailure) {
  WasmBuilder module;
  module.function("f", {});
  Bytes bytes{1, 2, 3};
  EXPECT_FALSE(module.build_into(bytes));
  EXPECT_EQ(bytes, (Bytes{1, 2, 3}));
}

TEST(WasmBuilder, RefusesASecondMemory) {
  WasmBuilder module;
  module.memory({});
  module.memory({});
  EXPECT_THAT(problem(module), HasSubstr("second memory"));
}

TEST(WasmBuilder, RefusesSignaturesNobodyAccepts) {
  WasmBuilder module;
  module.type({.params = WasmTypes::repeated(i32, 64), .results = WasmTypes::repeated(i32, 64)});
  EXPECT_EQ(problem(module), "");
  module.function({.params = {}, .results = WasmTypes::repeated(i32, 65)}).end();
  EXPECT_EQ(problem(module), "a signature has 65 results, where 64 is the most");
}

TEST(WasmBuilder, RefusesDeclarationsWithoutABody) {
  WasmBuilder module;
  module.import_function("m", "g", {});
  add_empty(module);
  module.export_function("rule", module.declare({}));
  EXPECT_EQ(problem(module), "function 2 (\"rule\") is declared and has no body; emit one with body()");
}

TEST(WasmBuilder, RefusesIndicesThatNameNothing) {
  const auto problem_after = [](auto misuse) {
    WasmBuilder module;
    misuse(module);
    return problem(module);
  };
  EXPECT_EQ(problem_after([](WasmBuilder& m) { m.export_function("f\n", {3}); }),
            "the export \"f\\n\" names function 3, and the module has 0 so far");
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.export_memory("m"); }), HasSubstr("names memory 0"));
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.export_table("t", {}); }), HasSubstr("names table 0"));
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.export_global("g", {}); }), HasSubstr("names global 0"));
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.start({1}); }), HasSubstr("start function is 1"));
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.name_function({}, "n"); }),
              HasSubstr("\"n\" is given to function 0"));
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.elements({}, 0, {}); }), HasSubstr("go into table 0"));
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.elements(m.table({}), 0, {{5}}); }), HasSubstr("name function 5"));
  EXPECT_THAT(problem_after([](WasmBuilder& m) { m.global({.initial = Value::from_bits(funcref, 0)}); }),
              HasSubstr("global 0 begins with a funcref"));
}

}  // namespace
}  // namespace petri
