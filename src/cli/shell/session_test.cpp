#include "cli/shell/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;

TEST(Address, IsASandboxAndWhatIsInside) {
  EXPECT_EQ(Address::parse("orders").sandbox, "orders");
  EXPECT_EQ(Address::parse("orders").inside, "");
  EXPECT_EQ(Address::parse("orders/pool/worker").sandbox, "orders");
  EXPECT_EQ(Address::parse("orders/pool/worker").inside, "pool/worker");
  EXPECT_EQ(Address::parse("/x").sandbox, "");
}

constexpr const char* kAdder = R"((module
  (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)))";

TEST(ShellSession, KnowsTheCodeAndTheNamesOfItsSandboxes) {
  const auto session = ShellSession::create({.workers = 1});
  ASSERT_TRUE(session);
  const ArtifactPtr code = *Artifact::from_wat(kAdder, 1'000);
  const auto sandbox =
      (*session)->runtime().create_sandbox({.id = "a", .modules = {{"adder", Source::artifact(code)}}});
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  EXPECT_EQ((*session)->code_of(sandbox->info(), "adder"), nullptr);

  (*session)->remember_code("a", {code});
  EXPECT_EQ((*session)->code_of(sandbox->info(), "adder"), code);
  EXPECT_EQ((*session)->code_of(sandbox->info(), "other"), nullptr);
  EXPECT_EQ(ShellSession::module_of(*sandbox, ""), "adder");
  EXPECT_EQ(ShellSession::module_of(*sandbox, "nobody"), "");
  const KnownNames known = (*session)->known_names();
  EXPECT_THAT(known.sandboxes.at("a").functions, ElementsAre("add"));
  EXPECT_THAT(known.sandboxes.at("a").processes, ElementsAre("adder"));

  (*session)->forget_code("a");
  EXPECT_EQ((*session)->code_of(sandbox->info(), "adder"), nullptr);
}

TEST(ShellSession, LearnsTheCodeOfNewVersionsAndForgetsWhatIsGone) {
  const auto session = ShellSession::create({.workers = 1});
  ASSERT_TRUE(session);
  const ArtifactPtr first = *Artifact::from_wat(kAdder, 1'000);
  const ArtifactPtr second = *Artifact::from_wat(
      R"((module (func (export "add") (param i32 i32) (result i32) local.get 0) (func (export "more"))))", 1'000);
  SandboxSpec spec{.id = "a", .modules = {{"adder", Source::artifact(first)}}};
  spec.limits.versions_max = 1;
  auto sandbox = (*session)->runtime().create_sandbox(std::move(spec));
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  (*session)->remember_code("a", {first});
  const SandboxInfo before = sandbox->info();
  ASSERT_TRUE(sandbox->reload("adder", Source::artifact(second)));
  EXPECT_EQ((*session)->code_of(sandbox->info(), "adder"), nullptr);
  (*session)->learn_code(*sandbox, second);
  EXPECT_EQ((*session)->code_of(sandbox->info(), "adder"), second);
  const KnownNames known = (*session)->known_names();
  EXPECT_THAT(known.sandboxes.at("a").functions, ElementsAre("add", "more"));
  EXPECT_THAT(known.sandboxes.at("a").versions.at("adder"), ElementsAre("2"));
  EXPECT_EQ((*session)->code_of(before, "adder"), nullptr);
}

TEST(ShellSession, KeepsEventsItWaitedForUntilTheyAreTaken) {
  const auto session = ShellSession::create({.workers = 1});
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->listen({.kinds = {EventKind::sandbox_created, EventKind::sandbox_destroyed}}));
  ASSERT_TRUE((*session)->runtime().create_sandbox({.id = "a", .modules = {{"adder", Source::wat(kAdder)}}}));
  ASSERT_TRUE((*session)->runtime().destroy("a"));
  EXPECT_EQ((*session)->wait_for_event(Subscription::TimePoint::max())->kind, EventKind::sandbox_created);
  const auto events = (*session)->take_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1]->kind, EventKind::sandbox_destroyed);
  EXPECT_TRUE((*session)->take_events().empty());
  EXPECT_TRUE((*session)->took_event(EventKind::sandbox_created));
  EXPECT_FALSE((*session)->took_event(EventKind::sandbox_created));
}

}  // namespace
}  // namespace petri::cli
