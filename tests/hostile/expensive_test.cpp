// Family C: modules made to be expensive before any of them runs. The bounds one by one are in
// engine/tests/refusals.rs.
#include "hostile/hostile_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

class HostileExpense : public HostileFixture {
 protected:
  static std::string repeated(std::string_view part, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += part;
    return all;
  }
  static std::string function_of(const std::string& body) {
    return "(module (func (export \"f\") (result i32) (local i32)" + body + "(local.get 0)))";
  }
  // A custom section of this size after a module whose `f` answers 7.
  static std::vector<std::uint8_t> with_section(std::string_view name, std::size_t bytes) {
    std::vector<std::uint8_t> module{0, 'a', 's', 'm', 1, 0, 0,   0, 1, 5,  1, 0x60, 0, 1, 0x7f, 3, 2,
                                     1, 0,   7,   5,   1, 1, 'f', 0, 0, 10, 6, 1,    4, 0, 0x41, 7, 0x0b};
    module.push_back(0);
    std::size_t length = 1 + name.size() + bytes;
    for (; length >= 128; length /= 128) module.push_back(static_cast<std::uint8_t>(length % 128 + 128));
    module.push_back(static_cast<std::uint8_t>(length));
    module.push_back(static_cast<std::uint8_t>(name.size()));
    module.insert(module.end(), name.begin(), name.end());
    module.resize(module.size() + bytes);
    return module;
  }
};

// C01
TEST_P(HostileExpense, MayNotBeOneEndlessFunction) {
  covers("C01");
  const auto refused = runtime_->create_sandbox(hostile_spec(function_of(repeated("(drop (i32.const 0))", 30'000))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::rejected);
  EXPECT_THAT(refused.error().message, HasSubstr("exceeds the bound body_bytes"));
}

// C04; with PETRI_COPIES=100 also C10: the canaries' answers tell how others fare meanwhile
TEST_P(HostileExpense, LoadsManyBlocksOrIsRefused) {
  covers("C04 C10");
  const std::string_view step = "(block) (local.set 0 (i32.xor (local.get 0) (i32.const 1)))";
  EXPECT_EQ(runtime_->create_sandbox(hostile_spec(function_of(repeated(step, 15'000)))).error().code,
            ErrorCode::rejected);
  Sandbox sandbox = attack(function_of(repeated(step, 6'000)));
  EXPECT_EQ(testing::not_value(sandbox.call("f"), 0), "");
}

// C06
TEST_P(HostileExpense, CallsTenToThePowerOfThirtyTimes) {
  covers("C06");
  std::string module = "(module (func $f30)";
  for (int i = 0; i < 30; ++i) {
    module += "(func $f" + std::to_string(i) + (i == 0 ? " (export \"f\")" : "") +
              repeated("(call $f" + std::to_string(i + 1) + ")", 10) + ")";
  }
  Sandbox sandbox = attack(module + ")", {.fuel_max = fuel()});
  EXPECT_EQ(testing::not_kind(sandbox.call("f"), OutcomeKind::out_of_fuel), "");
}

// C08
TEST_P(HostileExpense, IsNotHelpedByWhatItCarries) {
  covers("C08");
  SandboxSpec large = hostile_spec("(module)"), debug = hostile_spec("(module)");
  large.modules[0].source = Source::wasm(with_section("freight", std::size_t{64} << 20));
  EXPECT_EQ(runtime_->create_sandbox(std::move(large)).error().code, ErrorCode::module_too_large);
  debug.modules[0].source = Source::wasm(with_section(".debug_info", std::size_t{4} << 20));
  Sandbox sandbox = create(std::move(debug));
  EXPECT_EQ(testing::not_value(sandbox.call("f"), 7), "");
}

// C11
TEST_P(HostileExpense, IsRefusedInTheSameWordsEachTime) {
  covers("C11");
  const std::string bad = function_of(repeated("(drop (i32.const 0))", 30'000));
  const auto first = runtime_->create_sandbox(hostile_spec(bad));
  ASSERT_FALSE(first);
  for (int i = 0; i < times(20, 1'000); ++i) {
    const auto again = timed(Latency::refusal, [&] { return runtime_->create_sandbox(hostile_spec(bad)); });
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error(), first.error());
  }
}

// C01: constant expressions are evaluated by native recursion
TEST_P(HostileExpense, MayNotBeAConstantAsDeepAsTheStack) {
  covers("C01");
  const auto sum = [](int terms) { return "(i32.const 0) " + repeated("(i32.const 0) i32.add ", terms); };
  for (const std::string& place :
       {"(global i32 " + sum(180'000) + ")", "(memory 1) (data (offset " + sum(180'000) + ") \"x\")",
        "(table 1 funcref) (func $f) (elem (offset " + sum(80'000) + ") $f)"}) {
    const auto refused = runtime_->create_sandbox(hostile_spec("(module " + place + ")"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::rejected);
    EXPECT_THAT(refused.error().message, HasSubstr("exceeds the bound constant_operators"));
  }
}

// C04: targets of branches times locals
TEST_P(HostileExpense, MayNotBranchEverywhereWithEverything) {
  covers("C04");
  const std::string table = "(block (br_table " + repeated("0 ", 8'000) + " 0 (local.get 0)))";
  const auto refused =
      runtime_->create_sandbox(hostile_spec(function_of("(local " + repeated("i32 ", 500) + ")" + table)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::rejected);
  EXPECT_THAT(refused.error().message, HasSubstr("exceeds the bound load_points"));
}

// C04: branches to one place times locals that are set before them
TEST_P(HostileExpense, MayNotLeaveABlockFromEverywhereWithOtherLocals) {
  covers("C04");
  std::string steps;
  for (int i = 0; i < 800; ++i) {
    steps += "(br_if 0 (local.get 0)) (local.set " + std::to_string(1 + i % 400) + " (i32.const 1))";
  }
  const auto refused = runtime_->create_sandbox(
      hostile_spec(function_of("(local " + repeated("i32 ", 400) + ") (block " + steps + ")")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::rejected);
  EXPECT_THAT(refused.error().message, HasSubstr("exceeds the bound load_points"));
}

// C01: what is refused is refused at once, whatever it would take to look at all of it
TEST_P(HostileExpense, IsRefusedBeforeItIsLookedAtClosely) {
  covers("C01");
  const std::string values = repeated("i32 ", 900), code = repeated("block (type $t) end ", 20'000);
  const std::string vectors = "(func (param v128)) (type $t (func (param " + values + ") (result " + values + ")))";
  const auto from = std::chrono::steady_clock::now();
  const auto refused = timed(Latency::refusal, [&] {
    return runtime_->create_sandbox(hostile_spec("(module " + vectors + "(func unreachable " + code + "))"));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(5));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("uses SIMD"));
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileExpense);

}  // namespace
}  // namespace petri
