// Completions that use the sandbox they come from.
#include <fmt/format.h>

#include <future>
#include <optional>

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
  // The answer that a completion of a call of c gets when it does this.
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

// A call without a time-out waited for ever, the others for five seconds.
TEST_P(CompletionsTest, CannotWaitForTheProcessThatTheyAnswerFor) {
  Sandbox sandbox = create(spec());
  const auto refused = [](std::string_view doing) {
    return fmt::format(
        "deadlock: a completion of the process c cannot {}, which would wait for it; do that on another "
        "thread",
        doing);
  };
  const auto as_void = [](const auto& result) -> Result<void> {
    if (result) return {};
    return fail(result.error());
  };
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ(in_completion(sandbox, [&] { return as_void(call(sandbox, "next", "c")); }), refused("call c"));
  EXPECT_EQ(in_completion(sandbox, [&] { return as_void(sandbox.state("c")); }), refused("use the state of c"));
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.update_state({}, "c"); }), refused("use the state of c"));
  EXPECT_EQ(in_completion(sandbox, [&] { return as_void(sandbox.snapshot()); }),
            refused("take a snapshot of the sandbox a"));
  EXPECT_EQ(in_completion(sandbox, [&] { return as_void(runtime_->fork("a", "twin")); }),
            refused("take a snapshot of the sandbox a"));
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.restore(*snapshot); }), refused("restore the module counter"));
  EXPECT_EQ(in_completion(sandbox, [&] { return sandbox.update_tree({}); }),
            refused("change the tree of the sandbox a"));
  std::string changed(kCounter);
  changed.insert(changed.rfind(')'), R"((func (export "more")))");
  EXPECT_EQ(in_completion(sandbox, [&] { return as_void(sandbox.reload("counter", Source::wat(changed))); }),
            refused("reload the module counter"));
  EXPECT_EQ(in_completion(sandbox, [&] { return as_void(call(sandbox, "next", "d")); }), "ok");
}

TEST_P(CompletionsTest, OfADeterministicSandboxCannotCallAnyProcessOfIt) {
  SandboxSpec wanted = spec();
  wanted.deterministic = true;
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(
      in_completion(sandbox,
                    [&]() -> Result<void> {
                      const auto called = call(sandbox, "next", "d");
                      if (called) return {};
                      return fail(called.error());
                    }),
      "deadlock: a completion of the process c cannot call d, which would wait for it; do that on another thread");
}

// It waited for itself.
TEST_P(CompletionsTest, NorCanHostFunctionsThatItsGuestsCall) {
  RuntimeOptions options = without_containment();
  std::optional<Sandbox> sandbox;
  std::vector<std::string> answers;
  const auto note = [&](const auto& result) { answers.push_back(result ? "ok" : result.error().message); };
  ASSERT_TRUE(options.host.define("host", "act", [&] {
    note(sandbox->stop());
    note(sandbox->call("act"));
    note(sandbox->state());
  }));
  runtime_ = std::move(*Runtime::create(std::move(options)));
  sandbox = create({.id = "a",
                    .modules = {{"m", Source::wat(R"((module (import "host" "act" (func $act))
                      (func (export "act") (call $act))))")}},
                    .tier = GetParam()});
  EXPECT_EQ(testing::not_kind(sandbox->call("act"), OutcomeKind::ok), "");
  const std::string who = "a host function that was called by the process m cannot ";
  const std::string why = ", which would wait for it; do that on another thread";
  EXPECT_THAT(answers, ::testing::ElementsAre(who + "end the sandbox a" + why, who + "call m" + why,
                                              who + "use the state of m" + why));
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
