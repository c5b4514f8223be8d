// Requests of guests that could be lost without a word.
#include <latch>

#include "runtime_fixture.h"

namespace petri {
namespace {

// Asks for a timer, without a petri_handle for it to ring in.
constexpr std::string_view kDeafTimer = R"((module
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (func (export "later") (result i32) (call $timer (i32.const 1) (i64.const 7)))))";

// Spawns what its input says.
constexpr std::string_view kPatron = R"((module
  (import "petri" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (memory 1)
  (func (export "spawn") (result i32)
    (call $spawn (i32.const 0) (call $input_read (i32.const 0) (i32.const 0) (i32.const 4096))))))";

// With the input "s" it never comes to an end of its start.
constexpr std::string_view kSlowStarter = R"((module
  (import "petri" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
  (memory 1)
  (func (export "petri_init") (result i32)
    (drop (call $input_read (i32.const 0) (i32.const 0) (i32.const 1)))
    (if (i32.eq (i32.load8_u (i32.const 0)) (i32.const 115)) (then (loop $again (br $again))))
    (i32.const 0))))";

class LostRequestsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {};

INSTANTIATE_TEST_SUITE_P(BothTiers, LostRequestsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// It was accepted and lost.
TEST_P(LostRequestsTest, ATimerThatNothingCouldHandleIsRefused) {
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(std::string(kDeafTimer))}}, .tier = GetParam()});
  const auto outcome = sandbox.call("later");
  ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::ok), "");
  EXPECT_EQ(outcome->values[0].i32(), static_cast<int>(GuestError::not_found));
}

// Two slow starts keep the tree busy until the guest has given up; then there is no pool any more. Its name stayed
// taken for good.
TEST_P(LostRequestsTest, ANameIsFreeAgainWhenTheChildIsRefusedAfterTheGuestGaveUp) {
  SupervisorSpec with_pool{.intensity = 100,
                           .children = {ChildSpec{.id = "patron", .module = "patron"},
                                        SupervisorSpec{.id = "pool",
                                                       .strategy = Strategy::simple_one_for_one,
                                                       .intensity = 100,
                                                       .children = {ChildSpec{.id = "slow", .module = "slow"}}}}};
  SupervisorSpec without_pool = with_pool;
  without_pool.children.pop_back();
  SandboxSpec spec{
      .id = "a",
      .modules = {{"patron", Source::wat(std::string(kPatron))}, {"slow", Source::wat(std::string(kSlowStarter))}},
      .tree = with_pool,
      .tier = GetParam()};
  spec.limits = {.execution_time_max = std::chrono::milliseconds(200)};
  Sandbox sandbox = create(std::move(spec));
  const auto spawn = [&](const std::string& input) {
    return sandbox.call(
        "spawn", {},
        {.process = "patron", .input = R"({"supervisor": "pool", "id": "kid", "input": ")" + input + "\"}"});
  };
  const testing::Pending first([&] { return sandbox.start_instance({.id = "x", .input = "s"}, "pool"); });
  const testing::Pending second([&] { return sandbox.start_instance({.id = "y", .input = "s"}, "pool"); });
  std::latch asking(1);
  const testing::Pending removing([&] {
    asking.count_down();
    return sandbox.update_tree(without_pool);
  });
  asking.wait();
  static_cast<void>(spawn("k"));
  static_cast<void>(first.wait());
  static_cast<void>(second.wait());
  EXPECT_TRUE(removing.wait());
  EXPECT_TRUE(sandbox.update_tree(with_pool));
  expect_soon([&] {
    const auto again = spawn("k");
    const bool spawned = again && !again->values.empty() && again->values[0].i32() == 0;
    return spawned ? "" : "the name is taken";
  });
}

}  // namespace
}  // namespace petri
