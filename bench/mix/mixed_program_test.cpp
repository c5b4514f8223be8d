#include "bench/mix/mixed_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "bench/evaluation_job.h"
#include "petri/artifact.h"

namespace petri::bench::mix {
namespace {

constexpr std::uint64_t kSome = 1'200;

std::vector<std::uint8_t> module_of(std::uint64_t seed, std::uint64_t number) {
  WasmBuilder builder;
  std::vector<std::uint8_t> bytes;
  EXPECT_TRUE(build_program(draw_program(seed, number), builder, bytes)) << number;
  return bytes;
}

TEST(Mix, IsAThirdStraightAThirdBranchesASixthLoopsASixthCallsOrMemory) {
  std::map<ProgramShape, int> counts;
  for (std::uint64_t number = 0; number < kSome; ++number) ++counts[draw_program(kMixSeed, number).shape];
  EXPECT_EQ(counts[ProgramShape::straight], 400);
  EXPECT_EQ(counts[ProgramShape::branches], 400);
  EXPECT_EQ(counts[ProgramShape::loop], 200);
  EXPECT_EQ(counts[ProgramShape::calls], 100);
  EXPECT_EQ(counts[ProgramShape::memory], 100);
}

bool has_node(const MixedProgram& program, Node::Kind kind) {
  const auto is_it = [kind](const Node& node) { return node.kind == kind; };
  const auto in_value = [&](const Statement& statement) { return std::ranges::any_of(statement.value, is_it); };
  return std::ranges::any_of(program.result, is_it) || std::ranges::any_of(program.statements, in_value);
}

bool has_statement(const MixedProgram& program, Statement::Kind kind) {
  return std::ranges::any_of(program.statements, [kind](const Statement& one) { return one.kind == kind; });
}

TEST(Mix, HasWhatEachShapeIsCalledAfterAndNothingElse) {
  for (std::uint64_t number = 0; number < kSome; ++number) {
    const MixedProgram program = draw_program(kMixSeed, number);
    EXPECT_EQ(has_node(program, Node::Kind::choice), program.shape == ProgramShape::branches) << number;
    EXPECT_EQ(has_statement(program, Statement::Kind::repeat), program.shape == ProgramShape::loop) << number;
    EXPECT_EQ(has_node(program, Node::Kind::call), program.shape == ProgramShape::calls) << number;
    EXPECT_EQ(has_statement(program, Statement::Kind::store), program.shape == ProgramShape::memory) << number;
    EXPECT_EQ(program.statements.empty(),
              program.shape == ProgramShape::straight || program.shape == ProgramShape::calls)
        << number;
  }
}

TEST(Mix, HasValidModulesOfSixtyToFourHundredBytesOfWhichNoTwoAreAlike) {
  std::set<std::vector<std::uint8_t>> seen;
  std::size_t least = 1'000, most = 0;
  for (std::uint64_t number = 0; number < kSome; ++number) {
    const auto bytes = module_of(kMixSeed, number);
    const auto artifact = Artifact::from_wasm(bytes, 1'024);
    EXPECT_TRUE(artifact) << number << ": " << artifact.error().message;
    EXPECT_TRUE(seen.insert(bytes).second) << number;
    least = std::min(least, bytes.size());
    most = std::max(most, bytes.size());
  }
  EXPECT_GE(least, 60U);
  EXPECT_LE(most, 400U);
  EXPECT_GE(most, 250U) << "the mix has small modules only";
}

TEST(Mix, IsTheSameForTheSameSeedAndAnotherForAnother) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    EXPECT_EQ(module_of(3, number), module_of(3, number)) << number;
    EXPECT_NE(module_of(3, number), module_of(4, number)) << number;
  }
}

TEST(Mix, ComputesInPetriWhatTheProgramSays) {
  auto job = EvaluationJob::create();
  ASSERT_TRUE(job);
  auto batch = CandidateBatch::of_mix(0, kSome);
  ASSERT_TRUE(batch);
  const auto evaluation = job->evaluate(*batch, {.records = false});
  ASSERT_TRUE(evaluation);
  for (std::uint64_t number = 0; number < kSome; ++number) {
    const Record& record = evaluation->records[number];
    const MixedProgram program = draw_program(kMixSeed, number);
    ASSERT_EQ(record.outcome, OutcomeKind::ok) << number;
    ASSERT_EQ(record.value_bits.size(), 20U);
    for (int x = 0; x < 20; ++x) {
      const double value = value_of(program, x);
      EXPECT_TRUE(std::isfinite(value)) << number;
      EXPECT_EQ(record.value_bits[x], std::bit_cast<std::uint64_t>(value)) << number << " at " << x;
    }
  }
}

TEST(Mix, IsWrittenInPythonAndJavaScript) {
  using enum Node::Kind;
  const MixedProgram program{.shape = ProgramShape::branches,
                             .helper = {},
                             .statements = {{.kind = Statement::Kind::set,
                                             .value = {{.kind = choice},
                                                       {.kind = x},
                                                       {.kind = constant, .value = -0.5},
                                                       {.kind = x},
                                                       {.kind = root},
                                                       {.kind = x}}},
                                            {.kind = Statement::Kind::leave,
                                             .value = {{.kind = y}},
                                             .left = {{.kind = x}},
                                             .right = {{.kind = y}}}},
                             .result = {{.kind = quotient}, {.kind = constant, .value = 1}, {.kind = y}}};
  EXPECT_EQ(python_of(program),
            "def f(x):\n"
            "    y = (x if x < (-0.5) else sqrt(abs(x)))\n"
            "    if x < y:\n"
            "        return y\n"
            "    return (1.0 / (abs(y) + 1.0))\n");
  EXPECT_EQ(javascript_of(program),
            "(() => {\nfunction f(x) {\nlet y = 0;\n"
            "y = (x < (-0.5) ? x : Math.sqrt(Math.abs(x)));\n"
            "if (x < y) return y;\n"
            "return (1.0 / (Math.abs(y) + 1.0));\n}\nreturn f;\n})()");
}

}  // namespace
}  // namespace petri::bench::mix
