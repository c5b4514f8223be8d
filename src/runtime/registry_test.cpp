#include "runtime/registry.h"

#include <gmock/gmock.h>

#include "base/access.h"
#include "runtime/runtime_impl.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

class RegistryFaultTest : public ::testing::Test {
 protected:
  void make(const std::string& id) {
    EXPECT_TRUE(runtime_->create_sandbox(
        {.id = id, .modules = {{"m", Source::wat("(module (func (export \"f\") (result i32) (i32.const 1)))")}}}));
  }
  std::vector<std::string> listed() const {
    std::vector<std::string> all;
    for (const SandboxInfo& info : runtime_->list().sandboxes) all.push_back(info.id);
    return all;
  }
  bool answers(const std::string& id) {
    auto sandbox = runtime_->find(id);
    return sandbox && sandbox->call("f");
  }
  std::unique_ptr<Runtime> runtime_ = *Runtime::create({.gc_interval = std::chrono::nanoseconds(0)});
  Registry& registry_ = detail::Access::impl(*runtime_).registry;
};

TEST_F(RegistryFaultTest, ARowWithoutASandboxAndASandboxWithoutItsRowArePutRight) {  // G11
  for (const char* id : {"gone", "unfindable", "unlisted", "alive"}) make(id);
  registry_.find("gone")->destroy();
  registry_.lose_id("unfindable");
  registry_.lose_place("unlisted");
  EXPECT_FALSE(runtime_->info("unfindable"));
  EXPECT_THAT(listed(), ElementsAre("gone", "unfindable", "alive"));

  EXPECT_EQ(runtime_->collect().rows, 3U);
  EXPECT_THAT(listed(), ElementsAre("unfindable", "alive", "unlisted"));
  EXPECT_FALSE(runtime_->info("gone"));
  for (const char* id : {"unfindable", "unlisted", "alive"}) EXPECT_TRUE(answers(id)) << id;
  EXPECT_EQ(runtime_->collect().rows, 0U);
}

TEST_F(RegistryFaultTest, OfTwoSandboxesWithOneIdThatWhichIsFoundStays) {  // G11
  make("a");
  registry_.lose_id("a");
  make("a");
  EXPECT_EQ(runtime_->list().total, 2U);
  EXPECT_EQ(runtime_->collect().rows, 1U);
  EXPECT_THAT(listed(), ElementsAre("a"));
  EXPECT_TRUE(answers("a"));
}

TEST_F(RegistryFaultTest, OneThatSomebodyHasIsNotRemovedAsUnused) {  // G13
  make("a");
  CorePtr core = registry_.find("a");
  const CorePtr another = core;
  EXPECT_FALSE(registry_.remove_unused(core));
  EXPECT_TRUE(runtime_->info("a"));
}

TEST_F(RegistryFaultTest, ManyAreLookedAtAFewAtATime) {  // G11
  for (int i = 0; i < 600; ++i) make("s" + std::to_string(i));
  for (int i = 0; i < 600; i += 3) registry_.lose_id("s" + std::to_string(i));
  for (int i = 1; i < 600; i += 3) registry_.lose_place("s" + std::to_string(i));
  EXPECT_EQ(runtime_->collect().rows, 400U);
  EXPECT_EQ(runtime_->list().total, 600U);
  EXPECT_TRUE(answers("s0"));
  EXPECT_TRUE(answers("s1"));
}

}  // namespace
}  // namespace petri
