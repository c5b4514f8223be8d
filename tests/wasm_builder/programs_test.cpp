// Whole programs out of the builder, run in both tiers.
#include <gmock/gmock.h>

#include "built_module.h"

namespace petri {
namespace {

using enum ValueType;
using testing::ElementsAre;

// The example of the header.
TEST(BuiltProgram, SumsSquares) {
  WasmBuilder module;
  auto square = module.function({.params = {f64}, .results = {f64}});
  square.local_get(0).local_get(0).f64_mul().end();

  auto sum = module.function("sum_of_squares", {.params = {i32}, .results = {f64}});
  const auto total = sum.local(f64);
  // clang-format off
  sum.block().loop()
      .local_get(0).i32_eqz().br_if(1)
      .local_get(0).f64_convert_i32_s().call(square.index())
      .local_get(total).f64_add().local_set(total)
      .local_get(0).i32_const(1).i32_sub().local_set(0)
      .br(0).end().end()
      .local_get(total).end();
  // clang-format on
  EXPECT_THAT(values_of(accepted(module), "sum_of_squares", {4}), ElementsAre(Value(30.0)));
}

TEST(BuiltProgram, ChoosesByBranchTable) {
  WasmBuilder module;
  auto f = module.function("f", {.params = {i32}, .results = {i32}});
  f.block().block().block().local_get(0).br_table({0, 1}, 2).end();
  f.i32_const(10).return_().end();
  f.i32_const(20).return_().end();
  f.i32_const(30).end();
  const ArtifactPtr artifact = accepted(module);
  EXPECT_THAT(values_of(artifact, "f", {0}), ElementsAre(Value(10)));
  EXPECT_THAT(values_of(artifact, "f", {1}), ElementsAre(Value(20)));
  EXPECT_THAT(values_of(artifact, "f", {2}), ElementsAre(Value(30)));
  EXPECT_THAT(values_of(artifact, "f", {-1}), ElementsAre(Value(30)));
}

// A comparator of a sorting network: a pair goes in, the pair in order comes out.
TEST(BuiltProgram, CarriesSeveralValuesThroughBlocks) {
  WasmBuilder module;
  auto sort = module.function("sort", {.params = {i32, i32}, .results = {i32, i32}});
  sort.local_get(0).local_get(1).local_get(0).local_get(1).i32_gt_s();
  sort.if_({.params = {i32, i32}, .results = {i32, i32}}).local_set(0).local_set(1).local_get(0).local_get(1).end();
  sort.end();
  const ArtifactPtr artifact = accepted(module);
  EXPECT_THAT(values_of(artifact, "sort", {5, 2}), ElementsAre(Value(2), Value(5)));
  EXPECT_THAT(values_of(artifact, "sort", {2, 5}), ElementsAre(Value(2), Value(5)));
}

TEST(BuiltProgram, CallsThroughItsTables) {
  WasmBuilder module;
  const WasmSignature binary{.params = {f64, f64}, .results = {f64}};
  auto add = module.function(binary);
  add.local_get(0).local_get(1).f64_add().end();
  auto mul = module.function(binary);
  mul.local_get(0).local_get(1).f64_mul().end();
  const WasmTable unused = module.table({.slots_min = 1});
  const WasmTable rules = module.table({.slots_min = 3});
  module.elements(unused, 0, {add.index()});
  module.elements(rules, 1, {add.index(), mul.index()});
  auto f = module.function("f", {.params = {i32}, .results = {f64}});
  f.f64_const(3).f64_const(4).local_get(0).call_indirect(binary, rules).end();
  const ArtifactPtr artifact = accepted(module);
  EXPECT_THAT(values_of(artifact, "f", {1}), ElementsAre(Value(7.0)));
  EXPECT_THAT(values_of(artifact, "f", {2}), ElementsAre(Value(12.0)));
  EXPECT_EQ(run_both(artifact, "f", {0}).trap, TrapCode::indirect_call_to_null);
  EXPECT_EQ(run_both(artifact, "f", {3}).trap, TrapCode::table_out_of_bounds);
}

TEST(BuiltProgram, RecursesThroughDeclaredFunctions) {
  WasmBuilder module;
  const WasmSignature predicate{.params = {i32}, .results = {i32}};
  const WasmFunction even = module.declare(predicate);
  const WasmFunction odd = module.declare(predicate);
  module.export_function("even", even);
  const auto define = [&module](WasmFunction self, WasmFunction other, std::int32_t of_zero) {
    auto body = module.body(self);
    body.local_get(0).i32_eqz().if_(i32).i32_const(of_zero);
    body.else_().local_get(0).i32_const(1).i32_sub().call(other).end().end();
  };
  define(odd, even, 0);
  define(even, odd, 1);
  EXPECT_THAT(values_of(accepted(module), "even", {100}), ElementsAre(Value(1)));
  EXPECT_THAT(values_of(accepted(module), "even", {77}), ElementsAre(Value(0)));
}

TEST(BuiltProgram, ReadsDataAndKeepsGlobals) {
  WasmBuilder module;
  module.memory({.pages_min = 1});
  module.data(65'532, "\x01\x02\x03\x04");
  const WasmGlobal count = module.global({.initial = std::int64_t{40}, .is_mutable = true});
  auto start = module.function({});
  start.global_get(count).i64_const(2).i64_add().global_set(count).end();
  module.start(start.index());
  auto f = module.function("f", {.params = {}, .results = {i32, i64}});
  f.i32_const(65'000).i32_load(532).global_get(count).end();
  EXPECT_THAT(values_of(accepted(module), "f"), ElementsAre(Value(0x0403'0201), Value(std::int64_t{42})));
}

TEST(BuiltProgram, ImportsWhatTheHostOffers) {
  WasmBuilder module;
  const WasmFunction sqrt_of_sum = module.import_function("math", "hypot", {.params = {f64, f64}, .results = {f64}});
  module.function("f", {.params = {}, .results = {f64}}).f64_const(3).f64_const(4).call(sqrt_of_sum).end();
  EXPECT_THAT(values_of(accepted(module), "f"), ElementsAre(Value(5.0)));
}

TEST(BuiltProgram, IsDescribedAsItWasBuilt) {
  WasmBuilder module;
  module.import_function("math", "sin", {.params = {f64}, .results = {f64}});
  module.memory({.pages_min = 2, .pages_max = 7});
  module.export_memory("memory");
  module.export_global("limit", module.global({.initial = 2.0F}));
  auto rule = module.function("rule", {.params = WasmTypes::repeated(i64, 64)});
  rule.end();
  module.name_function(rule.index(), "the rule");
  const ArtifactPtr artifact = accepted(module);
  EXPECT_EQ(artifact->info().memory_pages_min, 2U);
  EXPECT_EQ(artifact->info().memory_pages_max, 7U);
  EXPECT_EQ(artifact->find_export("rule")->signature.params.size(), 64U);
  EXPECT_EQ(artifact->find_export("limit")->global_type, f32);
  EXPECT_EQ(artifact->find_export("memory")->kind, ExternKind::memory);
  EXPECT_EQ(artifact->function_name(rule.index().index), "the rule");
}

TEST(BuiltProgram, NamesItsFunctionsAsTextDoes) {
  WasmBuilder module;
  auto first = module.function({});
  first.end();
  auto second = module.function("go", {});
  second.call(first.index()).end();
  module.name_function(second.index(), "second");
  module.name_function(first.index(), "first");
  EXPECT_EQ(module.build().value(), bytes_of_text("(module (func $first) (func $second (export \"go\") call $first))"));
}

// The builder does not look at the stack; the gate does.
TEST(BuiltProgram, IsRefusedByTheGateWhenItsTypesAreWrong) {
  WasmBuilder module;
  module.function("f", {.params = {}, .results = {f64}}).i32_const(1).end();
  const auto artifact = Artifact::from_wasm(module.build().value(), kModuleBytesMax);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, ErrorCode::rejected);
}

TEST(BuiltProgram, MayBeLarge) {
  WasmBuilder module;
  auto f = module.function("f", {.params = {i32}, .results = {i32}});
  f.local_get(0);
  std::int32_t expected = 5;
  for (std::int32_t i = 0; i < 5'000; ++i) {
    f.i32_const(i).i32_add().i32_const(i).i32_xor();
    expected = (expected + i) ^ i;
  }
  f.end();
  EXPECT_THAT(values_of(accepted(module), "f", {5}), ElementsAre(Value(expected)));
}

}  // namespace
}  // namespace petri
