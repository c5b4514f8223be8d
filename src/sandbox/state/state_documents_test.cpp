#include "sandbox/state/state_documents.h"

#include <gmock/gmock.h>

#include "sandbox/reload/code_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

class StateDocumentsTest : public CodeFixture {
 protected:
  StateDocumentsTest() {
    run("counter");
    set_running();
  }
  StateDocuments documents() {
    return StateDocuments({.policy = policy_, .owner = owner_, .processes = processes_, .aftermath = aftermath()});
  }
};

TEST_F(StateDocumentsTest, ReadAndWriteWhatAProcessKnows) {
  ASSERT_EQ(ask("counter", "next"), 1);
  const auto state = documents().state("counter");
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(std::get<std::int64_t>(*state->get("count")), 1);
  ASSERT_TRUE(documents().update({{.name = "count", .value = StateValue(std::int64_t{7})}}, ""));
  EXPECT_EQ(ask("counter", "next"), 8);
}

TEST_F(StateDocumentsTest, WriteAllOrNothing) {
  const std::vector<StateUpdate> updates{{.name = "count", .value = StateValue(std::int64_t{7})},
                                         {.name = "other", .value = StateValue(std::int64_t{7})}};
  EXPECT_FALSE(documents().update(updates, "counter"));
  EXPECT_EQ(ask("counter", "next"), 1);
}

TEST_F(StateDocumentsTest, WaitForTheMessageTheProcessIsAt) {
  policy_.quiet_wait_max = std::chrono::milliseconds(1);
  Process& process = *running_.at("counter");
  ASSERT_EQ(process.entrance().try_take(), Entrance::Taken::taken);
  EXPECT_EQ(refusal(documents().state("counter")), "busy: the process counter did not come to rest in time");
  process.entrance().put_back();
  EXPECT_TRUE(documents().state("counter"));
}

TEST_F(StateDocumentsTest, AreThereWhileTheSandboxRuns) {
  EXPECT_THAT(refusal(documents().state("other")), HasSubstr("not_found: the sandbox a has no process other"));
  for (const LifecycleEvent event : {LifecycleEvent::end, LifecycleEvent::ended}) standing_.advance(event);
  EXPECT_THAT(refusal(documents().state("counter")), HasSubstr("rejected: the sandbox a is stopped"));
}

}  // namespace
}  // namespace petri
