#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "petri/wasm_builder/wasm_builder.h"

namespace petri {
namespace {

using enum ValueType;
using testing::ElementsAre;
using testing::HasSubstr;
using BodyBytes = std::vector<std::uint8_t>;
using Emit = std::function<void(WasmBody&)>;

// Function 0, "f" : (i32) -> i32, in a module with a memory, a table and a global.
Result<BodyBytes> build_with(const Emit& emit) {
  WasmBuilder module;
  module.memory({});
  module.table({.slots_min = 1});
  module.global({.initial = 0, .is_mutable = true});
  auto body = module.function("f", {.params = {i32}, .results = {i32}});
  emit(body);
  return module.build();
}

// The bytes that `emit` adds to a function, without the function's own end. Eight nops show where it starts.
BodyBytes code_of(const Emit& emit) {
  const BodyBytes mark(8, 0x01);
  const auto bytes = build_with([&](WasmBody& body) {
    for (std::size_t i = 0; i < mark.size(); ++i) body.nop();
    emit(body);
    body.end();
  });
  EXPECT_TRUE(bytes) << bytes.error().message;
  if (!bytes) return {};
  return {std::search(bytes->begin(), bytes->end(), mark.begin(), mark.end()) + 8, bytes->end() - 1};
}

std::string problem_of(const Emit& emit) {
  const auto bytes = build_with(emit);
  EXPECT_FALSE(bytes);
  return bytes ? "" : bytes.error().message;
}

TEST(WasmBody, EmitsConstants) {
  EXPECT_THAT(code_of([](WasmBody& f) { f.i32_const(-1).drop(); }), ElementsAre(0x41, 0x7f, 0x1a));
  EXPECT_THAT(code_of([](WasmBody& f) { f.i64_const(64); }), ElementsAre(0x42, 0xc0, 0x00));
  EXPECT_THAT(code_of([](WasmBody& f) { f.f32_const(1); }), ElementsAre(0x43, 0, 0, 0x80, 0x3f));
  EXPECT_THAT(code_of([](WasmBody& f) { f.f64_const(1); }), ElementsAre(0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f));
  EXPECT_EQ(code_of([](WasmBody& f) { f.constant(1.5); }), code_of([](WasmBody& f) { f.f64_const(1.5); }));
  EXPECT_EQ(code_of([](WasmBody& f) { f.constant(7); }), code_of([](WasmBody& f) { f.i32_const(7); }));
}

TEST(WasmBody, EmitsLocalsAndGlobals) {
  EXPECT_THAT(code_of([](WasmBody& f) { f.local_get(0).local_tee(0).local_set(0); }),
              ElementsAre(0x20, 0, 0x22, 0, 0x21, 0));
  EXPECT_THAT(code_of([](WasmBody& f) { f.global_get({0}).global_set({0}); }), ElementsAre(0x23, 0, 0x24, 0));
}

TEST(WasmBody, EmitsLocalsWithLargeIndices) {
  EXPECT_THAT(code_of([](WasmBody& f) {
                WasmLocal last = 0;
                for (int i = 0; i < 300; ++i) last = f.local(f64);
                f.local_get(last);
              }),
              ElementsAre(0x20, 0xac, 0x02));
}

TEST(WasmBody, EmitsOperatorsByNameAndAsData) {
  EXPECT_THAT(code_of([](WasmBody& f) { f.f64_add().op(WasmOperator::f64_add); }), ElementsAre(0xa0, 0xa0));
  EXPECT_THAT(code_of([](WasmBody& f) { f.i64_extend32_s(); }), ElementsAre(0xc4));
  EXPECT_THAT(code_of([](WasmBody& f) { f.i64_trunc_sat_f64_u(); }), ElementsAre(0xfc, 0x07));
}

TEST(WasmBody, EmitsMemoryOperatorsWithTheirNaturalAlignment) {
  EXPECT_THAT(code_of([](WasmBody& f) { f.f64_load(); }), ElementsAre(0x2b, 3, 0));
  EXPECT_THAT(code_of([](WasmBody& f) { f.i32_store8(300); }), ElementsAre(0x3a, 0, 0xac, 0x02));
  EXPECT_THAT(code_of([](WasmBody& f) { f.i64_load32_u(0xffff'ffff); }),
              ElementsAre(0x35, 2, 0xff, 0xff, 0xff, 0xff, 0x0f));
  EXPECT_THAT(code_of([](WasmBody& f) { f.memory_size().memory_grow(); }), ElementsAre(0x3f, 0, 0x40, 0));
  EXPECT_THAT(code_of([](WasmBody& f) { f.memory_copy().memory_fill(); }), ElementsAre(0xfc, 10, 0, 0, 0xfc, 11, 0));
}

TEST(WasmBody, EmitsBlocksOfEachType) {
  EXPECT_THAT(code_of([](WasmBody& f) { f.block().loop().end().end(); }),
              ElementsAre(0x02, 0x40, 0x03, 0x40, 0x0b, 0x0b));
  EXPECT_THAT(code_of([](WasmBody& f) { f.if_(f64).else_().end(); }), ElementsAre(0x04, 0x7c, 0x05, 0x0b));
  EXPECT_THAT(code_of([](WasmBody& f) { f.block({.params = {}, .results = {i64}}).end(); }),
              ElementsAre(0x02, 0x7e, 0x0b));
  // The function's own type is 0; two results need a type of their own.
  EXPECT_THAT(code_of([](WasmBody& f) { f.loop({.params = {i32}, .results = {i32}}).end(); }),
              ElementsAre(0x03, 0, 0x0b));
  EXPECT_THAT(code_of([](WasmBody& f) { f.block({.params = {}, .results = {i32, i32}}).end(); }),
              ElementsAre(0x02, 1, 0x0b));
}

TEST(WasmBody, WritesTheIndexOfABlockTypeAsASignedNumber) {
  WasmBuilder module;
  for (std::size_t i = 0; i < 64; ++i) module.type({.params = WasmTypes::repeated(i32, i)});
  auto f = module.function({});
  f.i64_const(0).block({.params = {i64}}).drop().end().end();
  const BodyBytes bytes = module.build().value();
  const BodyBytes expected{0x42, 0, 0x02, 0xc0, 0x00, 0x1a, 0x0b, 0x0b};
  EXPECT_TRUE(std::equal(expected.rbegin(), expected.rend(), bytes.rbegin()));
}

TEST(WasmBody, EmitsBranches) {
  EXPECT_THAT(code_of([](WasmBody& f) { f.block().br(0).br_if(1).end().return_().unreachable(); }),
              ElementsAre(0x02, 0x40, 0x0c, 0, 0x0d, 1, 0x0b, 0x0f, 0x00));
  EXPECT_THAT(code_of([](WasmBody& f) { f.block().block().br_table({0, 1}, 2).end().end(); }),
              ElementsAre(0x02, 0x40, 0x02, 0x40, 0x0e, 2, 0, 1, 2, 0x0b, 0x0b));
  EXPECT_THAT(code_of([](WasmBody& f) { f.br_table({}, 0).select(); }), ElementsAre(0x0e, 0, 0, 0x1b));
}

TEST(WasmBody, FindsTheDepthOfALabelFromWhereItStands) {
  EXPECT_THAT(code_of([](WasmBody& f) {
                const WasmLabel function = f.label();
                const WasmLabel outer = f.block().label();
                f.br(outer).loop();
                EXPECT_EQ(f.depth_of(outer), 1U);
                f.br_if(outer).br(function).end().end();
              }),
              ElementsAre(0x02, 0x40, 0x0c, 0, 0x03, 0x40, 0x0d, 1, 0x0c, 2, 0x0b, 0x0b));
}

TEST(WasmBody, EmitsCalls) {
  EXPECT_THAT(code_of([](WasmBody& f) { f.call(f.index()); }), ElementsAre(0x10, 0));
  EXPECT_THAT(code_of([](WasmBody& f) { f.call_indirect(WasmType{0}); }), ElementsAre(0x11, 0, 0));
  EXPECT_THAT(code_of([](WasmBody& f) { f.call_indirect({.params = {f32}}); }), ElementsAre(0x11, 1, 0));
}

TEST(WasmBody, MissesTheEndsThatAreNotThere) {
  EXPECT_EQ(problem_of([](WasmBody& f) { f.block().loop().end(); }),
            "function 0 (\"f\") is not closed: 2 end() missing at its end");
}

TEST(WasmBody, RefusesWhatComesAfterTheLastEnd) {
  const std::string problem =
      "function 0 (\"f\") gets an operator while its body is not open; an end() too many closes it early";
  EXPECT_EQ(problem_of([](WasmBody& f) { f.end().nop(); }), problem);
  EXPECT_EQ(problem_of([](WasmBody& f) { f.end().end(); }), problem);
  EXPECT_EQ(problem_of([](WasmBody& f) { f.end().local_get(0); }), problem);
  EXPECT_EQ(problem_of([](WasmBody& f) { f.end().local(i32); }), problem);
  EXPECT_EQ(problem_of([](WasmBody& f) { f.end().else_(); }), problem);
  EXPECT_EQ(problem_of([](WasmBody& f) { f.end().block().end(); }), problem);
}

TEST(WasmBody, RefusesAnElseWithoutItsIf) {
  const std::string problem = "function 0 (\"f\") has an else_() whose innermost open block is no if_()";
  EXPECT_EQ(problem_of([](WasmBody& f) { f.else_().end(); }), problem);
  EXPECT_EQ(problem_of([](WasmBody& f) { f.if_().block().else_().end().end().end(); }), problem);
  EXPECT_EQ(problem_of([](WasmBody& f) { f.if_().else_().else_().end().end(); }), problem);
}

TEST(WasmBody, RefusesBranchesToBlocksThatAreNotOpen) {
  EXPECT_EQ(problem_of([](WasmBody& f) { f.block().br(2).end().end(); }),
            "function 0 (\"f\") branches to depth 2 where 2 blocks are open, the function counted");
  EXPECT_THAT(problem_of([](WasmBody& f) { f.br_if(1).end(); }), HasSubstr("to depth 1 where 1 blocks"));
  EXPECT_THAT(problem_of([](WasmBody& f) { f.br_table({0, 5}, 0).end(); }), HasSubstr("to depth 5"));
  EXPECT_THAT(problem_of([](WasmBody& f) { f.br_table({0}, 7).end(); }), HasSubstr("to depth 7"));
  EXPECT_THAT(problem_of([](WasmBody& f) {
                const WasmLabel inner = f.block().label();
                f.end().br(inner).end();
              }),
              HasSubstr("the label of a block that is closed"));
}

TEST(WasmBody, RefusesIndicesThatNameNothing) {
  EXPECT_EQ(problem_of([](WasmBody& f) { f.local_get(1).end(); }),
            "function 0 (\"f\") names local 1, and has 1, parameters counted");
  EXPECT_THAT(problem_of([](WasmBody& f) { f.global_get({1}).end(); }), HasSubstr("names global 1"));
  EXPECT_THAT(problem_of([](WasmBody& f) { f.call({1}).end(); }), HasSubstr("calls function 1"));
  EXPECT_THAT(problem_of([](WasmBody& f) { f.call_indirect(WasmType{1}).end(); }), HasSubstr("with type 1"));
  EXPECT_THAT(problem_of([](WasmBody& f) { f.call_indirect(WasmType{0}, {1}).end(); }), HasSubstr("through table 1"));
  EXPECT_THAT(problem_of([](WasmBody& f) { f.constant(Value::from_bits(externref, 0)).end(); }),
              HasSubstr("a constant of type externref"));
}

TEST(WasmBody, ReportsTheFirstProblem) {
  EXPECT_THAT(problem_of([](WasmBody& f) { f.local_get(9).call({9}).else_(); }), HasSubstr("local 9"));
}

TEST(WasmBody, IsOpenedOneAtATime) {
  WasmBuilder module;
  auto f = module.function("f", {});
  f.block();
  auto g = module.function("g", {});
  g.end();
  f.end().end();
  EXPECT_EQ(
      module.build().error().message,
      "the body of function 1 (\"g\") is begun before that of function 0 (\"f\") is closed; 2 end() missing there");
}

TEST(WasmBody, IsGivenOnceAndToFunctionsOfTheModule) {
  WasmBuilder module;
  const WasmFunction imported = module.import_function("m", "g", {});
  auto f = module.function("f", {});
  f.end();
  module.body(f.index()).end();
  EXPECT_EQ(module.build().error().message, "function 1 (\"f\") is given a second body");

  module.clear();
  module.import_function("m", "g", {});
  module.body(imported).local_get(0).end();
  EXPECT_EQ(module.build().error().message, "function 0 is not of this module's own and can have no body");
}

// Calls in any order, with indices that may name nothing: bytes or an error, never a crash.
TEST(WasmBody, TakesAnySequenceOfCalls) {
  std::mt19937 random(1);
  const auto below = [&random](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  WasmBuilder module;
  int built = 0;
  for (int round = 0; round < 3000; ++round) {
    module.clear();
    std::vector<WasmBody> bodies{module.function("f", {.params = {i32}})};
    const std::uint32_t calls = below(12);
    for (std::uint32_t i = 0; i < calls; ++i) {
      WasmBody& body = bodies[below(static_cast<std::uint32_t>(bodies.size()))];
      switch (below(14)) {
        case 0: body.block(); break;
        case 1: body.loop({.params = {i32}, .results = {i32, i32}}); break;
        case 2: body.if_(i32); break;
        case 3: body.else_(); break;
        case 4: body.br(below(3)); break;
        case 5: body.br({.level = below(3)}); break;
        case 6: body.local_set(below(2)); break;
        case 7: body.local(f32); break;
        case 8: body.call({below(3)}); break;
        case 9: module.import_function("m", "g", {}); break;
        case 10: module.export_function("again", {below(2)}); break;
        case 11: bodies.push_back(module.body({below(2)})); break;
        default: body.end(); break;
      }
    }
    built += module.build() ? 1 : 0;
  }
  EXPECT_GT(built, 0);
  EXPECT_LT(built, 3000);
}

}  // namespace
}  // namespace petri
