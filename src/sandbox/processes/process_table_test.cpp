#include "sandbox/processes/process_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/process_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Reach = ProcessTable::Reach;
using Where = ProcessTable::Where;

constexpr bool kSpecTree = false, kSpawnedTree = true;

class ProcessTableTest : public ::testing::Test {
 protected:
  ProcessTableTest() {
    for (const LifecycleEvent event : {LifecycleEvent::load, LifecycleEvent::start, LifecycleEvent::started}) {
      standing_.advance(event);
    }
  }
  ProcessPtr place(const std::string& address, bool by_spawned_tree = kSpecTree) {
    auto placed = table_.place(owner_, address, by_spawned_tree);
    EXPECT_TRUE(placed);
    return placed ? *placed : nullptr;
  }
  // The name of the process that is meant, or why there is none.
  std::string meant(std::string_view address, Reach reach = Reach::live) {
    const auto found = table_.addressee(address, reach);
    return found ? (*found)->name() : fmt::format("{}: {}", name_of(found.error().code), found.error().message);
  }
  static std::vector<std::string> names(const std::vector<ProcessPtr>& processes) {
    std::vector<std::string> all;
    for (const ProcessPtr& process : processes) all.push_back(process->name());
    return all;
  }

  ManualClock clock_;
  TestOwner owner_{1, SandboxLimits::of(Profile::standard), &clock_};
  EventBus bus_{clock_};
  std::unique_ptr<AuditLog> log_ = *AuditLog::create({}, clock_);
  Metrics metrics_{MetricLabels{}};
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  CurrentOperation operation_{bus_.correlations()};
  const JournalSinks sinks_{bus_, *log_, metrics_, *timers_};
  const std::string id_ = "a";
  Journal journal_{sinks_, owner_, id_, AuditLevel::none, operation_};
  Standing standing_{id_, clock_, journal_, clock_.wall_now()};
  ProcessTable table_{id_, standing_};
};

TEST_F(ProcessTableTest, WithoutAnAddressTheOnlyProcessIsMeant) {
  EXPECT_EQ(meant(""), "validation_failed: the sandbox a has 0 processes: say which one is meant");
  place("one");
  EXPECT_EQ(meant(""), "one");
  place("two");
  EXPECT_EQ(meant(""), "validation_failed: the sandbox a has 2 processes: say which one is meant");
  EXPECT_EQ(meant("two"), "two");
  EXPECT_EQ(meant("three"), "not_found: the sandbox a has no process three");
}

TEST_F(ProcessTableTest, ReachesAProcessOnlyWhereTheSandboxRuns) {
  place("one");
  standing_.advance(LifecycleEvent::isolate);
  EXPECT_EQ(meant("one"), "rejected: the sandbox a is isolated");
  EXPECT_EQ(meant("one", Reach::frozen_too), "one");
  standing_.advance(LifecycleEvent::end);
  EXPECT_EQ(meant("one", Reach::frozen_too), "rejected: the sandbox a is stopping");
  table_.take_all();
  EXPECT_EQ(meant("one"), "rejected: the sandbox a is stopping") << "it is not the process that is missing";
}

TEST_F(ProcessTableTest, APlaceKeepsItsProcessUntilItIsEmpty) {
  const ProcessPtr process = place("one");
  EXPECT_EQ(place("one"), process);
  const auto emptied = table_.empty("one", kSpecTree);
  ASSERT_TRUE(emptied);
  EXPECT_THAT(emptied->gone, ElementsAre(process));
  EXPECT_EQ(table_.find("one"), nullptr);
  EXPECT_NE(place("one"), process);
}

TEST_F(ProcessTableTest, EmptiesWhatIsBelowAPlaceAndNothingBesideIt) {
  for (const char* const address : {"pool", "pool-2", "pool/a", "pool/a/b", "poor"}) place(address);
  EXPECT_THAT(names(table_.empty("pool", kSpecTree)->gone), ElementsAre("pool", "pool/a", "pool/a/b"));
  EXPECT_THAT(names(table_.all()), ElementsAre("pool-2", "poor"));
}

TEST_F(ProcessTableTest, ANameThatAGuestTookIsNotThatOfAnotherChild) {
  const ProcessPtr parent = place("parent");
  ASSERT_TRUE(table_.reserve(*parent, "child", Where::dynamic));
  EXPECT_EQ(table_.must_be_free("child").error().code, ErrorCode::already_exists);
  EXPECT_EQ(table_.reserve(*parent, "child", Where::pool).error().code, ErrorCode::already_exists);
  EXPECT_EQ(table_.reserve(*parent, "parent", Where::dynamic).error().code, ErrorCode::already_exists);
  EXPECT_EQ(table_.place(owner_, "child", kSpecTree).error().message, "a guest has spawned a child of the name child");
  const ProcessPtr child = place("child", kSpawnedTree);
  EXPECT_FALSE(table_.empty("child", kSpecTree)) << "the place of that name in the other tree is not this one";
  EXPECT_EQ(table_.find("child"), child);
  EXPECT_EQ(table_.parent_of("child"), parent);
  EXPECT_THAT(table_.dynamic(), ElementsAre("child"));
  ASSERT_TRUE(table_.empty("child", kSpawnedTree));
  EXPECT_TRUE(table_.must_be_free("child"));
}

TEST_F(ProcessTableTest, AChildThatWasNotStartedLeavesItsNameFree) {
  const ProcessPtr parent = place("parent");
  ASSERT_TRUE(table_.reserve(*parent, "child", Where::pool));
  EXPECT_EQ(table_.where_spawned("child"), Where::pool);
  table_.release("child");
  EXPECT_EQ(table_.where_spawned("child"), std::nullopt);
  EXPECT_TRUE(table_.must_be_free("child"));
}

TEST_F(ProcessTableTest, NotifiesAParentOfTheEndOfAChildOnceItsPlaceIsEmpty) {
  const ProcessPtr parent = place("parent");
  ASSERT_TRUE(table_.reserve(*parent, "child", Where::dynamic));
  place("child", kSpawnedTree);
  EXPECT_FALSE(table_.note_started("child")) << "its start is the answer to who asked for it";
  Outcome crash;
  crash.kind = OutcomeKind::trapped;
  table_.note_exit("child", crash);
  const auto emptied = table_.empty("child", kSpawnedTree);
  ASSERT_TRUE(emptied && emptied->notice);
  EXPECT_EQ(emptied->notice->parent, parent);
}

TEST_F(ProcessTableTest, CountsRestartsOfAPlaceForAsLongAsThatIsTaken) {
  place("one");
  EXPECT_EQ(table_.note_restart("one"), 1U);
  EXPECT_EQ(table_.note_restart("one"), 2U);
  EXPECT_EQ(table_.note_restart("two"), 1U);
  table_.empty("one", kSpecTree);
  EXPECT_EQ(table_.note_restart("one"), 1U);
}

TEST_F(ProcessTableTest, WithoutTheirTreeSpawnedChildrenLoseTheirNames) {
  const ProcessPtr parent = place("parent");
  ASSERT_TRUE(table_.reserve(*parent, "own", Where::dynamic));
  ASSERT_TRUE(table_.reserve(*parent, "pooled", Where::pool));
  table_.remove_dynamic();
  EXPECT_THAT(table_.dynamic(), IsEmpty());
  EXPECT_EQ(table_.where_spawned("pooled"), Where::pool);
  table_.forget_spawned();
  EXPECT_EQ(table_.where_spawned("pooled"), std::nullopt);
}

}  // namespace
}  // namespace petri
