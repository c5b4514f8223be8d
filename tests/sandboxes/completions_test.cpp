// Completions that use the sandbox they come from.
#include <future>

#include "runtime_fixture.h"

namespace petri {
namespace {

class CompletionsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  SandboxSpec spec() const {
    SandboxSpec spec = tree(Strategy::one_for_one, {"c", "d"});
    spec.tier = GetParam();
    return spec;
  }
  // What a completion of a call of c is answered when it does this.
  template <typename Verb>
  static std::string in_completion(Sandbox& sandbox, Verb verb) {
    std::promise<std::string> answer;
    const auto called = sandbox.call_async("next", {}, {.process = "c"}, [&](const Result<Outcome>&) {
      const Result<void> done = verb();
      answer.set_value(done ? "ok" : std::string(name_of(done.error().code)) + ": " + done.error().message);
    });
    EXPECT_TRUE(called);
    return answer.get_future().get();
  }
};

INSTANTIATE_TEST_SUITE_P(BothTiers, CompletionsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// They waited for themselves, for ever.
TEST_P(CompletionsTest, CannotEndTheSandboxThatWaitsForThem) {
  Sandbox sandbox = create(spec());
  const std::string refused =
      "deadlock: a completion of the process c cannot end the sandbox a, which would wait for it; do that on another "
      "thread";
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.stop(); }), refused);
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.restart(); }), refused);
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.restart({.keep_state = true}); }), refused);
  EXPECT_EQ(in_completion(sandbox, [&] { return runtime_->destroy("a"); }), refused);
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.stop_child("c"); }),
            "deadlock: a completion of the process c cannot end the child c, which would wait for it; do that on "
            "another thread");
  EXPECT_EQ(next(sandbox, "c"), 6) << "it has answered each";
}

TEST_P(CompletionsTest, EndOtherChildrenAndOtherSandboxes) {
  Sandbox sandbox = create(spec());
  create(counter("b"));
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.stop_child("d"); }), "ok");
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.restart_child("d"); }), "ok");
  EXPECT_EQ(in_completion(sandbox, [&] { return runtime_->stop("b"); }), "ok");
  EXPECT_EQ(in_completion(sandbox, [&] { return runtime_->destroy("b"); }), "ok");
}

TEST_P(CompletionsTest, OfRunsEndTheirSandbox) {
  Sandbox sandbox = create(spec());
  std::promise<bool> answer;
  ASSERT_TRUE(sandbox.run_async("counter", "next", {}, {},
                                [&](const Result<Outcome>&) { answer.set_value(sandbox.stop().has_value()); }));
  EXPECT_TRUE(answer.get_future().get());
  EXPECT_EQ(sandbox.status(), SandboxStatus::stopped);
}

}  // namespace
}  // namespace petri
