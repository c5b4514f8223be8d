// What the host does for guests is on the account of their sandbox, and held to cpu_percent_max as they are.
#include "base/kernel_clock.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

constexpr int kMessages = 40'000;

// Sends itself a message after the other; what it does with each takes no time.
constexpr std::string_view kSendsItself = R"((module
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "m")
  (global $left (mut i32) (i32.const 0))
  (func $more (drop (call $send (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0))))
  (func (export "go") (param i32) (global.set $left (local.get 0)) (call $more))
  (func (export "left") (result i32) (global.get $left))
  (func (export "petri_handle") (result i32)
    (global.set $left (i32.sub (global.get $left) (i32.const 1)))
    (if (global.get $left) (then (call $more)))
    (i32.const 0))))";

class HostWorkTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  static std::uint64_t cpu_ns(const Sandbox& sandbox) {
    return static_cast<std::uint64_t>(sandbox.usage().cpu_time.count());
  }
};

INSTANTIATE_TEST_SUITE_P(BothTiers, HostWorkTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// attack A5: with cpu_percent_max of 10 a guest that sends itself messages had 36 % of a processor.
TEST_P(HostWorkTest, IsOnTheAccountOfTheSandboxItIsDoneFor) {
  Sandbox sandbox = create({.id = "a",
                            .modules = {{"m", Source::wat(std::string(kSendsItself))}},
                            .limits = {{"cpu_percent_max", 200}},
                            .tier = GetParam()});
  const std::uint64_t before = kernel_ns(CLOCK_PROCESS_CPUTIME_ID), account = cpu_ns(sandbox);
  ASSERT_EQ(testing::not_kind(sandbox.call("go", {Value(kMessages)}), OutcomeKind::ok), "");
  expect_soon([&] { return testing::not_value(call(sandbox, "left"), Value(0)); });
  const std::uint64_t used = kernel_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
  EXPECT_GT(cpu_ns(sandbox) - account, used / 10 * 6) << "of " << used;
}

}  // namespace
}  // namespace petri
